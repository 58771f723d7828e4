import type { EntryType, JournalEntry, TraceStep } from '../model/index.ts'
import type { ReadableJournal } from './journal.ts'
import { entryOf, OP, rawValue, textTest } from './raw.ts'

export interface SearchQuery {
  after: number
  before?: number
  limit: number
  types?: readonly EntryType[]
  op?: string
  since?: string
  until?: string
  text?: string
  newest: boolean
}

/** Entries of a journal by what they say, from either end. */
export async function searchEntries(journal: ReadableJournal, query: SearchQuery, signal: AbortSignal): Promise<JournalEntry[]> {
  const { after, before = Infinity, limit, types, newest } = query
  const found: JournalEntry[] = []
  const source = newest ? backwards(journal, rawTest(query)) : journal.entries({ after, types })
  for await (const entry of source) {
    signal.throwIfAborted()
    if (newest ? entry.seq <= after : entry.seq >= before) break
    if (entry.seq < before && entry.seq > after && holds(entry, query) && found.push(entry) >= limit) break
    // A call begins with its first decision, and nothing of it is older.
    if (newest && query.op !== undefined && entry.type === 'decided' && entry.route === undefined) break
  }
  return found
}

/** The last calls of a journal, each from its decision to its outcome, newest first. */
export async function traceOf(journal: ReadableJournal, limit: number, before = Infinity, signal?: AbortSignal): Promise<TraceStep[]> {
  const later = new Map<string, Partial<Pick<TraceStep, 'answer' | 'outcome' | 'decision'>>>()
  const steps: TraceStep[] = []
  for await (const entry of backwards(journal)) {
    signal?.throwIfAborted()
    if (entry.type === 'done') {
      const { status, code, sent, effect, via, verification, ms } = entry
      later.set(entry.op, { ...later.get(entry.op), outcome: { status, code, sent, effect, via, verification, ms } })
    } else if (entry.type === 'answered') {
      const { allow, by, reason, shownAt } = entry
      later.set(entry.op, { ...later.get(entry.op), answer: { allow, by: by?.id, reason, shownAt } })
    } else if (entry.type === 'decided' && !entry.dryRun) {
      const known = later.get(entry.op)
      // The last decision of a call stands; the one before it was about a way that could not be taken.
      if (entry.route !== undefined) {
        later.set(entry.op, { decision: entry.decision, ...known })
        continue
      }
      later.delete(entry.op)
      if (entry.seq >= before) continue
      const { op, seq, time, tool, principal, intent, risk, decision } = entry
      const [first] = entry.targets
      const target = first === undefined ? undefined : `${first.role}${first.name === undefined ? '' : ` ${JSON.stringify(first.name)}`}`
      steps.push({ op, seq, time, tool, principal, intent, target, risk: risk.level, decision, ...known })
      if (steps.length >= limit) break
    }
  }
  return steps
}

/** Entries from the newest on; lines that `mayHold` rejects are not even parsed. */
async function* backwards(journal: ReadableJournal, mayHold: (raw: Buffer) => boolean = () => true): AsyncGenerator<JournalEntry> {
  for await (const lines of journal.backwards()) {
    for (const raw of lines) {
      const entry = mayHold(raw) ? entryOf(raw) : undefined
      if (entry !== undefined) yield entry
    }
  }
}

/** Rejects by the bytes of a line most of what a query does not mean: parsing costs many times as much. */
function rawTest({ text, op }: SearchQuery): (raw: Buffer) => boolean {
  const hasText = textTest(text)
  return (raw) => (op === undefined || rawValue(raw, OP) === op) && hasText(raw)
}

function holds(entry: JournalEntry, { types, op, since, until, text }: SearchQuery): boolean {
  return (
    (types === undefined || types.includes(entry.type)) &&
    (op === undefined || ('op' in entry && entry.op === op)) &&
    (since === undefined || entry.time >= since) &&
    (until === undefined || entry.time <= until) &&
    (text === undefined || JSON.stringify(entry).toLowerCase().includes(text.toLowerCase()))
  )
}
