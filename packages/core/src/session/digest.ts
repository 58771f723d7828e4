import { createHmac, randomBytes } from 'node:crypto'
import type { TargetFacts } from '../model/index.ts'

/** Nobody who reads a record can try out what was typed: without this key, which lives as long as the process, a digest says nothing. */
const KEY = randomBytes(32)

/** Binds an answer to the exact call: tool, arguments, who and what is touched, and the rules in force. */
export function bind(tool: string, args: unknown, targets: readonly TargetFacts[], policy: string): string {
  const touched = targets.map((t) => [t.key, t.role, t.name, t.says, t.app?.executable ?? t.app?.id, t.window?.key, t.source])
  return createHmac('sha256', KEY)
    .update(JSON.stringify([tool, args, touched, policy], sorted))
    .digest('base64url')
}

/** The order in which somebody writes the fields of an object changes nothing. */
function sorted(_: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
}
