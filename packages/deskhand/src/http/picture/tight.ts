import type { Rect } from '@deskhand/core/model'
import type { Framebuffer } from './framebuffer.ts'
import { packed, SHORT, stored } from './pack.ts'
import { rectHead } from './rects.ts'

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

/** Rectangles of an update, and which of them have fewer colours than the screen. */
export interface Encoded {
  rects: Buffer[]
  coarse: Rect[]
}

/**
 * Rectangles of an update in the Tight encoding: one colour, a palette, or colours as they are, whichever is shortest. Where there are more
 * colours than a palette has, each is told in `bits` bits of red, green and blue.
 */
export async function encodeTight(screen: Framebuffer, area: Rect, bits = 8): Promise<Encoded> {
  const tiles = await Promise.all(tilesOf(area).map(async (tile) => ({ tile, ...(await encodeTile(screen, tile, bits)) })))
  return { rects: tiles.map((t) => t.rect), coarse: tiles.flatMap((t) => (t.isCoarse ? t.tile : [])) }
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

async function encodeTile(screen: Framebuffer, tile: Rect, depth: number): Promise<{ rect: Buffer; isCoarse: boolean }> {
  const head = rectHead(tile, TIGHT)
  let seen = view(screen, tile)
  let colours = coloursOf(seen)
  const isCoarse = colours === undefined && depth < 8
  if (isCoarse) colours = coloursOf((seen = coarser(seen, depth)))
  if (colours?.size === 1) {
    const [[colour = 0] = []] = colours
    return { rect: Buffer.concat([head, Buffer.from([FILL]), rgb(colour)]), isCoarse }
  }
  if (colours === undefined) {
    const [length, data] = await compressed(plain(seen))
    return { rect: Buffer.concat([head, Buffer.from([RESET]), length, data]), isCoarse }
  }
  const [length, data] = await compressed(colours.size === 2 ? bits(seen, colours) : indices(seen, colours))
  const palette = Buffer.concat([...colours.keys()].map(rgb))
  const rect = Buffer.concat([head, Buffer.from([RESET | FILTER, PALETTE, colours.size - 1]), palette, length, data])
  return { rect, isCoarse }
}

/** A rectangle of pixels: where its first one is, and how many lie between two rows. */
interface View {
  pixels: Uint32Array
  from: number
  stride: number
  w: number
  h: number
}

const view = ({ pixels, width }: Framebuffer, { x, y, w, h }: Rect): View => ({ pixels, from: y * width + x, stride: width, w, h })

/** The same with so many bits of each colour, the highest repeated below them: black stays black, and white white. */
function coarser({ pixels, from, stride, w, h }: View, depth: number): View {
  const out = new Uint32Array(w * h)
  const high = ((0xff << (8 - depth)) & 0xff) * 0x010101
  const low = (0xff >> depth) * 0x010101
  let to = 0
  for (let row = 0; row < h; row++) {
    for (let at = from + row * stride, end = at + w; at < end; at++) {
      const kept = (pixels[at] ?? 0) & high
      out[to++] = kept | ((kept >> depth) & low)
    }
  }
  return { pixels: out, from: 0, stride: w, w, h }
}

const RGB = 0xffffff
const rgb = (colour: number): Buffer => Buffer.from([colour & 0xff, (colour >> 8) & 0xff, (colour >> 16) & 0xff])

/** Each colour with its number; undefined where there are too many. */
function coloursOf({ pixels, from, stride, w, h }: View): Map<number, number> | undefined {
  const found = new Map<number, number>()
  let last = -1
  for (let row = 0; row < h; row++) {
    for (let at = from + row * stride, end = at + w; at < end; at++) {
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

function indices({ pixels, from, stride, w, h }: View, colours: Map<number, number>): Buffer {
  const out = Buffer.allocUnsafe(w * h)
  let to = 0
  let last = -1
  let index = 0
  for (let row = 0; row < h; row++) {
    for (let at = from + row * stride, end = at + w; at < end; at++) {
      const colour = (pixels[at] ?? 0) & RGB
      if (colour !== last) index = colours.get((last = colour)) ?? 0
      out[to++] = index
    }
  }
  return out
}

/** One bit for each pixel, rows filled up to whole bytes. */
function bits({ pixels, from, stride, w, h }: View, colours: Map<number, number>): Buffer {
  const bytes = (w + 7) >> 3
  const out = Buffer.alloc(bytes * h)
  const [first] = colours.keys()
  for (let row = 0; row < h; row++) {
    const at = from + row * stride
    for (let i = 0; i < w; i++) if (((pixels[at + i] ?? 0) & RGB) !== first) out[row * bytes + (i >> 3)]! |= 0x80 >> (i & 7)
  }
  return out
}

function plain({ pixels, from, stride, w, h }: View): Buffer {
  const out = Buffer.allocUnsafe(w * h * 3)
  let to = 0
  for (let row = 0; row < h; row++) {
    for (let at = from + row * stride, end = at + w; at < end; at++) {
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
