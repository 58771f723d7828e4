import { createHmac, randomBytes } from 'node:crypto'
import { appWords, type TargetFacts } from '../../model/index.ts'
import type { Call } from '../call.ts'
import type { Redactor } from '../ports.ts'

/** Lives as long as the process: without it a reader of the record cannot try out which text a digest stands for. */
const KEY = randomBytes(32)

/** Binds an answer to the exact call: tool, arguments, who and what is touched, and the rules in force. */
export function bind(tool: string, args: unknown, targets: readonly TargetFacts[], policy: string): string {
  const touched = targets.map((t) => [t.key, t.role, t.name, t.says, t.app && appWords(t.app), t.window?.key, t.source])
  return createHmac('sha256', KEY)
    .update(JSON.stringify([tool, args, touched, policy], sorted))
    .digest('base64url')
}

/** Tells the repetition of a call from another call with the same callId. Being kept, it also differs from callId to callId. */
export const callDigest = (redactor: Pick<Redactor, 'digest'>, { principal, callId, tool, args, dryRun = false }: Call): string =>
  redactor.digest([principal.id, callId, tool, args, dryRun])

/** The order of an object's fields changes nothing. */
function sorted(_: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
}
