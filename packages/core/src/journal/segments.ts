import { type FileHandle, open, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { DeskhandError } from '../errors.ts'
import { hasCode, syncFolder } from '../platform/index.ts'

/** A byte offset in a numbered segment of the journal. */
export interface Position {
  segment: number
  offset: number
}

export const START: Position = { segment: 1, offset: 0 }

export const segmentPath = (dir: string, segment: number): string => join(dir, `journal-${String(segment).padStart(6, '0')}.jsonl`)

/** The numbers of the segments in a journal's folder, in order; none when there is no folder. */
export async function listSegments(dir: string): Promise<number[]> {
  const names = await readdir(dir).catch((error: unknown) => {
    if (hasCode(error, 'ENOENT')) return []
    throw unreadable(dir, error)
  })
  const numbers: number[] = []
  for (const name of names) {
    const number = /^journal-(\d{6,})\.jsonl$/.exec(name)?.[1]
    if (number !== undefined) numbers.push(Number(number))
  }
  return numbers.sort((a, b) => a - b)
}

export const unreadable = (path: string, cause: unknown): DeskhandError =>
  new DeskhandError('JOURNAL_FAILED', `${path} cannot be read: ${String(cause)}.`, {
    cause,
    next: 'Run this as the user who owns the journal.',
  })

/** Opens a segment for appending; a new one survives a crash from here on. */
export async function openSegment(dir: string, segment: number): Promise<FileHandle> {
  const file = await open(segmentPath(dir, segment), 'a', 0o600)
  await syncFolder(dir)
  return file
}
