import { hash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { open, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DeskhandError } from '../errors.ts'
import type { Anchor } from './anchor.ts'
import { checkpointKey } from './checkpoint.ts'
import { createWhole } from '../platform/index.ts'
import { GENESIS, hashLine, parseLine, unreadableEntry } from './line.ts'
import { type Line, Lines } from './lines.ts'
import { listSegments, segmentPath } from './segments.ts'

/** Where the writer continues, and what a crash left after the last whole entry. */
export interface Tail {
  seq: number
  head: string
  segment: number
  size: number
  torn: { file: string; bytes: number; sha256: string }[]
  /** Whole entries after the anchor, which a crash left behind it: only the chain proves them. */
  adopted?: { from: number; to: number }
}

/**
 * Finds the end of the chain from the anchor on. A torn line was never acknowledged: it is moved to a file and cut off. An entry that
 * contradicts the chain, or follows its closing, cannot come from a crash: the journal is refused.
 */
export async function recover(dir: string, anchor: Anchor): Promise<Tail> {
  const lines = new Lines(dir, { segment: anchor.segment, offset: anchor.start })
  try {
    const { tail, closed } = await anchored(lines, anchor)
    for (;;) {
      if (lines.ready === 0) await lines.fill(1)
      const line = lines.peek()
      if (line === undefined) break
      const entry = parseLine(line.raw)
      if ('bad' in entry && entry.bad === 'torn') break
      if ('bad' in entry) throw unreadableEntry(tail.seq + 1, entry)
      if (entry.seq !== tail.seq + 1 || entry.prev !== tail.head) throw broken(tail.seq + 1, 'does not follow the entry before it')
      if (closed && tail.seq === anchor.seq && checkpointKey(line.raw, entry) !== anchor.key) {
        throw broken(tail.seq + 1, 'was added after the journal had been closed')
      }
      moveOn(tail, line)
      lines.take()
    }
    if (tail.seq > anchor.seq) tail.adopted = { from: anchor.seq + 1, to: tail.seq }
    return await cut(dir, tail)
  } finally {
    await lines.close()
  }
}

async function anchored(lines: Lines, anchor: Anchor): Promise<{ tail: Tail; closed: boolean }> {
  if (anchor.seq === 0) return { tail: { seq: 0, head: GENESIS, segment: 1, size: 0, torn: [] }, closed: false }
  await lines.fill(1)
  const line = lines.take()
  if (line === undefined || line.segment !== anchor.segment || hashLine(line.raw) !== anchor.head) {
    throw broken(anchor.seq, 'is not the one that the anchor remembers')
  }
  const entry = parseLine(line.raw)
  const closed = !('bad' in entry) && entry.fields.why === 'closed'
  return { tail: { seq: anchor.seq, head: anchor.head, segment: line.segment, size: anchor.end, torn: [] }, closed }
}

function moveOn(tail: Tail, line: Line): void {
  tail.seq++
  tail.head = hashLine(line.raw)
  tail.segment = line.segment
  tail.size = line.start + line.raw.length
}

/** Moves what follows the last whole entry to a file. Files of earlier attempts, which no entry mentions yet, are listed as well. */
async function cut(dir: string, tail: Tail): Promise<Tail> {
  const segments = (await listSegments(dir)).filter((segment) => segment >= tail.segment)
  const leftovers: Buffer[] = []
  for (const segment of segments) leftovers.push(await readFrom(segmentPath(dir, segment), segment === tail.segment ? tail.size : 0))
  const bytes = Buffer.concat(leftovers)
  const mark = `torn-${tail.seq + 1}-`
  if (bytes.length > 0) {
    await createWhole(join(dir, `${mark}${hash('sha256', bytes).slice(0, 16)}.bin`), bytes)
    for (const segment of segments) await truncate(segmentPath(dir, segment), segment === tail.segment ? tail.size : 0)
  }
  for (const file of (await readdir(dir)).sort()) {
    if (!file.startsWith(mark) || !file.endsWith('.bin')) continue
    const kept = await readFile(join(dir, file))
    tail.torn.push({ file, bytes: kept.length, sha256: hash('sha256', kept) })
  }
  const last = segments.at(-1)
  return last === undefined || last === tail.segment ? tail : { ...tail, segment: last, size: 0 }
}

async function readFrom(path: string, offset: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of createReadStream(path, { start: offset })) chunks.push(Buffer.from(chunk))
  return Buffer.concat(chunks)
}

async function truncate(path: string, size: number): Promise<void> {
  const file = await open(path, 'r+')
  try {
    await file.truncate(size)
    await file.sync()
  } finally {
    await file.close()
  }
}

const broken = (seq: number, what: string): DeskhandError =>
  new DeskhandError('JOURNAL_BROKEN', `The journal cannot be continued: entry ${seq} ${what}.`, {
    next: 'Keep a copy and find out why with: deskhand journal verify. To begin a new journal, move this folder and its anchor away together.',
  })
