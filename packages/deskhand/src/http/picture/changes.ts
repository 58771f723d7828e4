import type { Rect } from '@deskhand/core/model'

/** Rows of the screen that were higher or lower before. */
export interface Move {
  to: Rect
  fromY: number
}

/** What a new picture changed: first the moves, in this order, then what is in no other place of the old one. */
export interface Changes {
  moves: readonly Move[]
  areas: readonly Rect[]
}

/** Where pixels lie: the first of them, and how many there are between two rows. */
export interface Grid {
  pixels: Uint32Array
  from: number
  stride: number
}

/** Less than this is encoded sooner than it is searched. */
const LEAST_PIXELS = 16 * 1_024
/** Fewer rows in a row are no move. */
const LEAST_ROWS = 16
/** So many rows that occur once in each picture have to agree on how far they moved, before anything is compared. */
const LEAST_VOTES = 4
/** Pixels of each picture that are looked at to find out how far rows moved. */
const MOST_SAMPLES = 256 * 1_024

/** Compares a new picture with the old one, both w × h. What is told as moved is equal pixel by pixel, so that nothing hidden in one of them moves into the other. */
export function changesBetween(was: Grid, is: Grid, w: number, h: number): Changes {
  const box = differing(was, is, { x: 0, y: 0, w, h })
  if (box === undefined) return { moves: [], areas: [] }
  const by = box.w * box.h < LEAST_PIXELS ? 0 : distance(was, is, box)
  const runs = by === 0 ? [] : runsOf(was, is, box, by)
  const areas = gaps(box, runs).flatMap((gap) => differing(was, is, gap) ?? [])
  // No move takes its rows from where an earlier one put its own.
  if (by > 0) runs.reverse()
  return { moves: runs.map((to) => ({ to, fromY: to.y - by })), areas }
}

/** The smallest rectangle of an area in which the two differ. */
function differing(was: Grid, is: Grid, { x, y, w, h }: Rect): Rect | undefined {
  let [top, bottom] = [y, y + h]
  while (top < bottom && isSame(was, top, is, top, x, w)) top++
  if (top === bottom) return undefined
  while (isSame(was, bottom - 1, is, bottom - 1, x, w)) bottom--
  let [left, right] = [x + w, x]
  for (let row = top; row < bottom; row++) {
    const [a, b] = [was.from + row * was.stride, is.from + row * is.stride]
    for (let at = x; at < left; at++) if (was.pixels[a + at] !== is.pixels[b + at]) left = at
    for (let at = x + w - 1; at >= right; at--) if (was.pixels[a + at] !== is.pixels[b + at]) right = at + 1
  }
  return { x: left, y: top, w: right - left, h: bottom - top }
}

function isSame(a: Grid, rowA: number, b: Grid, rowB: number, x: number, w: number): boolean {
  const [one, other] = [bytesOf(a.pixels, a.from + rowA * a.stride + x, w), bytesOf(b.pixels, b.from + rowB * b.stride + x, w)]
  return one.equals(other)
}

const bytesOf = ({ buffer, byteOffset }: Uint32Array, at: number, count: number): Buffer =>
  Buffer.from(buffer, byteOffset + at * 4, count * 4)

/** How far down most rows went that occur once in each picture; 0 where too few agree. */
function distance(was: Grid, is: Grid, box: Rect): number {
  const step = Math.ceil((box.w * box.h) / MOST_SAMPLES)
  const [before, after] = [uniqueRows(was, box, step), uniqueRows(is, box, step)]
  const votes = new Map<number, number>()
  let best = 0
  for (const [sum, row] of after) {
    const by = row - (before.get(sum) ?? row)
    if (by === 0) continue
    const count = (votes.get(by) ?? 0) + 1
    votes.set(by, count)
    if (count > (votes.get(best) ?? LEAST_VOTES - 1)) best = by
  }
  return best
}

/** The rows of an area by what every so many of their pixels add up to; those that are like others are left out. */
function uniqueRows({ pixels, from, stride }: Grid, { x, y, w, h }: Rect, step: number): Map<number, number> {
  const rows = new Map<number, number>()
  const repeated: number[] = []
  for (let row = y; row < y + h; row++) {
    let sum = 0
    for (let at = from + row * stride + x, end = at + w; at < end; at += step) sum = (Math.imul(sum, 31) + (pixels[at] ?? 0)) | 0
    if (rows.has(sum)) repeated.push(sum)
    else rows.set(sum, row)
  }
  for (const sum of repeated) rows.delete(sum)
  return rows
}

/** Rows of an area that lay so far above (below, where negative) in it before, as rectangles. */
function runsOf(was: Grid, is: Grid, { x, y, w, h }: Rect, by: number): Rect[] {
  const runs: Rect[] = []
  const [first, last] = [Math.max(y, y + by), Math.min(y + h, y + h + by)]
  for (let top = first; top < last; top++) {
    const begun = top
    while (top < last && isSame(is, top, was, top - by, x, w)) top++
    if (top - begun >= LEAST_ROWS) runs.push({ x, y: begun, w, h: top - begun })
  }
  return runs
}

/** What lies between these rows of an area. */
function gaps({ x, y, w, h }: Rect, runs: readonly Rect[]): Rect[] {
  const ends = [y, ...runs.map((run) => run.y + run.h)]
  return ends.map((top, i) => ({ x, y: top, w, h: (runs[i]?.y ?? y + h) - top })).filter((gap) => gap.h > 0)
}
