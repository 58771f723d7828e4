import type { EntryBody } from '../model/index.ts'

/** The record of a desktop as the session sees it: ordered, append-only, chained. */
export interface Journal {
  /** Resolves with the entry's sequence number once written, or once on the disk when `durable`. */
  append(body: EntryBody, options?: { durable?: boolean }): Promise<number>
  close(): Promise<void>
}
