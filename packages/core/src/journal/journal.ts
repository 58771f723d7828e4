import type { EntryBody } from '../model/index.ts'

/** The record of a desktop as the session sees it: ordered, append-only, chained. */
export interface Journal {
  /** Resolves with the entry's sequence number once it has its place in the chain, or once it is as safe as this journal makes it when `durable`. */
  append(body: EntryBody, options?: { durable?: boolean }): Promise<number>
  close(): Promise<void>
}
