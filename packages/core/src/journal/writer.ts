import { writeSync } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { DeskhandError } from '../errors.ts'
import type { Anchor, AnchorFile } from './anchor.ts'
import type { Notifier } from '../notifier.ts'
import { type Why, writeCheckpoint } from './checkpoint.ts'
import type { Signer } from './keys.ts'
import { hashLine, timeText, writeLine } from './line.ts'
import type { Tail } from './recover.ts'
import { openSegment } from './segments.ts'

export interface WriterSetup {
  dir: string
  desktop: string
  tail: Tail
  signer: Signer
  anchor: AnchorFile
  /** Whether a durable entry waits for the disk. */
  real: boolean
  checkpointEvery: number
  rotateBytes: number
  clock: () => number
  notifier: Notifier
  /** Told what the anchor remembers now. */
  anchored?: (seq: number, head: string) => void
  /** Told when a segment is full and another one is begun. */
  rotated?: () => void
}

interface Settled {
  seq: number
  waits: 'write' | 'disk'
  resolve(seq: number): void
  reject(error: Error): void
}

/** Lines on their way into one segment. */
interface Batch {
  lines: Buffer[]
  bytes: number
  settled: Settled[]
  /** Has to reach the disk and the anchor. */
  sync: boolean
  /** Holds a checkpoint: the anchor is made durable as well. */
  sealed: boolean
  rotate: boolean
  /** What the anchor says once all of it is written. */
  end: Omit<Anchor, 'v' | 'key'>
}

/** Bounds one write. */
const BATCH_BYTES = 512 * 1024
/** Up to this size a synchronous write is quicker than waking a thread of the pool. */
const AT_ONCE_BYTES = 16 * 1024

/**
 * The ordered queue in front of the file. An entry takes its place in the chain when it is handed over; what waits while a batch is
 * on its way to the disk makes up the next one.
 */
export class Writer {
  #setup: WriterSetup
  #file: FileHandle
  #seq: number
  #head: string
  #segment: number
  /** The segment's length once all queued entries are in it. */
  #size: number
  #unsealed = 0
  #written: number
  #batches: Batch[] = []
  #draining: Promise<void> | undefined
  #soon: NodeJS.Immediate | undefined
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

