import { randomUUID } from 'node:crypto'
import { DeskhandError } from '../errors.ts'
import type { Developing, Shot } from './driver.ts'
import { blacken, toRgba, type Pixels } from './pixels.ts'
import { encodePng } from './png.ts'

/** So long a picture waits to be developed, and so many pixels wait at most: a good dozen of large screens. */
const KEEP_MS = 10_000
const MOST_PIXELS = 32 << 20

/** Where pictures wait, in the driver's own process, until somebody knows what must not be seen in them. Each is given once. */
export class Darkroom {
  readonly #waiting = new Map<string, { pixels: Pixels; timer: NodeJS.Timeout }>()
  /** Kept from one picture to the next: to get and to give up so much memory each time costs more than the work in it. */
  #paper: Uint32Array<ArrayBuffer> | undefined

  /** Memory for a picture of so many pixels; whatever is on it is to be painted over. */
  paper(size: number): Uint32Array<ArrayBuffer> {
    const paper = this.#paper
    if (paper === undefined || paper.length !== size) return new Uint32Array(size)
    this.#paper = undefined
    return paper
  }

  /** Takes the pixels over. */
  keep(pixels: Pixels, windows?: Shot['windows']): Shot {
    const id = randomUUID()
    const timer = setTimeout(() => this.#waiting.delete(id), KEEP_MS).unref()
    this.#waiting.set(id, { pixels, timer })
    let sum = 0
    for (const [other, kept] of [...this.#waiting].reverse()) {
      sum += kept.pixels.words.length
      if (sum > MOST_PIXELS && other !== id) this.#take(other)
    }
    const { width, height, origin, scale } = pixels
    return { id, width, height, origin, scale, windows }
  }

  async develop(id: string, { hide, as }: Developing): Promise<Uint8Array<ArrayBuffer>> {
    const pixels = this.#take(id)
    if (pixels === undefined)
      throw new DeskhandError('STALE_REF', 'this picture is not kept any more', { next: 'Capture again, and develop it at once.' })
    for (const area of hide) blacken(pixels, area)
    if (as === 'rgba') return toRgba(pixels)
    const png = await encodePng(pixels)
    this.#paper = pixels.words
    return png
  }

  #take(id: string): Pixels | undefined {
    const kept = this.#waiting.get(id)
    clearTimeout(kept?.timer)
    this.#waiting.delete(id)
    return kept?.pixels
  }
}
