import { readOutlines, type Outline } from './outlines.ts'
import { Reader } from './reader.ts'
import { normalise, shiftOf } from './variations.ts'
import { readWoff2 } from './woff2.ts'

/** Curves of one character in parts of the em, y upwards. */
export interface Glyph {
  xs: number[]
  ys: number[]
  on: boolean[]
  ends: number[]
  advance: number
}

/** One file of a font that is split by characters. */
export interface Slice {
  glyph(codePoint: number): Glyph | undefined
}

export function openSlice(file: Uint8Array, weight: number): Slice {
  const tables = readWoff2(file)
  const table = (tag: string): Uint8Array => tables.get(tag) ?? new Uint8Array()
  const outlines = readOutlines(table('glyf'))
  const em = new Reader(table('head'), 18).u16() || 1000
  const longMetrics = new Reader(table('hhea'), 34).u16()
  const characters = readCmap(table('cmap'))
  const gvar = tables.get('gvar')
  const position = tables.has('fvar') ? normalise(table('fvar'), tables.get('avar'), weight) : 0
  const cache = new Map<number, Glyph>()

  const build = (index: number, depth: number): Glyph => {
    const outline: Outline = outlines[index] ?? { xs: [], ys: [], on: [], ends: [], parts: [] }
    const shift = gvar && shiftOf(gvar, index, outline, position)
    const advance = new Reader(table('hmtx'), Math.min(index, longMetrics - 1) * 4).u16() + (shift?.advance ?? 0)
    const out: Glyph = { xs: [], ys: [], on: [], ends: [], advance: advance / em }
    if (!outline.parts.length) {
      out.xs = outline.xs.map((x, i) => (x + (shift?.dx[i] ?? 0)) / em)
      out.ys = outline.ys.map((y, i) => (y + (shift?.dy[i] ?? 0)) / em)
      return { ...out, on: outline.on, ends: outline.ends }
    }
    if (depth > 5) return out
    outline.parts.forEach((part, i) =>
      add(out, build(part.glyph, depth + 1), (part.dx + (shift?.dx[i] ?? 0)) / em, (part.dy + (shift?.dy[i] ?? 0)) / em),
    )
    return out
  }

  return {
    glyph(codePoint) {
      const index = characters.get(codePoint)
      if (!index) return undefined
      let glyph = cache.get(index)
      if (!glyph) cache.set(index, (glyph = build(index, 0)))
      return glyph
    },
  }
}

function add(to: Glyph, part: Glyph, dx: number, dy: number): void {
  const base = to.xs.length
  part.xs.forEach((x, i) => {
    to.xs.push(x + dx)
    to.ys.push((part.ys[i] ?? 0) + dy)
    to.on.push(part.on[i] ?? true)
  })
  for (const end of part.ends) to.ends.push(base + end)
}

/** Which glyph each character has: the Unicode tables of format 4 and 12. */
function readCmap(cmap: Uint8Array): Map<number, number> {
  const out = new Map<number, number>()
  const head = new Reader(cmap, 2)
  for (let left = head.u16(); left > 0; left--) {
    head.skip(4)
    const at = head.u32()
    const format = new Reader(cmap, at).u16()
    if (format === 4) readFormat4(cmap, at, out)
    if (format === 12) readFormat12(cmap, at, out)
  }
  return out
}

function readFormat4(cmap: Uint8Array, at: number, out: Map<number, number>): void {
  const segments = new Reader(cmap, at + 6).u16() / 2
  const field = (block: number, i: number): number => new Reader(cmap, at + 14 + block * segments * 2 + (block > 0 ? 2 : 0) + i * 2).u16()
  for (let i = 0; i < segments; i++) {
    const [end, start, delta, offset] = [field(0, i), field(1, i), field(2, i), field(3, i)]
    for (let code = start; code <= end && code < 0xffff; code++) {
      const place = at + 16 + 3 * segments * 2 + i * 2 + offset + (code - start) * 2
      const raw = offset === 0 ? code : new Reader(cmap, place).u16()
      const glyph = raw === 0 ? 0 : (raw + delta) & 0xffff
      if (glyph) out.set(code, glyph)
    }
  }
}

function readFormat12(cmap: Uint8Array, at: number, out: Map<number, number>): void {
  const r = new Reader(cmap, at + 12)
  for (let groups = r.u32(); groups > 0; groups--) {
    const [start, end, glyph] = [r.u32(), r.u32(), r.u32()]
    for (let code = start; code <= end && code - start < 70_000; code++) out.set(code, glyph + code - start)
  }
}
