import type { Outline } from './outlines.ts'
import { Reader } from './reader.ts'

/** How far along a one-axis font's design space a weight lies, after `avar` has bent it. */
export function normalise(fvar: Uint8Array, avar: Uint8Array | undefined, weight: number): number {
  const r = new Reader(fvar, 4)
  r.at = r.u16() + 4
  const [min, standard, max] = [r.u32() / 65536, r.u32() / 65536, r.u32() / 65536]
  const clamped = Math.max(min, Math.min(max, weight))
  const position = clamped < standard ? (clamped - standard) / (standard - min) : (clamped - standard) / (max - standard || 1)
  return avar ? bend(avar, position) : position
}

function bend(avar: Uint8Array, position: number): number {
  const r = new Reader(avar, 8)
  const count = r.u16()
  let [fromX, fromY] = [-1, -1]
  for (let i = 0; i < count; i++) {
    const [x, y] = [r.f2dot14(), r.f2dot14()]
    if (position <= x) return x === fromX ? y : fromY + ((position - fromX) / (x - fromX)) * (y - fromY)
    fromX = x
    fromY = y
  }
  return position
}

/** What a glyph's variation adds: to every point, and to its advance. */
export interface Shift {
  dx: Float64Array
  dy: Float64Array
  advance: number
}

/** Reads `gvar` for one glyph of a one-axis font at a position; undefined when the glyph does not vary. */
export function shiftOf(gvar: Uint8Array, glyph: number, outline: Outline, position: number): Shift | undefined {
  const head = new Reader(gvar, 4)
  head.skip(2)
  const sharedCount = head.u16()
  const sharedAt = head.u32()
  const glyphCount = head.u16()
  const long = (head.u16() & 1) === 1
  const dataAt = head.u32()
  if (glyph >= glyphCount) return undefined
  const offsets = new Reader(gvar, 20 + glyph * (long ? 4 : 2))
  const [from, to] = long ? [offsets.u32(), offsets.u32()] : [offsets.u16() * 2, offsets.u16() * 2]
  if (from === to) return undefined
  const shared = Array.from({ length: sharedCount }, (_, i) => new Reader(gvar, sharedAt + i * 2).f2dot14())
  return readTuples(gvar, dataAt + from, shared, outline, position)
}

const PHANTOMS = 4

function readTuples(gvar: Uint8Array, start: number, shared: number[], outline: Outline, position: number): Shift {
  const own = outline.parts.length ? outline.parts.length : outline.xs.length
  const total = own + PHANTOMS
  const shift: Shift = { dx: new Float64Array(own), dy: new Float64Array(own), advance: 0 }
  const head = new Reader(gvar, start)
  const count = head.u16()
  const data = new Reader(gvar, start + head.u16())
  const common = count & 0x8000 ? readPoints(data, total) : undefined
  for (let t = 0; t < (count & 0xfff); t++) {
    const size = head.u16()
    const index = head.u16()
    const peak = index & 0x8000 ? head.f2dot14() : (shared[index & 0xfff] ?? 0)
    const [low, high] = index & 0x4000 ? [head.f2dot14(), head.f2dot14()] : [Math.min(0, peak), Math.max(0, peak)]
    const next = data.at + size
    const scale = strength(position, low, peak, high)
    if (scale !== 0) {
      const points = index & 0x2000 ? readPoints(data, total) : common
      const chosen = points ?? Array.from({ length: total }, (_, i) => i)
      const xs = readDeltas(data, chosen.length)
      const ys = readDeltas(data, chosen.length)
      apply(shift, outline, chosen, xs, ys, scale, own)
    }
    data.at = next
  }
  return shift
}

function strength(at: number, low: number, peak: number, high: number): number {
  if (peak === 0 || at === peak) return 1
  if (at <= low || at >= high) return 0
  return at < peak ? (at - low) / (peak - low) : (high - at) / (high - peak)
}

function apply(shift: Shift, outline: Outline, points: number[], xs: number[], ys: number[], scale: number, own: number): void {
  const dx = new Map<number, number>()
  const dy = new Map<number, number>()
  points.forEach((p, i) => {
    dx.set(p, xs[i] ?? 0)
    dy.set(p, ys[i] ?? 0)
  })
  shift.advance += ((dx.get(own + 1) ?? 0) - (dx.get(own) ?? 0)) * scale
  if (outline.parts.length) {
    for (let i = 0; i < own; i++) {
      shift.dx[i] = (shift.dx[i] ?? 0) + (dx.get(i) ?? 0) * scale
      shift.dy[i] = (shift.dy[i] ?? 0) + (dy.get(i) ?? 0) * scale
    }
    return
  }
  let start = 0
  for (const end of outline.ends) {
    infer(outline.xs, dx, start, end, shift.dx, scale)
    infer(outline.ys, dy, start, end, shift.dy, scale)
    start = end + 1
  }
}

/** Points that a variation leaves out move with their neighbours in the contour. */
function infer(at: number[], deltas: Map<number, number>, start: number, end: number, out: Float64Array, scale: number): void {
  const known: number[] = []
  for (let i = start; i <= end; i++) if (deltas.has(i)) known.push(i)
  if (!known.length) return
  for (let i = start; i <= end; i++) {
    const delta = deltas.get(i) ?? between(i, at, deltas, known)
    out[i] = (out[i] ?? 0) + delta * scale
  }
}

function between(i: number, at: number[], deltas: Map<number, number>, known: number[]): number {
  const after = known.find((k) => k > i) ?? known[0] ?? i
  const before = known.findLast((k) => k < i) ?? known.at(-1) ?? i
  const [a, b] = [at[before] ?? 0, at[after] ?? 0]
  const [da, db] = [deltas.get(before) ?? 0, deltas.get(after) ?? 0]
  const value = at[i] ?? 0
  if (a === b) return da === db ? da : 0
  const [low, high, dLow, dHigh] = a < b ? [a, b, da, db] : [b, a, db, da]
  if (value <= low) return dLow
  if (value >= high) return dHigh
  return dLow + ((value - low) / (high - low)) * (dHigh - dLow)
}

/** Undefined stands for every point. */
function readPoints(r: Reader, total: number): number[] | undefined {
  const first = r.u8()
  const count = first & 0x80 ? ((first & 0x7f) << 8) | r.u8() : first
  if (count === 0) return undefined
  const points: number[] = []
  let at = 0
  while (points.length < Math.min(count, total)) {
    const control = r.u8()
    for (let run = (control & 0x7f) + 1; run > 0 && points.length < count; run--) points.push((at += control & 0x80 ? r.u16() : r.u8()))
  }
  return points
}

function readDeltas(r: Reader, count: number): number[] {
  const deltas: number[] = []
  while (deltas.length < count) {
    const control = r.u8()
    for (let run = (control & 0x3f) + 1; run > 0 && deltas.length < count; run--)
      deltas.push(control & 0x80 ? 0 : control & 0x40 ? r.i16() : r.i8())
  }
  return deltas
}
