import { intersect, union, type Rect } from '@deskhand/core/model'
import { changesBetween, type Changes } from './changes.ts'

/** Areas that are told apart for one viewer. */
const MOST_AREAS = 16

/** The screen as it was last seen, RGBA, masked. Its places are counted from its own corner. */
export class Framebuffer {
  width = 0
  height = 0
  /** Where its corner lies on the desktop. */
  origin = { x: 0, y: 0 }
  pixels = new Uint32Array()
  /** Counts updates: viewers that are behind take turns through the screen together, and are sent the same bytes. */
  version = 0

  get bounds(): Rect {
    return { x: 0, y: 0, w: this.width, h: this.height }
  }

  /** True when the screen has another size than before: everything is new. */
  fit(screen: Rect): boolean {
    this.origin = { x: screen.x, y: screen.y }
    if (screen.w === this.width && screen.h === this.height) return false
    this.width = screen.w
    this.height = screen.h
    this.pixels = new Uint32Array(screen.w * screen.h)
    return true
  }

  /** Draws a part of the desktop; what looks otherwise than before, by its places in the framebuffer. */
  draw({ x, y, w, h }: Rect, bytes: Uint8Array): Changes {
    const [left, top] = [x - this.origin.x, y - this.origin.y]
    const from = top * this.width + left
    const words = new Uint32Array(bytes.buffer, bytes.byteOffset, w * h)
    const { moves, areas } = changesBetween({ pixels: this.pixels, from, stride: this.width }, { pixels: words, from: 0, stride: w }, w, h)
    for (let row = 0; row < h; row++) this.pixels.set(words.subarray(row * w, (row + 1) * w), from + row * this.width)
    const placed = (area: Rect): Rect => ({ ...area, x: area.x + left, y: area.y + top })
    return { moves: moves.map(({ to, fromY }) => ({ to: placed(to), fromY: fromY + top })), areas: areas.map(placed) }
  }
}

/** What a viewer has not seen yet. */
export class Damage {
  #areas: Rect[] = []

  get isEmpty(): boolean {
    return this.#areas.length === 0
  }

  touches(area: Rect): boolean {
    return this.#touching(area) >= 0
  }

  add(area: Rect): void {
    let next = area
    for (let at = this.#touching(next); at >= 0; at = this.#touching(next)) next = union(this.#areas.splice(at, 1)[0] ?? next, next)
    this.#areas.push(next)
    if (this.#areas.length > MOST_AREAS) this.#areas = [this.#areas.reduce(union)]
  }

  /** What of it lies within the screen, the smallest areas first, up to so many pixels; the rest stays. Of an area that is too large, other rows each turn. */
  take(screen: Rect, most = Infinity, turn = 0): Rect[] {
    const areas = this.#areas.flatMap((area) => intersect(area, screen) ?? []).sort((a, b) => a.w * a.h - b.w * b.h)
    const taken: Rect[] = []
    let left = most
    while (areas[0] !== undefined && areas[0].w * areas[0].h <= left) {
      const area = areas.shift() ?? areas[0]
      left -= area.w * area.h
      taken.push(area)
    }
    const [large] = areas
    if (taken.length === 0 && large !== undefined) {
      const [band, ...rest] = bandOf(large, most, turn)
      taken.push(band)
      areas.splice(0, 1, ...rest)
    }
    this.#areas = areas
    return taken
  }

  #touching(area: Rect): number {
    return this.#areas.findIndex((one) => intersect(one, area) !== undefined)
  }
}

/** Rows of an area, others each turn, so that none waits for ever where all of it changes without end; and what is left above and below. */
function bandOf({ x, y, w, h }: Rect, most: number, turn: number): [band: Rect, ...rest: Rect[]] {
  const rows = Math.max(1, Math.floor(most / w))
  const top = (turn % Math.ceil(h / rows)) * rows
  const band = { x, y: y + top, w, h: Math.min(rows, h - top) }
  const rest = [
    { x, y, w, h: top },
    { x, y: band.y + band.h, w, h: h - top - band.h },
  ]
  return [band, ...rest.filter((area) => area.h > 0)]
}
