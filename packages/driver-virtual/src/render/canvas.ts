import { intersect, type Point, type Rect } from '@deskhand/core/model'
import { SHADOW } from '../metrics.ts'
import type { Theme } from './theme.ts'

/** RGBA pixels of a part of the desktop; everything is drawn in desktop coordinates and clipped. Colours are 0xrrggbb. */
export class Canvas {
  readonly pixels: Uint8Array<ArrayBuffer>
  readonly theme: Theme
  readonly #words: Uint32Array
  readonly #width: number
  readonly #area: Rect

  constructor(width: number, height: number, origin: Point, theme: Theme) {
    this.theme = theme
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

  /** A filled rectangle with round corners. */
  round(rect: Rect, radius: number, colour: number, clip: Rect = this.#area): void {
    const { x, y, w, h } = rect
    const r = Math.min(radius, w / 2, h / 2)
    this.fill({ x: x + r, y, w: w - 2 * r, h }, colour, clip)
    this.fill({ x, y: y + r, w: r, h: h - 2 * r }, colour, clip)
    this.fill({ x: x + w - r, y: y + r, w: r, h: h - 2 * r }, colour, clip)
    this.#corners(rect, r, colour, clip, (distance) => inside(r - distance))
  }

  /** The outline of a rectangle with round corners, `width` pixels inwards. */
  outline(rect: Rect, radius: number, width: number, colour: number, clip: Rect = this.#area): void {
    const { x, y, w, h } = rect
    const r = Math.min(radius, w / 2, h / 2)
    this.fill({ x: x + r, y, w: w - 2 * r, h: width }, colour, clip)
    this.fill({ x: x + r, y: y + h - width, w: w - 2 * r, h: width }, colour, clip)
    this.fill({ x, y: y + r, w: width, h: h - 2 * r }, colour, clip)
    this.fill({ x: x + w - width, y: y + r, w: width, h: h - 2 * r }, colour, clip)
    this.#corners(rect, r, colour, clip, (distance) => inside(r - distance) - inside(r - width - distance))
  }

  disc({ x, y }: Point, radius: number, colour: number, clip: Rect): void {
    this.round({ x: x - radius, y: y - radius, w: 2 * radius, h: 2 * radius }, radius, colour, clip)
  }

  /** A line through these points, `width` pixels thick, with round ends. */
  stroke(points: readonly Point[], width: number, colour: number, clip: Rect): void {
    const [xs, ys] = [points.map((p) => p.x), points.map((p) => p.y)]
    const box = { x: Math.floor(Math.min(...xs) - width), y: Math.floor(Math.min(...ys) - width), w: 0, h: 0 }
    box.w = Math.ceil(Math.max(...xs) + width) - box.x
    box.h = Math.ceil(Math.max(...ys) + width) - box.y
    this.#cover(box, colour, clip, (x, y) => inside(width / 2 - distanceTo(points, x, y)))
  }

  /** An open arrow around a point. */
  chevron(to: 'down' | 'right', { x, y }: Point, colour: number, clip: Rect): void {
    const turned = (along: number, across: number): Point =>
      to === 'down' ? { x: x + across, y: y + along } : { x: x + along, y: y + across }
    this.stroke([turned(-2, -4), turned(2, 0), turned(-2, 4)], 1.6, colour, clip)
  }

  /** The shadow around something that lies above the rest; what lies on it is drawn afterwards. */
  shadow(rect: Rect, radius: number, clip: Rect = this.#area): void {
    const { reach, down } = SHADOW
    const solid = { x: rect.x + radius, y: rect.y + radius + down, w: rect.w - 2 * radius, h: rect.h - 2 * radius }
    const strength = this.theme.shadow / 255
    const faint = (x: number, y: number): number => {
      const far = Math.hypot(beyond(x, solid.x, solid.w), beyond(y, solid.y, solid.h)) - radius
      const near = Math.max(0, 1 - Math.max(0, far) / reach)
      return strength * near * near
    }
    const [left, top, right, bottom] = [rect.x - reach, rect.y - reach + down, rect.x + rect.w, rect.y + rect.h]
    const wide = rect.w + 2 * reach
    this.#cover({ x: left, y: top, w: wide, h: rect.y + radius - top }, 0, clip, faint)
    this.#cover({ x: left, y: rect.y + radius, w: reach, h: rect.h - 2 * radius }, 0, clip, faint)
    this.#cover({ x: right, y: rect.y + radius, w: reach, h: rect.h - 2 * radius }, 0, clip, faint)
    this.#cover({ x: left, y: bottom - radius, w: wide, h: radius + reach + down }, 0, clip, faint)
  }

  /** Lays a colour over a block of coverage values (0..255), `width` to a row. */
  blend(x: number, y: number, width: number, coverage: Uint8Array, colour: number, clip: Rect): void {
    const part = this.#part({ x, y, w: width, h: coverage.length / width }, clip)
    if (!part) return
    for (let py = part.top; py < part.bottom; py++) {
      const row = (py + this.#area.y - y) * width
      for (let px = part.left; px < part.right; px++) this.#mix(px, py, coverage[row + px + this.#area.x - x] ?? 0, colour)
    }
  }

  /** Each corner of a rectangle, with how far a pixel's middle is from the middle of its circle. */
  #corners({ x, y, w, h }: Rect, r: number, colour: number, clip: Rect, cover: (distance: number) => number): void {
    for (const [left, middleX] of [
      [x, x + r],
      [x + w - r, x + w - r],
    ] as const)
      for (const [top, middleY] of [
        [y, y + r],
        [y + h - r, y + h - r],
      ] as const)
        this.#cover({ x: left, y: top, w: r, h: r }, colour, clip, (px, py) => cover(Math.hypot(px - middleX, py - middleY)))
  }

  /** Lays a colour over an area, as much of it (0..1) as `share` says for the middle of each pixel. */
  #cover(area: Rect, colour: number, clip: Rect, share: (x: number, y: number) => number): void {
    const part = this.#part(area, clip)
    if (!part) return
    for (let py = part.top; py < part.bottom; py++)
      for (let px = part.left; px < part.right; px++)
        this.#mix(px, py, Math.round(255 * share(px + this.#area.x + 0.5, py + this.#area.y + 0.5)), colour)
  }

