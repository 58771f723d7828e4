import type { JournalEntry, RiskLevel, Verdict } from '../model/index.ts'
import type { ReadableJournal } from './journal.ts'
import { entryOf, OP, rawValue, textTest, TYPE } from './raw.ts'

export interface CallQuery {
  before?: number
  limit: number
  since?: string
  until?: string
  text?: string
  agent?: string
  tool?: string
  app?: string
  verdict?: Verdict
  risk?: RiskLevel
  effect?: string
}

/** The parts of a query that only calls can have. */
export const isAboutCalls = ({ agent, tool, app, verdict, risk, effect }: CallQuery): boolean =>
  [agent, tool, app, verdict, risk, effect].some((part) => part !== undefined)

/**
 * Whole calls, newest first by their decisions, and what is no call between them; a text may be in any entry of a call. A line is parsed
 * only when its call may be meant: the whole of a long journal is searched in a moment.
 */
export async function searchCalls(journal: ReadableJournal, query: CallQuery, signal: AbortSignal): Promise<JournalEntry[]> {
  const { before = Infinity, limit } = query
  const hasText = textTest(query.text)
  const open = new Map<string, { lines: Buffer[]; isMeant: boolean }>()
  const found: JournalEntry[] = []
  let left = limit
  for await (const lines of journal.backwards()) {
    signal.throwIfAborted()
    for (const raw of lines) {
      const type = rawValue(raw, TYPE)
      if (!OF_CALLS.has(type)) {
        const note = !isAboutCalls(query) && hasText(raw) ? entryOf(raw) : undefined
        if (note === undefined || note.seq >= before || !isWithin(note, query)) continue
        found.push(note)
        if (--left <= 0) return found
        continue
      }
      const op = rawValue(raw, OP)
      const call = open.get(op) ?? { lines: [], isMeant: false }
      open.set(op, call)
      call.lines.push(raw)
      call.isMeant ||= hasText(raw)
      // Later decisions of a call are about another way.
      if (type !== 'decided' || (raw.includes('"route":') && isLater(raw))) continue
      open.delete(op)
      const entries = call.isMeant ? call.lines.flatMap((line) => entryOf(line) ?? []) : []
      if (!isFound(entries, query, before)) continue
      found.push(...entries)
      if (--left <= 0) return found
    }
  }
  return found
}

const OF_CALLS: ReadonlySet<string> = new Set(['decided', 'answered', 'acting', 'done'])

function isLater(raw: Buffer): boolean {
  const entry = entryOf(raw)
  return entry?.type === 'decided' && entry.route !== undefined
}

/** Whether these, from the newest to the decision that it began with, are a call that is meant. */
function isFound(entries: readonly JournalEntry[], query: CallQuery, before: number): boolean {
  const { agent, tool, app, verdict, risk, effect } = query
  const decided = entries.at(-1)
  if (decided?.type !== 'decided' || decided.seq >= before || !isWithin(decided, query)) return false
  return (
    (agent === undefined || decided.principal.id === agent) &&
    (tool === undefined || decided.tool === tool) &&
    (app === undefined || decided.targets.some((target) => target.app?.name.toLowerCase().includes(app.toLowerCase()))) &&
    (verdict === undefined || entries.some((entry) => entry.type === 'decided' && entry.decision.verdict === verdict)) &&
    (risk === undefined || decided.risk.level === risk) &&
    (effect === undefined || entries.some((entry) => entry.type === 'done' && entry.effect === effect))
  )
}

const isWithin = ({ time }: JournalEntry, { since, until }: CallQuery): boolean =>
  (since === undefined || time >= since) && (until === undefined || time <= until)
