import { type FileHandle, mkdir, open, readdir } from 'node:fs/promises'
import { join } from 'node:path'

/** A place in the journal: a byte offset in a numbered segment. */
export interface Place {
  segment: number
  offset: number
}

export const START: Place = { segment: 1, offset: 0 }

export const segmentPath = (dir: string, segment: number): string => join(dir, `journal-${String(segment).padStart(6, '0')}.jsonl`)

/** The numbers of the segments in a journal's folder, in order; none when there is no folder. */
export async function listSegments(dir: string): Promise<number[]> {
  const names = await readdir(dir).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw error
  })
  const numbers: number[] = []
  for (const name of names) {
    const number = /^journal-(\d{6,})\.jsonl$/.exec(name)?.[1]
    if (number !== undefined) numbers.push(Number(number))
  }
  return numbers.sort((a, b) => a - b)
}

/** Opens a segment for appending; a new one is there after a crash too. */
export async function openSegment(dir: string, segment: number): Promise<FileHandle> {
  const file = await open(segmentPath(dir, segment), 'a', 0o600)
  await syncFolder(dir)
  return file
}

export async function makeFolder(dir: string): Promise<void> {
  await mkdir(dir, { recursive: true, mode: 0o700 })
}

/** Makes created and removed names durable; systems that cannot open a folder do it by themselves. */
export async function syncFolder(dir: string): Promise<void> {
  const folder = await open(dir, 'r').catch(() => undefined)
  if (folder === undefined) return
  try {
    await folder.sync()
  } catch (error) {
    if (process.platform !== 'win32') throw error
  } finally {
    await folder.close()
  }
}
