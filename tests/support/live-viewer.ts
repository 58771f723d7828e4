import { join } from 'node:path'
import { contains, type Rect } from '@deskhand/core/model'
import sharp from 'sharp'
import { AGENT } from './desk.ts'
import type { RealDesk } from './governed.ts'

interface Size {
  width: number
  height: number
}

/** A viewer: what the parts of a stream put together look like, and where it is masked. */
export class LiveViewer {
  readonly pixels: Uint32Array
  masked: Rect[] = []
  updates = 0
  readonly #end = new AbortController()
  readonly #ended: Promise<void>

  readonly #size: Size

  constructor(desk: RealDesk, size: Size, restMs?: number) {
    this.#size = size
    this.pixels = new Uint32Array(size.width * size.height)
    this.#ended = this.#run(desk, restMs)
  }

  async #run(desk: RealDesk, restMs?: number): Promise<void> {
    for await (const parts of desk.session.frames({ principal: AGENT }, { encoding: 'raw', signal: this.#end.signal, restMs })) {
      for (const { rect, bytes, masked } of parts) {
        const part = new Uint32Array(bytes.buffer, bytes.byteOffset, rect.w * rect.h)
        for (let row = 0; row < rect.h; row++)
          this.pixels.set(part.subarray(row * rect.w, (row + 1) * rect.w), (rect.y + row) * this.#size.width + rect.x)
        this.masked = [
          ...this.masked.filter((m) => !(m.x >= rect.x && m.y >= rect.y && m.x + m.w <= rect.x + rect.w && m.y + m.h <= rect.y + rect.h)),
          ...masked,
        ]
      }
      this.updates++
    }
  }

  /** Where it differs from what an independent program sees, masked areas aside. */
  async difference(desk: RealDesk): Promise<number> {
    const truth = await screenshot(desk, this.#size)
    let differs = 0
    for (let i = 0; i < truth.length; i++) {
      if (truth[i] === this.pixels[i]) continue
      const at = { x: i % this.#size.width, y: Math.floor(i / this.#size.width) }
      if (!this.masked.some((m) => contains(m, at))) differs++
    }
    return differs
  }

  async end(): Promise<void> {
    this.#end.abort()
    await this.#ended
  }
}

/** The screen, as a program sees it that shares nothing with us. */
export async function screenshot(desk: RealDesk, { width, height }: Size): Promise<Uint32Array> {
  const file = join(desk.sandbox.env['HOME'] ?? '', 'seen.png')
  if (desk.sandbox.record.server === 'wayland') desk.ask('grim', file)
  else desk.ask('maim', '-u', file)
  const { data } = await sharp(file).ensureAlpha().raw().toBuffer({ resolveWithObject: true })
  return new Uint32Array(data.buffer, data.byteOffset, width * height)
}
