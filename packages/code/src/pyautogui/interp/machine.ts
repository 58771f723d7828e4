import type { Budget } from '../budget.ts'
import { DeskhandError } from '@deskhand/core/errors'
import { Halt } from '../halt.ts'
import type { ModuleName, Program, Scope } from '../program.ts'
import type { PyError } from './exceptions.ts'
import type { Operators } from './operators.ts'
import type { Kwargs, PyApi, PyHold, Value } from './values.ts'

/** Work that may have to wait: what it yields is started and awaited by `drive`. */
export type Steps<T> = Generator<() => Promise<void>, T, void>

/** A value, or steps that lead to it where waiting may be necessary. */
export type Answer<T = Value> = T | Steps<T>

/** The variables of one function call, or of the module. */
export interface Frame {
  scope: Scope
  vars: Map<string, Value>
  parent: Frame | undefined
  /** The full name of the function whose call it is. */
  of?: string
}

/** What a script can use outside of the language: the modules and the printed output. */
export interface World {
  /** A function or constant of a module. */
  read(m: Machine, module: ModuleName, name: string): Value
  write(m: Machine, module: ModuleName, name: string, value: Value): void
  /** What `from module import *` brings. */
  names(module: ModuleName): readonly string[]
  call(m: Machine, fn: PyApi, args: readonly Value[], kwargs: Kwargs): Steps<Value>
  hold(m: Machine, hold: PyHold, direction: 'down' | 'up'): Steps<void>
  print(m: Machine, text: string): void
  /** Gives the event loop a turn; lasts while the operator pauses the run. */
  rest(): Promise<void>
}

/** One run of one program. */
export interface Machine {
  program: Program
  budget: Budget
  world: World
  builtins: ReadonlyMap<string, Value>
  operators: Operators
  globals: Frame
  /** Exceptions being handled, innermost last. */
  handling: PyError[]
  /** Where the script is now. */
  at: { lineno: number; col_offset: number }
}

/** Awaits a promise inside the interpreter. */
export function* wait<T>(start: () => Promise<T>): Steps<T> {
  const box: { value?: T; done: boolean } = { done: false }
  yield async () => {
    box.value = await start()
    box.done = true
  }
  if (!box.done) throw new Halt('INTERNAL', 'a wait ended without a value')
  return box.value as T
}

/** Python values are primitives or have a `kind`; steps are an object without one. */
export function isSteps<T extends Value | symbol>(answer: Answer<T>): answer is Steps<T> {
  return typeof answer === 'object' && answer !== null && !('kind' in answer)
}

/** Gives the event loop a turn. */
export function* rest(m: Machine): Steps<void> {
  yield () => m.world.rest()
  m.budget.rested()
}

/** Runs the steps to their end. A signal ends them at once; no handler of the script runs. */
export async function drive<T>(work: Steps<T>, signal: AbortSignal): Promise<T> {
  let wake = (): void => {}
  const stop = (): void => wake()
  signal.addEventListener('abort', stop)
  try {
    if (signal.aborted) throw aborted(signal)
    let turn = work.next()
    while (!turn.done) {
      const pending = turn.value()
      const ended = await new Promise<{ thrown: unknown } | undefined>((resolve) => {
        wake = () => resolve(undefined)
        pending.then(wake, (thrown: unknown) => resolve({ thrown }))
        if (signal.aborted) wake()
      })
      if (signal.aborted) throw aborted(signal)
      turn = ended ? work.throw(ended.thrown) : work.next()
    }
    return turn.value
  } finally {
    signal.removeEventListener('abort', stop)
  }
}

function aborted(signal: AbortSignal): Halt {
  const reason: unknown = signal.reason
  return reason instanceof DeskhandError ? new Halt(reason.code, reason.message) : new Halt('CANCELLED', 'the run was cancelled')
}
