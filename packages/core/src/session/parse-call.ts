import { DeskhandError } from '../errors.ts'
import { parseAction, type Action } from '../model/index.ts'
import type { Call } from './call.ts'

export function parseCall(call: Call): Action {
  if (call.unreadable !== undefined) throw call.unreadable
  const read = parseAction(call.kind, call.args)
  if (!read.ok) throw new DeskhandError('BAD_ARGS', `${call.tool}: ${read.problems.join('; ')}`)
  return read.action
}
