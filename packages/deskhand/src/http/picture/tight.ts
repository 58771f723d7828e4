import type { Rect } from '@deskhand/core/model'
import type { Framebuffer } from './framebuffer.ts'
import { packed, SHORT, stored } from './pack.ts'

const TIGHT = 7
/** The widest rectangle that Tight allows, and a size at which few colours are likely. */
const WIDEST = 2_048
const TILE_PIXELS = 128 * 1_024
const MOST_COLOURS = 256
/** Shorter data is sent as it is, without its length. */
const SHORTEST = 12
/** Every rectangle begins its stream anew, so that all viewers can be sent the same bytes. */
const RESET = 0x01
const FILL = 0x80
const FILTER = 0x40
const PALETTE = 1

/** Rectangles of an update in the Tight encoding: one colour, a palette, or colours as they are, whichever is shortest. */
export async function encodeTight(screen: Framebuffer, area: Rect): Promise<Buffer[]> {
  const rects = await Promise.all(tilesOf(area).map((tile) => encodeTile(screen, tile)))
  return rects
}

function tilesOf({ x, y, w, h }: Rect): Rect[] {
  const tiles: Rect[] = []
  for (let left = 0; left < w; left += WIDEST) {
    const width = Math.min(WIDEST, w - left)
    const height = Math.max(1, Math.floor(TILE_PIXELS / width))
    for (let top = 0; top < h; top += height) tiles.push({ x: x + left, y: y + top, w: width, h: Math.min(height, h - top) })
  }
  return tiles
}

async function encodeTile(screen: Framebuffer, tile: Rect): Promise<Buffer> {
  const head = rectHead(tile, TIGHT)
  const colours = coloursOf(screen, tile)
  if (colours?.size === 1) {
    const [[colour = 0] = []] = colours
    return Buffer.concat([head, Buffer.from([FILL]), rgb(colour)])
  }
  if (colours === undefined) {
    const [length, data] = await compressed(plain(screen, tile))
    return Buffer.concat([head, Buffer.from([RESET]), length, data])
  }
  const [length, data] = await compressed(colours.size === 2 ? bits(screen, tile, colours) : indices(screen, tile, colours))
  const palette = Buffer.concat([...colours.keys()].map(rgb))
  return Buffer.concat([head, Buffer.from([RESET | FILTER, PALETTE, colours.size - 1]), palette, length, data])
}

/** Where a rectangle lies, and how it is encoded. */
export function rectHead({ x, y, w, h }: Rect, encoding: number): Buffer {
  const head = Buffer.alloc(12)
  head.writeUInt16BE(x, 0)
  head.writeUInt16BE(y, 2)
  head.writeUInt16BE(w, 4)
  head.writeUInt16BE(h, 6)
  head.writeInt32BE(encoding, 8)
  return head
}

const RGB = 0xffffff
const rgb = (colour: number): Buffer => Buffer.from([colour & 0xff, (colour >> 8) & 0xff, (colour >> 16) & 0xff])

/** Each colour with its number; undefined where there are too many. */
function coloursOf({ pixels, width }: Framebuffer, { x, y, w, h }: Rect): Map<number, number> | undefined {
  const found = new Map<number, number>()
  let last = -1
  for (let row = y; row < y + h; row++) {
    for (let at = row * width + x, end = at + w; at < end; at++) {
      const colour = (pixels[at] ?? 0) & RGB
      if (colour === last) continue
      last = colour
      if (found.has(colour)) continue
      if (found.size === MOST_COLOURS) return undefined
      found.set(colour, found.size)
    }
  }
  return found
}

function indices({ pixels, width }: Framebuffer, { x, y, w, h }: Rect, colours: Map<number, number>): Buffer {
  const out = Buffer.allocUnsafe(w * h)
  let to = 0
  let last = -1
  let index = 0
  for (let row = y; row < y + h; row++) {
    for (let at = row * width + x, end = at + w; at < end; at++) {
      const colour = (pixels[at] ?? 0) & RGB
      if (colour !== last) index = colours.get((last = colour)) ?? 0
      out[to++] = index
    }
  }
  return out
}

/** One bit for each pixel, rows filled up to whole bytes. */
function bits({ pixels, width }: Framebuffer, { x, y, w, h }: Rect, colours: Map<number, number>): Buffer {
  const stride = (w + 7) >> 3
  const out = Buffer.alloc(stride * h)
  const [first] = colours.keys()
  for (let row = 0; row < h; row++) {
    const from = (y + row) * width + x
    for (let i = 0; i < w; i++) if (((pixels[from + i] ?? 0) & RGB) !== first) out[row * stride + (i >> 3)]! |= 0x80 >> (i & 7)
  }
  return out
}

function plain({ pixels, width }: Framebuffer, { x, y, w, h }: Rect): Buffer {
  const out = Buffer.allocUnsafe(w * h * 3)
  let to = 0
  for (let row = y; row < y + h; row++) {
    for (let at = row * width + x, end = at + w; at < end; at++) {
      const colour = pixels[at] ?? 0
      out[to++] = colour & 0xff
      out[to++] = (colour >> 8) & 0xff
      out[to++] = (colour >> 16) & 0xff
    }
  }
  return out
}

/** The data and its length before it, in groups of seven bits. */
async function compressed(data: Buffer): Promise<[length: Buffer, data: Buffer]> {
  if (data.length < SHORTEST) return [Buffer.alloc(0), data]
  const sent = data.length <= SHORT ? stored(data) : await packed(data)
  const { length: n } = sent
  const size = n < 0x80 ? [n] : n < 0x4000 ? [(n & 0x7f) | 0x80, n >> 7] : [(n & 0x7f) | 0x80, ((n >> 7) & 0x7f) | 0x80, n >> 14]
  return [Buffer.from(size), sent]
}
