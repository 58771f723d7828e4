import { DeskhandError } from '../errors.ts'
import { type EntryType, JournalEntry } from '../model/index.ts'
import { Notifier } from '../notifier.ts'
import { bodyJson, GENESIS, hashLine, writeLine } from './line.ts'
import type { ReadableJournal } from './journal.ts'
import { first } from './read.ts'

export interface MemoryJournalOptions {
  /** The URN of the desktop that this is the record of. */
  desktop?: string
  /** So many of the last entries stay. */
  keep?: number
  clock?: () => number
}

/** A journal without a folder: the same chain, unsigned. */
export function memoryJournal(options: MemoryJournalOptions = {}): ReadableJournal & { lines(): string[] } {
  const { desktop, keep = 10_000, clock = Date.now } = options
  const kept = new Map<number, string>()
  const notifier = new Notifier()
  let seq = 0
  let head = GENESIS

  async function* written(after: number, types?: readonly EntryType[]): AsyncGenerator<JournalEntry> {
    for (const [at, raw] of [...kept]) {
      const entry = at > after ? JournalEntry.parse(JSON.parse(raw)) : undefined
      if (entry !== undefined && (types === undefined || types.includes(entry.type))) yield entry
    }
  }

  async function* follow(after: number, signal?: AbortSignal): AsyncGenerator<JournalEntry> {
    for (let at = after; !signal?.aborted;) {
      if (at >= seq) {
        if (notifier.closed) return
        await notifier.wait(signal)
        continue
      }
      at = Math.max(at + 1, seq - kept.size + 1)
      const raw = kept.get(at)
      if (raw !== undefined) yield JournalEntry.parse(JSON.parse(raw))
    }
  }

  return {
    append: async (body) => {
      if (notifier.closed) throw new DeskhandError('JOURNAL_FAILED', 'The journal is closed.')
      const line = `${writeLine(seq + 1, new Date(clock()).toISOString(), head, bodyJson(body, desktop))}\n`
      seq++
      head = hashLine(line)
      kept.set(seq, line)
      if (kept.size > keep) kept.delete(seq - keep)
      notifier.notify()
      return seq
    },
    close: async () => notifier.close(),
    get seq() {
      return seq
    },
    failed: undefined,
    entries: ({ after = 0, types, limit } = {}) => first(written(after, types), limit),
    async *backwards() {
      yield [...kept.values()].reverse().map((raw) => Buffer.from(raw))
    },
    follow,
    lines: () => [...kept.values()],
  }
}
