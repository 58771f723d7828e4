import { randomUUID } from 'node:crypto'
import { closeSync, openSync, writeSync } from 'node:fs'
import { setImmediate as eventLoop } from 'node:timers/promises'
import { DeskhandError } from '../../errors.ts'
import type { CaptureHandle, RenderOptions, WindowOwner } from '../driver.ts'
import { blacken, toRgba, type Pixels } from './pixels.ts'
import { encodePng } from './png.ts'

/** How long a capture is kept, and how many pixels in all: a good dozen of large screens. */
const KEEP_MS = 10_000
const MOST_PIXELS = 32 << 20

/** Captures that stay in the driver's process until core has told which areas to hide. Each is rendered once. */
export class PendingCaptures {
  readonly #pending = new Map<string, { pixels: Pixels; timer: NodeJS.Timeout }>()
  /** Reused by the next capture that fits in: allocating a whole screen costs more than filling it. */
  #memory: ArrayBuffer | undefined
  /** The file that pixels were last written into. */
  #file: { path: string; fd: number } | undefined
  #last: Promise<unknown> = Promise.resolve()

  /** Memory for so many pixels; it may hold an earlier picture, so the caller has to write all of it. */
  buffer(size: number): Uint32Array<ArrayBuffer> {
    const memory = this.#memory
    if (memory === undefined || memory.byteLength < size * 4) return new Uint32Array(size)
    this.#memory = undefined
    return new Uint32Array(memory, 0, size)
  }

  /** Takes the pixels over: the caller must not use them any more. */
  keep(pixels: Pixels, windows?: WindowOwner[]): CaptureHandle {
    const id = randomUUID()
    const timer = setTimeout(() => this.#pending.delete(id), KEEP_MS).unref()
    this.#pending.set(id, { pixels, timer })
    let sum = 0
    for (const [other, kept] of [...this.#pending].reverse()) {
      sum += kept.pixels.words.length
      if (sum > MOST_PIXELS && other !== id) this.#take(other)
    }
    const { width, height, origin, scale } = pixels
    return { id, width, height, origin, scale, windows, ...(isBlank(pixels) && { blank: true }) }
  }

  async render(id: string, { hide, as, into }: RenderOptions): Promise<Uint8Array<ArrayBuffer>> {
    // Encoding takes long: however many pictures are asked for, a stop is heard between two of them.
    await (this.#last = this.#last.then(() => eventLoop()))
    const pixels = this.#take(id)
    if (pixels === undefined)
      throw new DeskhandError('STALE_REF', 'this capture is not kept any more', { next: 'Capture again, and render it at once.' })
    for (const area of hide) blacken(pixels, area)
    if (as === 'rgba') {
      const rows = toRgba(pixels)
      if (into === undefined || !this.#write(rows, into)) return rows
      this.#reuse(pixels)
      return new Uint8Array()
    }
    const png = await encodePng(pixels)
    this.#reuse(pixels)
    return png
  }

  /** The largest that was used is kept. */
  #reuse({ words: { buffer } }: Pixels): void {
    if (this.#memory === undefined || this.#memory.byteLength < buffer.byteLength) this.#memory = buffer
  }

  /** False where that cannot be done, such as from another machine. */
  #write(rows: Uint8Array, { file, at }: NonNullable<RenderOptions['into']>): boolean {
    try {
      if (this.#file?.path !== file) {
        if (this.#file !== undefined) closeSync(this.#file.fd)
        this.#file = undefined
        // Only a file that is there: the server made it, readable by its own user alone.
        this.#file = { path: file, fd: openSync(file, 'r+') }
      }
      return writeSync(this.#file.fd, rows, 0, rows.length, at) === rows.length
    } catch {
      return false
    }
  }

  #take(id: string): Pixels | undefined {
    const kept = this.#pending.get(id)
    clearTimeout(kept?.timer)
    this.#pending.delete(id)
    return kept?.pixels
  }
}

/** Ends at the first pixel that differs, which comes early in all but blank pictures. */
function isBlank({ words }: Pixels): boolean {
  const [first = 0] = words
  return words.every((word) => ((word ^ first) & 0xffffff) === 0)
}
