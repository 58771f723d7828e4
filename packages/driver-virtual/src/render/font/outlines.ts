import { Reader } from './reader.ts'

/** A glyph's curves: points in font units, the last index of each contour, and which points lie on the curve. */
export interface Outline {
  xs: number[]
  ys: number[]
  on: boolean[]
  ends: number[]
  /** Glyphs that this one is put together from. */
  parts: { glyph: number; dx: number; dy: number }[]
}

const EMPTY: Outline = { xs: [], ys: [], on: [], ends: [], parts: [] }

/** Unpacks the `glyf` table of a WOFF2 file (WOFF2 specification, section 5.1). */
export function readOutlines(glyf: Uint8Array): Outline[] {
  const head = new Reader(glyf, 4)
  const count = head.u16()
  head.skip(2)
  const sizes = Array.from({ length: 7 }, () => head.u32())
  const streams: Reader[] = []
  let at = head.at
  for (const size of sizes) {
    streams.push(new Reader(glyf, at))
    at += size
  }
  const [contours, points, flags, data, composites] = streams
  if (!contours || !points || !flags || !data || !composites) return []
  return Array.from({ length: count }, () => {
    const n = contours.i16()
    if (n === 0) return EMPTY
    return n > 0 ? simple(n, points, flags, data) : composite(composites, data)
  })
}

function simple(contours: number, points: Reader, flags: Reader, data: Reader): Outline {
  const out: Outline = { xs: [], ys: [], on: [], ends: [], parts: [] }
  let total = 0
  for (let i = 0; i < contours; i++) {
    total += short255(points)
    out.ends.push(total - 1)
  }
  let x = 0
  let y = 0
  for (let i = 0; i < total; i++) {
    const flag = flags.u8()
    const [dx, dy] = triplet(flag & 127, data)
    x += dx
    y += dy
    out.xs.push(x)
    out.ys.push(y)
    out.on.push(flag < 128)
  }
  short255(data)
  return out
}

const WORDS = 1
const XY = 2
const SCALE = 8
const MORE = 32
const XY_SCALE = 64
const MATRIX = 128
const INSTRUCTIONS = 256

/** Parts are moved, not scaled: this font does not use more. */
function composite(r: Reader, data: Reader): Outline {
  const parts: Outline['parts'] = []
  let flags: number
  do {
    flags = r.u16()
    const glyph = r.u16()
    const [dx, dy] = flags & WORDS ? [r.i16(), r.i16()] : [r.i8(), r.i8()]
    r.skip(flags & SCALE ? 2 : flags & XY_SCALE ? 4 : flags & MATRIX ? 8 : 0)
    parts.push(flags & XY ? { glyph, dx, dy } : { glyph, dx: 0, dy: 0 })
  } while (flags & MORE)
  if (flags & INSTRUCTIONS) short255(data)
  return { ...EMPTY, parts }
}

function short255(r: Reader): number {
  const code = r.u8()
  if (code === 253) return r.u16()
  if (code === 255) return r.u8() + 253
  if (code === 254) return r.u8() + 506
  return code
}

const signed = (flag: number, n: number): number => (flag & 1 ? n : -n)

function triplet(f: number, r: Reader): [number, number] {
  if (f < 10) return [0, signed(f, ((f & 14) << 7) + r.u8())]
  if (f < 20) return [signed(f, (((f - 10) & 14) << 7) + r.u8()), 0]
  if (f < 84) {
    const b = r.u8()
    return [signed(f, 1 + ((f - 20) & 0x30) + (b >> 4)), signed(f >> 1, 1 + (((f - 20) & 0x0c) << 2) + (b & 15))]
  }
  if (f < 120) {
    const n = f - 84
    return [signed(f, 1 + (Math.floor(n / 12) << 8) + r.u8()), signed(f >> 1, 1 + (((n % 12) >> 2) << 8) + r.u8())]
  }
  if (f < 124) {
    const [a, b, c] = [r.u8(), r.u8(), r.u8()]
    return [signed(f, (a << 4) + (b >> 4)), signed(f >> 1, ((b & 15) << 8) + c)]
  }
  return [signed(f, r.u16()), signed(f >> 1, r.u16())]
}
