import { appWords } from '../model/index.ts'
import { as, timesOf, type Meaning } from './meaning.ts'
import type { Subject } from './policy.ts'

/** A call that was let through, or several that no rule can tell apart. */
export interface PastCall {
  /** When the last of them was. */
  at: number
  subject: Subject
  meaning: readonly Meaning[]
  count: number
  /** The call as it was and as what it meant, once a rule has looked back on it: few policies have such a rule. */
  was?: readonly Subject[]
}

/** Calls of one principal that are kept as they were. */
const MOST = 2_000

export const wasOf = (call: PastCall): readonly Subject[] => (call.was ??= facesOf(call))

function facesOf({ subject, meaning, count }: PastCall): Subject[] {
  const faces = [{ ...subject, times: timesOf(subject) }, ...meaning.map((m) => as(subject, m))]
  return count === 1 ? faces : faces.map((face) => ({ ...face, times: (face.times ?? 1) * count }))
}

/**
 * The same calls in bounded room, without those before `since`. No flood of calls pushes another out of memory: of older ones those that are
 * alike become one; of what is too much even so only the action is kept, and it may have been done to anything.
 */
export function condensed(calls: PastCall[], since: number): PastCall[] {
  if (calls.length <= 4 * MOST) return calls
  const older = merged(calls.slice(0, -MOST), since, ({ subject, meaning }) => alikeOf(subject, meaning))
  const surplus = older.splice(0, Math.max(0, older.length - MOST)).map((call): PastCall => ({
    ...call,
    subject: { ...call.subject, targets: [] },
    meaning: call.meaning.map((meant) => ({ ...meant, targets: [] })),
    was: undefined,
  }))
  const blurred = merged(surplus, since, ({ subject, meaning }) => alikeOf(subject, meaning))
  return [...blurred, ...older, ...calls.slice(-MOST)].toSorted((a, b) => a.at - b.at)
}

/** Those of one kind as one at the time of the last, in the order of these times. */
function merged(calls: readonly PastCall[], since: number, kindOf: (call: PastCall) => string): PastCall[] {
  const found = new Map<string, PastCall>()
  for (const call of calls) {
    if (call.at <= since) continue
    const kind = kindOf(call)
    const known = found.get(kind)
    found.delete(kind)
    found.set(kind, known === undefined ? call : { ...call, count: known.count + call.count, was: undefined })
  }
  return [...found.values()]
}

/** What rules that look back can tell calls apart by. */
const alikeOf = ({ tool, kind, targets, times }: Subject, meaning: readonly Meaning[]): string =>
  JSON.stringify([
    tool,
    kind,
    times,
    targets.map((t) => [t.app && [appWords(t.app), t.app.name, t.app.id], t.name, t.says, t.reached]),
    meaning.map((m) => [m.kind, m.times]),
  ])
