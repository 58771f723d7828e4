import { type FileHandle, open } from 'node:fs/promises'
import { MAX_LINE, parseLine } from './line.ts'
import { listSegments, type Position, segmentPath, START } from './segments.ts'

/** A place at or before entry `seq`, found in a few reads however long the journal is. */
export async function seek(dir: string, seq: number): Promise<Position> {
  if (seq <= 1) return START
  const segments = await listSegments(dir)
  for (const segment of segments.reverse()) {
    const file = await open(segmentPath(dir, segment), 'r')
    try {
      const first = await lineAfter(file, 0)
      if (first === undefined || first.seq > seq) continue
      return { segment, offset: await nearest(file, seq) }
    } finally {
      await file.close()
    }
  }
  return START
}

/** The number of the last whole entry; 0 when there is none. */
export async function lastSeq(dir: string): Promise<number> {
  for (const segment of (await listSegments(dir)).reverse()) {
    const file = await open(segmentPath(dir, segment), 'r')
    try {
      let at = await nearest(file, Number.MAX_SAFE_INTEGER)
      let last = 0
      for (let line = await lineAt(file, at); line !== undefined; line = await lineAt(file, at)) {
        last = line.seq
        at = line.end
      }
      if (last > 0) return last
    } finally {
      await file.close()
    }
  }
  return 0
}

const WINDOW = 16 * 1024

async function nearest(file: FileHandle, seq: number): Promise<number> {
  let low = 0
  let high = (await file.stat()).size
  while (high - low > WINDOW) {
    const middle = low + Math.floor((high - low) / 2)
    const line = await lineAfter(file, middle)
    if (line === undefined || line.seq > seq || line.start >= high) high = middle
    else low = line.start
  }
  return low
}

interface Found {
  seq: number
  start: number
  end: number
}

/** The first whole line that begins at or after `offset`. */
async function lineAfter(file: FileHandle, offset: number): Promise<Found | undefined> {
  if (offset === 0) return lineAt(file, 0)
  const before = await until(file, offset - 1)
  return before === undefined ? undefined : lineAt(file, offset - 1 + before.length)
}

async function lineAt(file: FileHandle, start: number): Promise<Found | undefined> {
  const raw = await until(file, start)
  if (raw === undefined) return undefined
  const line = parseLine(raw)
  return 'bad' in line ? undefined : { seq: line.seq, start, end: start + raw.length }
}

/** The bytes from `offset` up to and with the next newline. */
async function until(file: FileHandle, offset: number): Promise<Buffer | undefined> {
  for (let size = WINDOW; size <= MAX_LINE * 2; size *= 4) {
    const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(size), 0, size, offset)
    const end = buffer.subarray(0, bytesRead).indexOf(10)
    if (end !== -1) return buffer.subarray(0, end + 1)
    if (bytesRead < size) return undefined
  }
  return undefined
}
