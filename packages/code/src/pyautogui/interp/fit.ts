import { error } from './exceptions.ts'
import type { Answer, Machine } from './machine.ts'
import type { Method } from './methods.ts'
import { needInt } from './numbers.ts'
import { typeName } from './types.ts'
import type { Kwargs, NativeCode, Value } from './values.ts'

/** The arguments of a built-in, in the order of its signature. */
export type Given = readonly (Value | undefined)[]

/** What a built-in takes: at least `least` arguments, at most `most` by position. */
interface Signature {
  least: number
  most: number
  names: readonly string[]
}

/** `names` are separated by spaces; one that starts with `_` is positional only, one that starts with `*` keyword only. */
export function signature(least: number, names: string): Signature {
  const all = names.split(' ').filter(Boolean)
  return { least, most: all.filter((n) => !n.startsWith('*')).length, names: all.map((n) => n.replace('*', '')) }
}

type Code<S> = (m: Machine, given: Given, self: S) => Answer
type Table<S> = Readonly<Record<string, { takes: Signature; code: Code<S> }>>

export function takes<S>(least: number, names: string, code: Code<S>): Table<S>[string] {
  return { takes: signature(least, names), code }
}

export function methods<S>(table: Table<S>): Map<string, Method<S>> {
  return new Map(
    Object.entries(table).map(([name, { takes: expected, code }]) => [
      name,
      (m, self, args, kwargs) => code(m, fit(name, args, kwargs, expected), self),
    ]),
  )
}

export function functions(table: Table<undefined>): Map<string, NativeCode> {
  return new Map([...methods(table)].map(([name, code]) => [name, (m, args, kwargs) => code(m, undefined, args, kwargs)]))
}

export function fit(fn: string, args: readonly Value[], kwargs: Kwargs, { least, most, names }: Signature): Given {
  if (args.length > most) throw error('TypeError', `${fn} expected at most ${most} argument${most === 1 ? '' : 's'}, got ${args.length}`)
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

/** An integer as a JavaScript number, clamped to the safe range. */
export function whole(v: Value | undefined, fallback: number): number {
  if (v === undefined) return fallback
  const i = needInt(v)
  return Number(i > 9007199254740991n ? 9007199254740991n : i < -9007199254740991n ? -9007199254740991n : i)
}

export function text(v: Value | undefined, what: string): string {
  if (typeof v !== 'string') throw error('TypeError', `${what} must be str, not ${v === undefined ? 'missing' : typeName(v)}`)
  return v
}
