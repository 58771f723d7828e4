import { DeskhandError } from '../errors.ts'
import { type EntryType, JournalEntry } from '../model/index.ts'
import { Notifier } from '../notifier.ts'
import { fieldsJson, GENESIS, hashLine, timeText, writeLine } from './line.ts'
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
  /** A ring: the entry with the number n is at n % keep. */
  const ring: string[] = []
  const notifier = new Notifier()
  let seq = 0
  let head = GENESIS

  /** What is kept after this entry, the oldest first. */
  const linesAfter = (after: number): string[] => {
    const from = Math.max(after, seq - keep)
    return Array.from({ length: Math.max(0, seq - from) }, (_, i) => ring[(from + 1 + i) % keep] ?? '')
  }

  async function* written(after: number, types?: readonly EntryType[]): AsyncGenerator<JournalEntry> {
    for (const raw of linesAfter(after)) {
      const entry = JournalEntry.parse(JSON.parse(raw))
      if (types === undefined || types.includes(entry.type)) yield entry
    }
  }

  async function* follow(after: number, signal?: AbortSignal): AsyncGenerator<JournalEntry> {
    for (let at = after; !signal?.aborted;) {
      if (at >= seq) {
        if (notifier.closed) return
        await notifier.wait(signal)
        continue
      }
      at = Math.max(at + 1, seq - keep + 1)
      const raw = ring[at % keep]
      if (raw !== undefined) yield JournalEntry.parse(JSON.parse(raw))
    }
  }

  return {
    append: async (body) => {
      if (notifier.closed) throw new DeskhandError('JOURNAL_FAILED', 'The journal is closed.')
      const line = `${writeLine(seq + 1, timeText(clock()), head, fieldsJson(body, desktop))}\n`
      seq++
      head = hashLine(line)
      ring[seq % keep] = line
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
      yield linesAfter(0)
        .reverse()
        .map((raw) => Buffer.from(raw))
    },
    follow,
    lines: () => linesAfter(0),
  }
}
