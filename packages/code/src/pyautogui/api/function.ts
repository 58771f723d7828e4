import type { ScriptSession } from '../script-session.ts'
import { error } from '../interp/exceptions.ts'
import type { Answer, Machine } from '../interp/machine.ts'
import { needFloat, needInt } from '../interp/numbers.ts'
import { typeName } from '../interp/types.ts'
import type { Parameter, Parameters, Value } from '../interp/values.ts'

/** A call's arguments by name, defaults filled in. */
type Arguments = ReadonlyMap<string, Value>

export interface Context {
  m: Machine
  session: ScriptSession
  args: Arguments
}

export type Run = (c: Context) => Answer

/** A function that a module offers to scripts. */
export interface ApiFunction {
  parameters: Parameters
  run: Run
  /** Parameters of PyAutoGUI that are not available, and why. */
  refused?: Readonly<Record<string, string>>
  /** Parameters that may name an image. */
  images?: readonly string[]
  /** Parameters whose text stays out of the record. */
  hidden?: readonly string[]
  /** Only computes: it makes no recorded step and does not wait for the operator's pause. */
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

/** A function that only computes. */
export function pure(p: Parameters, run: Run): ApiFunction {
  return { parameters: p, pure: true, run }
}

export const arg = ({ args }: Context, name: string): Value => args.get(name) ?? null

export const numberArg = (c: Context, name: string): number => needFloat(arg(c, name))
export const intArg = (c: Context, name: string): bigint => needInt(arg(c, name))

export function textArg(c: Context, name: string): string {
  const v = arg(c, name)
  if (typeof v !== 'string') throw error('TypeError', `${name} must be str, not ${typeName(v)}`)
  return v
}
