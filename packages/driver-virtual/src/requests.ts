import { DeskhandError } from '@deskhand/core/errors'
import type { Desktop } from './desktop.ts'
import { formatExecution, toExecutionResult } from './model/execution.ts'
import { setState } from './values.ts'

/** Writes the outcome of a code request where the interface wants it. */
export function answer(desk: Desktop, id: string, result: unknown): void {
  const request = desk.requests.get(id)
  if (!request) throw new DeskhandError('BAD_ARGS', `The simulated desktop waits for no answer to ${id}.`)
  desk.requests.delete(id)
  const { code, into } = request
  const outcome = toExecutionResult(id, result)
  if (into && desk.elements.has(into.key)) setState(desk, into, formatExecution(outcome))
  desk.flush()
  desk.onExecution({ code, into: into?.id, result: outcome })
}
