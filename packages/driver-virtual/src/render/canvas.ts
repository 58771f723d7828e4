import { intersect, type Point, type Rect } from '@deskhand/core/model'

/** RGBA pixels of a part of the desktop; everything is drawn in desktop coordinates and clipped. Colours are 0xrrggbb. */
export class Canvas {
  readonly pixels: Uint8Array<ArrayBuffer>
  readonly #words: Uint32Array
  readonly #width: number
  readonly #area: Rect

  constructor(width: number, height: number, origin: Point) {
    this.#width = width
    this.#area = { ...origin, w: width, h: height }
    const buffer = new ArrayBuffer(width * height * 4)
    this.#words = new Uint32Array(buffer)
    this.pixels = new Uint8Array(buffer)
  }

  fill(rect: Rect, colour: number, clip: Rect = this.#area): void {
    const part = this.#part(rect, clip)
    if (!part) return
    const word = toWord(colour)
    for (let y = part.top; y < part.bottom; y++) this.#words.fill(word, y * this.#width + part.left, y * this.#width + part.right)
  }

  frame(rect: Rect, colour: number, clip: Rect = this.#area): void {
    const { x, y, w, h } = rect
    this.fill({ x, y, w, h: 1 }, colour, clip)
    this.fill({ x, y: y + h - 1, w, h: 1 }, colour, clip)
    this.fill({ x, y, w: 1, h }, colour, clip)
    this.fill({ x: x + w - 1, y, w: 1, h }, colour, clip)
  }

  /** A small triangle around a point. */
  arrow(to: 'down' | 'right', x: number, y: number, colour: number, clip: Rect): void {
    for (let i = 0; i < 5; i++) {
      const [from, length] = [i - 4, 9 - 2 * i]
      this.fill(
        to === 'down' ? { x: x + from, y: y - 2 + i, w: length, h: 1 } : { x: x - 2 + i, y: y + from, w: 1, h: length },
        colour,
        clip,
      )
    }
  }

  disc(middle: Point, radius: number, colour: number, clip: Rect): void {
    for (let y = -radius; y < radius; y++) {
      const half = Math.round(Math.sqrt(radius * radius - (y + 0.5) * (y + 0.5)))
      this.fill({ x: middle.x - half, y: middle.y + y, w: 2 * half, h: 1 }, colour, clip)
    }
  }

  /** Lays a colour over a block of coverage values (0..255), `width` to a row. */
  blend(x: number, y: number, width: number, coverage: Uint8Array, colour: number, clip: Rect): void {
    const part = this.#part({ x, y, w: width, h: coverage.length / width }, clip)
    if (!part) return
    const [r, g, b] = [colour >> 16, (colour >> 8) & 0xff, colour & 0xff]
    for (let py = part.top; py < part.bottom; py++) {
      const row = (py + this.#area.y - y) * width
      for (let px = part.left; px < part.right; px++) {
        const alpha = coverage[row + px + this.#area.x - x] ?? 0
        if (alpha === 0) continue
        const at = (py * this.#width + px) * 4
        this.pixels[at] = mix(this.pixels[at] ?? 0, r, alpha)
        this.pixels[at + 1] = mix(this.pixels[at + 1] ?? 0, g, alpha)
        this.pixels[at + 2] = mix(this.pixels[at + 2] ?? 0, b, alpha)
      }
    }
  }

  #part(rect: Rect, clip: Rect): { left: number; top: number; right: number; bottom: number } | undefined {
    const seen = intersect(rect, clip)
    const part = seen && intersect(seen, this.#area)
    if (!part) return undefined
    const left = Math.round(part.x - this.#area.x)
    const top = Math.round(part.y - this.#area.y)
    return { left, top, right: Math.round(part.x + part.w - this.#area.x), bottom: Math.round(part.y + part.h - this.#area.y) }
  }
}

const mix = (under: number, over: number, alpha: number): number => under + Math.round(((over - under) * alpha) / 255)

/** In memory order, on a little-endian machine. */
const toWord = (c: number): number => (0xff000000 | ((c & 0xff) << 16) | (c & 0xff00) | (c >> 16)) >>> 0
