import { type FileHandle, open } from 'node:fs/promises'
import { hasCode } from '../platform/index.ts'
import { MAX_LINE } from './line.ts'
import { listSegments, type Position, segmentPath, START, unreadable } from './segments.ts'

/** One raw line with its newline, and where it lies. */
export interface Line {
  raw: Buffer
  segment: number
  start: number
}

const CHUNK = 256 * 1024

/** Reads the raw lines of a journal from a position on, over all segments, in bounded memory. More can be read after the end has grown. */
export class Lines {
  #dir: string
  #segment: number
  #offset: number
  #file: FileHandle | undefined
  /** Bytes from `#offset` on that do not make a line yet. */
  #rest: Buffer = Buffer.alloc(0)
  #ready: Line[] = []
  #next = 0

  constructor(dir: string, from: Position = START) {
    this.#dir = dir
    this.#segment = from.segment
    this.#offset = from.offset
  }

  /** How many lines can be looked at without reading. */
  get ready(): number {
    return this.#ready.length - this.#next
  }

  /** The line `ahead` places further on, when it is ready. */
  peek(ahead = 0): Line | undefined {
    return this.#ready[this.#next + ahead]
  }

  take(): Line | undefined {
    const line = this.#ready[this.#next]
    if (line !== undefined) this.#next++
    return line
  }

  /** Reads until `count` lines are ready or the journal ends. */
  async fill(count: number): Promise<void> {
    if (this.#next > 0) {
      this.#ready = this.#ready.slice(this.#next)
      this.#next = 0
    }
    while (this.ready < count) {
      if (await this.#read()) continue
      // Listed before the last read of this segment, which then has all that was written before the next one was made.
      const following = (await listSegments(this.#dir)).find((segment) => segment > this.#segment)
      if (following === undefined) return
      if (!(await this.#read())) await this.#enter(following)
    }
  }

  /** The bytes after the last newline of the last segment: a write in progress, or one that a crash cut short. */
  get torn(): Buffer {
    return this.#rest
  }

  async close(): Promise<void> {
    await this.#file?.close()
    this.#file = undefined
  }

  async #read(): Promise<boolean> {
    this.#file ??= await open(segmentPath(this.#dir, this.#segment), 'r').catch((error: unknown) => {
      if (hasCode(error, 'ENOENT')) return undefined
      throw unreadable(this.#dir, error)
    })
    if (this.#file === undefined) return false
    const chunk = Buffer.allocUnsafe(this.#rest.length + CHUNK)
    chunk.set(this.#rest)
    const { bytesRead } = await this.#file.read(chunk, this.#rest.length, CHUNK, this.#offset + this.#rest.length)
    if (bytesRead === 0) return false
    this.#split(chunk.subarray(0, this.#rest.length + bytesRead))
    return true
  }

  #split(bytes: Buffer): void {
    let start = 0
    for (let end = bytes.indexOf(10); end !== -1; end = bytes.indexOf(10, start)) {
      this.#push(bytes.subarray(start, end + 1))
      start = end + 1
    }
    this.#rest = bytes.subarray(start)
    if (this.#rest.length > MAX_LINE) this.#pushRest()
  }

  #push(raw: Buffer): void {
    this.#ready.push({ raw, segment: this.#segment, start: this.#offset })
    this.#offset += raw.length
  }

  /** Bytes that are no line are passed on as they are, so that the chain refuses them. */
  #pushRest(): void {
    const rest = this.#rest
    this.#rest = Buffer.alloc(0)
    if (rest.length > 0) this.#push(rest)
  }

  async #enter(segment: number): Promise<void> {
    this.#pushRest()
    await this.close()
    this.#segment = segment
    this.#offset = 0
  }
}
