import type { Desk } from '../desk.ts'
import { error } from '../interp/exceptions.ts'
import type { Machine, Steps } from '../interp/machine.ts'
import { asFloat, asInt, typeName } from '../interp/types.ts'
import type { Parameter, Parameters, Value } from '../interp/values.ts'

/** A call's arguments by name, all of them there. */
type Arguments = ReadonlyMap<string, Value>

export interface Context {
  m: Machine
  desk: Desk
  args: Arguments
}

export type Run = (c: Context) => Steps<Value>

/** A function that a module offers to scripts: it computes at once, or runs in steps. */
export type ApiFunction = Facts & ({ compute: (c: Context) => Value } | { run: Run })

interface Facts {
  parameters: Parameters
  /** Parameters of the original that are not available, and why. */
  refused?: Readonly<Record<string, string>>
  /** Parameters that may name an image. */
  images?: readonly string[]
  /** Parameters whose text stays out of the record. */
  hidden?: readonly string[]
  /** Only computes: no step in the record, and no wait for the operator's pause. */
  pure?: boolean
  /** Waits `pyautogui.PAUSE` afterwards. */
  pauses?: boolean
}

/** Parameters written as in Python's documentation: required ones first, then those with a default. */
export function parameters(required: string, optional: Readonly<Record<string, Value>> = {}): Parameters {
  return {
    positional: [
      ...required
        .split(' ')
        .filter(Boolean)
        .map((name): Parameter => ({ name })),
      ...named(optional),
    ],
  }
}

export const named = (optional: Readonly<Record<string, Value>>): Parameter[] =>
  Object.entries(optional).map(([name, value]) => ({ name, default: value }))

/** A function that computes and returns at once. */
export function pure(p: Parameters, compute: (c: Context) => Value): ApiFunction {
  return { parameters: p, pure: true, compute }
}

export const arg = ({ args }: Context, name: string): Value => args.get(name) ?? null

export function numberArg(c: Context, name: string): number {
  return toNumber(arg(c, name))
}

export function toNumber(v: Value): number {
  const x = asFloat(v)
  if (x === undefined) throw error('TypeError', `must be real number, not ${typeName(v)}`)
  return x
}

export function intArg(c: Context, name: string): bigint {
  const v = arg(c, name)
  const i = asInt(v)
  if (i === undefined) throw error('TypeError', `'${typeName(v)}' object cannot be interpreted as an integer`)
  return i
}

export function textArg(c: Context, name: string): string {
  const v = arg(c, name)
  if (typeof v !== 'string') throw error('TypeError', `${name} must be str, not ${typeName(v)}`)
  return v
}