  /** Resolves once written, or on the disk when durable. With durability `none` a non-durable entry resolves before it is written. */
  append(json: string, durable: boolean): Promise<number> {
    if (this.#closing !== undefined) return Promise.reject(new DeskhandError('JOURNAL_FAILED', 'The journal is closed.'))
    if (this.#failed !== undefined) return Promise.reject(this.#failed)
    const batch = this.#add(json)
    if (!this.#setup.real && !durable) {
      this.#soon ??= setImmediate(() => void this.#start())
      return Promise.resolve(batch.seq)
    }
    return this.#settle(batch, durable && this.#setup.real ? 'disk' : 'write')
  }

  checkpoint(why: Why, detail?: unknown): Promise<number> {
    if (this.#failed !== undefined) return Promise.reject(this.#failed)
    return this.#settle(this.#seal(this.#time(), why, detail), 'disk')
  }

  /** Resolves when all queued entries are written, or have failed. */
  async flush(): Promise<void> {
    await this.#start()
  }

  /** Writes what is queued and a last checkpoint; a journal that failed is only closed. */
  close(): Promise<void> {
    this.#closing ??= this.checkpoint('closed')
      .catch(() => undefined)
      .then(() => this.#start())
      .then(() => this.#file.close())
    return this.#closing
  }

  #settle({ batch, seq }: { batch: Batch; seq: number }, waits: Settled['waits']): Promise<number> {
    return new Promise((resolve, reject) => {
      batch.settled.push({ seq, waits, resolve, reject })
      batch.sync ||= waits === 'disk'
      // One microtask later, so that entries appended in the same tick share a batch.
      this.#draining ??= Promise.resolve().then(() => this.#drain())
    })
  }

  #start(): Promise<void> {
    clearImmediate(this.#soon)
    this.#soon = undefined
    if (this.#batches.length === 0 && this.#draining === undefined) return Promise.resolve()
    return (this.#draining ??= this.#drain())
  }

  async #drain(): Promise<void> {
    for (let batch = this.#batches[0]; batch !== undefined; batch = this.#batches[0]) {
      this.#batches.shift()
      try {
        await this.#commit(batch)
      } catch (error) {
        this.#fail(error, batch)
      }
    }
    this.#draining = undefined
  }

  #add(json: string): { batch: Batch; seq: number } {
    const time = this.#time()
    const batch = this.#line((seq, head) => writeLine(seq, time, head, json))
    const seq = this.#seq
    this.#unsealed++
    if (this.#size >= this.#setup.rotateBytes) {
      const last = this.#seal(time, 'rotated').batch
      last.rotate = true
      this.#segment++
      this.#size = 0
    } else if (this.#unsealed >= this.#setup.checkpointEvery) this.#seal(time, 'interval')
    return { batch, seq }
  }

  #seal(time: string, why: Why, detail?: unknown): { batch: Batch; seq: number } {
    const batch = this.#line((seq, head) =>
      writeCheckpoint({ seq, time, prev: head, desktop: this.#setup.desktop, why, detail }, this.#setup.signer),
    )
    this.#unsealed = 0
    batch.sync = true
    batch.sealed = true
    return { batch, seq: this.#seq }
  }

  #line(write: (seq: number, head: string) => string): Batch {
    const line = Buffer.from(`${write(this.#seq + 1, this.#head)}\n`)
    const start = this.#size
    this.#seq++
    this.#head = hashLine(line)
    this.#size += line.length
    const batch = this.#open()
    batch.lines.push(line)
    batch.bytes += line.length
    batch.end = { seq: this.#seq, head: this.#head, segment: this.#segment, start, end: this.#size }
    return batch
  }

  /** The batch that still takes lines. */
  #open(): Batch {
    const last = this.#batches.at(-1)
    if (last !== undefined && !last.rotate && last.bytes < BATCH_BYTES) return last
    const end = { seq: this.#seq, head: this.#head, segment: this.#segment, start: this.#size, end: this.#size }
    const batch: Batch = { lines: [], bytes: 0, settled: [], sync: false, sealed: false, rotate: false, end }
    this.#batches.push(batch)
    return batch
  }

  async #commit(batch: Batch): Promise<void> {
    if (this.#failed !== undefined) throw this.#failed
    const bytes = Buffer.concat(batch.lines, batch.bytes)
    const begun = bytes.length <= AT_ONCE_BYTES ? writeSync(this.#file.fd, bytes) : 0
    if (begun < bytes.length) await writeAll(this.#file, bytes.subarray(begun))
    this.#written = batch.end.seq
    for (const { seq, waits, resolve } of batch.settled) if (waits === 'write') resolve(seq)
    this.#setup.notifier.notify()
    if (batch.sync) {
      await this.#file.datasync()
      this.#setup.anchor.write({ v: 1, key: this.#setup.signer.key, ...batch.end })
      if (batch.sealed) await this.#setup.anchor.sync()
      this.#setup.anchored?.(batch.end.seq, batch.end.head)
      for (const { seq, resolve } of batch.settled) resolve(seq)
    }
    if (batch.rotate) await this.#rotate(batch.end.segment + 1)
  }

  async #rotate(segment: number): Promise<void> {
    const next = await openSegment(this.#setup.dir, segment)
    await this.#file.close()
    this.#file = next
    this.#setup.rotated?.()
  }

  /** Refuses every later entry, so that no call acts: nothing may follow a half-written line. */
  #fail(error: unknown, batch: Batch): void {
    const why = error instanceof Error ? error.message : String(error)
    this.#failed ??= new DeskhandError('JOURNAL_FAILED', `The journal in ${this.#setup.dir} cannot be written: ${why}.`, { cause: error })
    const failed = this.#failed
    for (const { settled } of [batch, ...this.#batches.splice(0)]) for (const { reject } of settled) reject(failed)
  }

  #time(): string {
    return timeText(this.#setup.clock())
  }
}

async function writeAll(file: FileHandle, bytes: Buffer): Promise<void> {
  for (let at = 0; at < bytes.length;) at += (await file.write(bytes, at)).bytesWritten
}