  #mix(px: number, py: number, alpha: number, colour: number): void {
    if (alpha === 0) return
    const at = (py * this.#width + px) * 4
    this.pixels[at] = mix(this.pixels[at] ?? 0, colour >> 16, alpha)
    this.pixels[at + 1] = mix(this.pixels[at + 1] ?? 0, (colour >> 8) & 0xff, alpha)
    this.pixels[at + 2] = mix(this.pixels[at + 2] ?? 0, colour & 0xff, alpha)
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

/** How much of a pixel lies inside an edge that runs this far from its middle. */
const inside = (by: number): number => Math.min(1, Math.max(0, by + 0.5))

/** How far a coordinate lies outside of a span. */
const beyond = (at: number, from: number, length: number): number => Math.max(from - at, 0, at - from - length)

function distanceTo(points: readonly Point[], x: number, y: number): number {
  let nearest = Infinity
  for (let i = 1; i < points.length; i++) {
    const [a, b] = [points[i - 1], points[i]]
    if (a === undefined || b === undefined) continue
    const [dx, dy] = [b.x - a.x, b.y - a.y]
    const along = Math.min(1, Math.max(0, ((x - a.x) * dx + (y - a.y) * dy) / (dx * dx + dy * dy)))
    nearest = Math.min(nearest, Math.hypot(x - a.x - along * dx, y - a.y - along * dy))
  }
  return nearest
}

/** In memory order, on a little-endian machine. */
const toWord = (c: number): number => (0xff000000 | ((c & 0xff) << 16) | (c & 0xff00) | (c >> 16)) >>> 0
