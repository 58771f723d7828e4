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
  /** How often it acts itself, where that is not as its arguments say: calls that do so differently often were added up. */
  times?: number
  /** The call as it was and as what it meant, once a rule has looked back on it: few policies have such a rule. */
  was?: readonly Subject[]
}

/** Calls of one principal that are kept as they were. */
const MOST = 2_000

export const wasOf = (call: PastCall): readonly Subject[] => (call.was ??= facesOf(call))

function facesOf(call: PastCall): Subject[] {
  const { subject, meaning, count } = call
  const faces = [{ ...subject, times: ownTimes(call) }, ...meaning.map((m) => as(subject, m))]
  return count === 1 ? faces : faces.map((face) => ({ ...face, times: (face.times ?? 1) * count }))
}

const ownTimes = ({ subject, times }: PastCall): number => times ?? timesOf(subject)

/**
 * The same calls in bounded room, without those before `since`. No flood of calls pushes another out of memory: of older ones those that are
 * alike become one; of what is too much even so only the action is kept, and it may have been done to anything.
 */
export function condensed(calls: PastCall[], since: number): PastCall[] {
  if (calls.length <= 4 * MOST) return calls
  const older = merged(calls.slice(0, -MOST), since, alikeOf)
  const surplus = older.splice(0, Math.max(0, older.length - MOST))
  return [...blurred(surplus), ...older, ...calls.slice(-MOST)].toSorted((a, b) => a.at - b.at)
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
function alikeOf(call: PastCall): string {
  const { subject, meaning } = call
  const { tool, kind, targets } = subject
  return JSON.stringify([
    tool,
    kind,
    ownTimes(call),
    targets.map((t) => [t.app && [appWords(t.app), t.app.name, t.app.id], t.name, t.says, t.reached]),
    meaning.map((m) => [m.kind, m.times]),
  ])
}

/** One call for each action with the same meanings, as often as all of them did that to anything, at the time of the last. */
function blurred(calls: readonly PastCall[]): PastCall[] {
  const found = new Map<string, PastCall>()
  for (const call of calls) {
    const { tool, kind } = call.subject
    const meant = [...new Set(call.meaning.map((m) => m.kind))].toSorted()
    const key = JSON.stringify([tool, kind, meant])
    const known = found.get(key)
    const meaning = meant.flatMap((each) => {
      const own = call.meaning.filter((m) => m.kind === each)
      const before = known?.meaning.find((m) => m.kind === each)?.times ?? 0
      return own.slice(0, 1).map((m) => ({ ...m, times: before + Math.max(...own.map(({ times }) => times)) * call.count, targets: [] }))
    })
    const times = (known?.times ?? 0) + ownTimes(call) * call.count
    found.set(key, { at: call.at, subject: { ...call.subject, targets: [] }, meaning, count: 1, times })
  }
  return [...found.values()]
}
