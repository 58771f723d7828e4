import { error } from './exceptions.ts'
import type { Machine } from './machine.ts'
import type { Method } from './methods.ts'
import { asInt, typeName } from './types.ts'
import type { Kwargs, Value } from './values.ts'

/** The arguments of a built-in, in order: at least `least`, at most as many as `names`. A name that starts with `_` cannot be given as a keyword. */
export function fit(fn: string, args: readonly Value[], kwargs: Kwargs, least: number, names: readonly string[]): (Value | undefined)[] {
  if (args.length > names.length)
    throw error('TypeError', `${fn} expected at most ${names.length} argument${names.length === 1 ? '' : 's'}, got ${args.length}`)
  for (const k of kwargs.keys()) {
    const i = k.startsWith('_') ? -1 : names.indexOf(k)
    if (i < 0) throw error('TypeError', `${fn}() got an unexpected keyword argument '${k}'`)
    if (i < args.length) throw error('TypeError', `argument for ${fn}() given by name ('${k}') and position (${i + 1})`)
  }
  const all = names.map((name, i) => (i < args.length ? args[i] : kwargs.get(name)))
  if (all.slice(0, least).includes(undefined))
    throw error('TypeError', `${fn} expected at least ${least} argument${least === 1 ? '' : 's'}, got ${args.length}`)
  return all
}

/** A method without arguments. */
export function bare<S>(name: string, run: (m: Machine, self: S) => Value): [string, Method<S>] {
  return [
    name,
    {
      now: (m, self, args, kwargs) => {
        fit(name, args, kwargs, 0, [])
        return run(m, self)
      },
    },
  ]
}

/** A whole number that fits JavaScript's; larger ones end at its edge. */
export function whole(v: Value | undefined, fallback: number): number {
  if (v === undefined) return fallback
  const i = asInt(v)
  if (i === undefined) throw error('TypeError', `'${typeName(v)}' object cannot be interpreted as an integer`)
  return Number(i > 9007199254740991n ? 9007199254740991n : i < -9007199254740991n ? -9007199254740991n : i)
}

export function text(v: Value | undefined, what: string): string {
  if (typeof v !== 'string') throw error('TypeError', `${what} must be str, not ${v === undefined ? 'missing' : typeName(v)}`)
  return v
}
