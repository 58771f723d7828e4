import { writeSync } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { DeskhandError } from '../errors.ts'
import type { Anchor, AnchorFile } from './anchor.ts'
import type { Bell } from '../driver/bell.ts'
import { type Why, writeCheckpoint } from './checkpoint.ts'
import type { Signer } from './keys.ts'
import { hashLine, writeLine } from './line.ts'
import type { Tail } from './recover.ts'
import { openSegment } from './segments.ts'

export interface WriterSetup {
  dir: string
  tail: Tail
  signer: Signer
  anchor: AnchorFile
  /** Whether a durable entry waits for the disk. */
  real: boolean
  checkpointEvery: number
  rotateBytes: number
  clock: () => number
  bell: Bell
}

interface Item {
  time: string
  /** The JSON of an entry's body, or a checkpoint to be signed in its place in the chain. */
  what: string | { why: Why; detail?: unknown }
  waits: boolean
  resolve(seq: number): void
  reject(error: Error): void
}

interface Batch {
  lines: Buffer[]
  bytes: number
  settled: { item: Item; seq: number }[]
  /** Ends in the disk and in the anchor. */
  sync: boolean
  /** Holds a checkpoint: the anchor is made durable as well. */
  sealed: boolean
  rotate: boolean
}

/** Bounds one write, and the time for which building it keeps other work waiting. */
const BATCH_BYTES = 512 * 1024
/** So little goes into the page cache sooner than a thread of the pool could be woken for it. */
const AT_ONCE_BYTES = 16 * 1024

/** The ordered queue in front of the file. What waits while a batch is on its way to the disk makes up the next one. */
export class Writer {
  #setup: WriterSetup
  #file: FileHandle
  #seq: number
  #head: string
  #segment: number
  #size: number
  #lastStart = 0
  #unsealed = 0
  #written: number
  #queue: Item[] = []
  #draining: Promise<void> | undefined
  #failed: DeskhandError | undefined
  #closing: Promise<void> | undefined

  private constructor(setup: WriterSetup, file: FileHandle) {
    this.#setup = setup
    this.#file = file
    this.#seq = setup.tail.seq
    this.#written = setup.tail.seq
    this.#head = setup.tail.head
    this.#segment = setup.tail.segment
    this.#size = setup.tail.size
  }

  static async open(setup: WriterSetup): Promise<Writer> {
    return new Writer(setup, await openSegment(setup.dir, setup.tail.segment))
  }

  /** The last entry that is in the file. */
  get written(): number {
    return this.#written
  }

  get failed(): DeskhandError | undefined {
    return this.#failed
  }

  append(json: string, durable: boolean): Promise<number> {
    if (this.#closing !== undefined) return Promise.reject(new DeskhandError('JOURNAL_FAILED', 'The journal is closed.'))
    return this.#enqueue(json, durable && this.#setup.real)
  }

  checkpoint(why: Why, detail?: unknown): Promise<number> {
    return this.#enqueue({ why, detail }, true)
  }

  /** Writes what is queued and a last checkpoint. A journal that failed is only let go. */
  close(): Promise<void> {
    this.#closing ??= this.checkpoint('closed')
      .catch(() => undefined)
      .then(() => this.#draining)
      .then(() => this.#file.close())
    return this.#closing
  }

  #enqueue(what: Item['what'], waits: boolean): Promise<number> {
    if (this.#failed !== undefined) return Promise.reject(this.#failed)
    const time = new Date(this.#setup.clock()).toISOString()
    return new Promise((resolve, reject) => {
      this.#queue.push({ time, what, waits, resolve, reject })
      this.#draining ??= Promise.resolve().then(() => this.#drain())
    })
  }

  async #drain(): Promise<void> {
    while (this.#queue.length > 0) {
      const batch = this.#build()
      try {
        await this.#commit(batch)
      } catch (error) {
        this.#fail(error, batch)
      }
    }
    this.#draining = undefined
  }

  #build(): Batch {
    const batch: Batch = { lines: [], bytes: 0, settled: [], sync: false, sealed: false, rotate: false }
    let taken = 0
    while (taken < this.#queue.length && batch.bytes < BATCH_BYTES && !batch.rotate) {
      const item = this.#queue[taken++]!
      if (typeof item.what === 'string') {
        this.#add(batch, writeLine(this.#seq + 1, item.time, this.#head, item.what))
        this.#unsealed++
        batch.sync ||= item.waits
      } else {
        this.#seal(batch, item.time, item.what.why, item.what.detail)
      }
      batch.settled.push({ item, seq: this.#seq })
      batch.rotate = typeof item.what === 'string' && this.#size + batch.bytes >= this.#setup.rotateBytes
      if (batch.rotate) this.#seal(batch, item.time, 'rotated')
      else if (this.#unsealed >= this.#setup.checkpointEvery) this.#seal(batch, item.time, 'interval')
    }
    this.#queue.splice(0, taken)
    return batch
  }

  #seal(batch: Batch, time: string, why: Why, detail?: unknown): void {
    this.#add(batch, writeCheckpoint(this.#seq + 1, time, this.#head, why, this.#setup.signer, detail))
    this.#unsealed = 0
    batch.sync = true
    batch.sealed = true
  }

  #add(batch: Batch, text: string): void {
    const line = Buffer.from(`${text}\n`)
    this.#seq++
    this.#head = hashLine(line)
    this.#lastStart = this.#size + batch.bytes
    batch.lines.push(line)
    batch.bytes += line.length
  }

  async #commit(batch: Batch): Promise<void> {
    const bytes = Buffer.concat(batch.lines, batch.bytes)
    const begun = bytes.length <= AT_ONCE_BYTES ? writeSync(this.#file.fd, bytes) : 0
    if (begun < bytes.length) await writeAll(this.#file, bytes.subarray(begun))
    this.#size += batch.bytes
    this.#written = this.#seq
    for (const { item, seq } of batch.settled) if (!item.waits) item.resolve(seq)
    this.#setup.bell.ring()
    if (batch.sync) {
      await this.#file.datasync()
      this.#setup.anchor.write(this.#anchor())
      if (batch.sealed) await this.#setup.anchor.sync()
      for (const { item, seq } of batch.settled) item.resolve(seq)
    }
    if (batch.rotate) await this.#rotate()
  }

  #anchor(): Anchor {
    return {
      v: 1,
      seq: this.#seq,
      head: this.#head,
      key: this.#setup.signer.key,
      segment: this.#segment,
      start: this.#lastStart,
      end: this.#size,
    }
  }

  async #rotate(): Promise<void> {
    const next = await openSegment(this.#setup.dir, this.#segment + 1)
    await this.#file.close()
    this.#file = next
    this.#segment++
    this.#size = 0
  }

  /** Nothing can be recorded from here on, so that nothing acts: a half-written line must not get a successor. */
  #fail(error: unknown, batch: Batch): void {
    const why = error instanceof Error ? error.message : String(error)
    const failed = new DeskhandError('JOURNAL_FAILED', `The journal in ${this.#setup.dir} cannot be written: ${why}.`, { cause: error })
    this.#failed = failed
    for (const { item } of batch.settled) item.reject(failed)
    for (const item of this.#queue.splice(0)) item.reject(failed)
    this.#setup.bell.close()
  }
}

async function writeAll(file: FileHandle, bytes: Buffer): Promise<void> {
  for (let at = 0; at < bytes.length;) at += (await file.write(bytes, at)).bytesWritten
}
