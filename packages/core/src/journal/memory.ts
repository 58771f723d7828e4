import { DeskhandError } from '../errors.ts'
import { JournalEntry } from '../model/index.ts'
import type { ReadableJournal } from './append.ts'
import { Bell } from '../driver/bell.ts'
import { bodyJson, GENESIS, hashLine, parseLine, writeLine } from './line.ts'
import { acceptor } from './read.ts'

/** A journal without a folder: the same chain, unsigned, of which the last `keep` entries stay. */
export function memoryJournal(options: { keep?: number; clock?: () => number } = {}): ReadableJournal & { lines(): string[] } {
  const { keep = 10_000, clock = Date.now } = options
  const kept = new Map<number, string>()
  const bell = new Bell()
  let seq = 0
  let head = GENESIS

  async function* follow(after: number, signal?: AbortSignal): AsyncGenerator<JournalEntry> {
    for (let at = after; !signal?.aborted;) {
      if (at >= seq) {
        if (bell.closed) return
        await bell.wait(signal)
        continue
      }
      at = Math.max(at + 1, seq - kept.size + 1)
      const raw = kept.get(at)
      if (raw !== undefined) yield JournalEntry.parse(JSON.parse(raw))
    }
  }

  return {
    append: async (body) => {
      if (bell.closed) throw new DeskhandError('JOURNAL_FAILED', 'The journal is closed.')
      const line = `${writeLine(seq + 1, new Date(clock()).toISOString(), head, bodyJson(body))}\n`
      seq++
      head = hashLine(line)
      kept.set(seq, line)
      if (kept.size > keep) kept.delete(seq - keep)
      bell.ring()
      return seq
    },
    close: async () => bell.close(),
    get seq() {
      return seq
    },
    failed: undefined,
    async *read(filter = {}) {
      const accepts = acceptor(filter)
      for (const raw of [...kept.values()]) {
        const line = parseLine(Buffer.from(raw))
        if (!('bad' in line) && accepts(line)) yield JournalEntry.parse(line.fields)
      }
    },
    follow,
    lines: () => [...kept.values()],
  }
}
