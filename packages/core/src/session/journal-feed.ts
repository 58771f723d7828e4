import type { ReadableJournal } from '../journal/index.ts'
import type { EntryBody } from '../model/index.ts'
import type { Events } from './events.ts'

/** The same journal; every entry that got its place in the record is also an event, in the order of the record. */
export class JournalFeed implements ReadableJournal {
  readonly #journal: ReadableJournal
  readonly #events: Events
  /** Handed over and not told yet, in the order of the record. */
  readonly #waiting: { entry: EntryBody; seq?: number }[] = []

  constructor(journal: ReadableJournal, events: Events) {
    this.#journal = journal
    this.#events = events
  }

  append(entry: EntryBody, options?: { durable?: boolean }): Promise<number> {
    const placed = this.#journal.append(entry, options)
    const told: { entry: EntryBody; seq?: number } = { entry }
    this.#waiting.push(told)
    const settle = (seq: number): void => {
      told.seq = seq
      this.#tell()
    }
    placed.then(settle, () => settle(LOST))
    return placed
  }

  get seq(): number {
    return this.#journal.seq
  }

  get failed(): ReadableJournal['failed'] {
    return this.#journal.failed
  }

  entries: ReadableJournal['entries'] = (query) => this.#journal.entries(query)
  backwards: ReadableJournal['backwards'] = () => this.#journal.backwards()
  follow: ReadableJournal['follow'] = (after, signal) => this.#journal.follow(after, signal)

  close(): Promise<void> {
    return this.#journal.close()
  }

  /** Entries that are not durable may get their place before durable ones that were handed over earlier; they wait for those. */
  #tell(): void {
    for (let first = this.#waiting[0]; first?.seq !== undefined; first = this.#waiting[0]) {
      this.#waiting.shift()
      if (first.seq !== LOST) this.#events.publish({ type: 'journal', seq: first.seq, entry: first.entry })
    }
  }
}

const LOST = -1
