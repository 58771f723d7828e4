import type { DeskhandError } from '../errors.ts'
import type { EntryBody, EntryType, JournalEntry } from '../model/index.ts'

/** The record of a desktop as the session sees it: ordered, append-only, chained. */
export interface Journal {
  /** Resolves with the entry's sequence number once it has its place in the chain, or once it is as safe as this journal makes it when `durable`. */
  append(body: EntryBody, options?: { durable?: boolean }): Promise<number>
  close(): Promise<void>
}

export interface EntryQuery {
  /** Only entries after this sequence number. */
  after?: number
  types?: readonly EntryType[]
  limit?: number
}

/** A journal that can also be read and followed. */
export interface ReadableJournal extends Journal {
  /** The last entry that was written. */
  readonly seq: number
  /** Why nothing can be recorded any more. */
  readonly failed: DeskhandError | undefined
  /** What is written so far, in order. */
  entries(query?: EntryQuery): AsyncGenerator<JournalEntry>
  /** The raw lines of what is written so far, newest first, many at a time. */
  backwards(): AsyncGenerator<Buffer[]>
  /** Every entry after `after`, those to come included, until the signal or the journal's end. */
  follow(after: number, signal?: AbortSignal): AsyncGenerator<JournalEntry>
}
