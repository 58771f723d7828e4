import { type FileHandle, open } from 'node:fs/promises'
import { MAX_LINE } from './line.ts'
import { listSegments, segmentPath } from './segments.ts'

const CHUNK = 256 * 1024

/** The raw whole lines of a journal, newest first, a chunk at a time: in bounded memory, and no more is read than is asked for. */
export async function* linesBackwards(dir: string): AsyncGenerator<Buffer[]> {
  for (const segment of (await listSegments(dir)).reverse()) {
    const file = await open(segmentPath(dir, segment), 'r')
    try {
      yield* ofSegment(file)
    } finally {
      await file.close()
    }
  }
}

async function* ofSegment(file: FileHandle): AsyncGenerator<Buffer[]> {
  let start = (await file.stat()).size
  /** The bytes from `start` on that end with a newline and whose first line may begin before `start`. */
  let rest: Buffer | undefined
  while (start > 0 && (rest?.length ?? 0) <= MAX_LINE) {
    const size = Math.min(CHUNK, start)
    start -= size
    const chunk = await readAt(file, start, size)
    // What follows the last newline is a write in progress.
    const bytes: Buffer = rest === undefined ? chunk.subarray(0, chunk.lastIndexOf(10) + 1) : Buffer.concat([chunk, rest])
    const lines: Buffer[] = []
    let end = bytes.length
    for (let at = lastLine(bytes, end); at > 0; at = lastLine(bytes, end)) {
      lines.push(bytes.subarray(at, end))
      end = at
    }
    yield lines
    if (rest !== undefined || end > 0) rest = bytes.subarray(0, end)
  }
  if (start === 0 && rest !== undefined && rest.length > 0) yield [rest]
}

/** Where the line before `end` begins; 0 for the first, whose beginning may be missing. */
const lastLine = (bytes: Buffer, end: number): number => (end < 2 ? 0 : bytes.lastIndexOf(10, end - 2) + 1)

async function readAt(file: FileHandle, start: number, size: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(size), 0, size, start)
  return buffer.subarray(0, bytesRead)
}
