import type { Point } from '@deskhand/core/model'
import type { Picture } from './picture.ts'

/** A picture without structure lies everywhere: the search gives up after so many tries. */
const MOST_TRIES = 200_000

/** Where the needle lies pixel for pixel, top to bottom. Transparent pixels of the needle match anything; alpha of the haystack does not count. */
export function exactPlaces(hay: Picture, needle: Picture, limit: number): Point[] {
  if (needle.width > hay.width || needle.height > hay.height) return []
  const run = busiestRun(needle)
  if (run === undefined) return []
  const found: Point[] = []
  const bytes = Buffer.from(hay.data.buffer, hay.data.byteOffset, hay.data.byteLength)
  const wanted = Buffer.from(needle.data.subarray(run.at * 4, (run.at + run.length) * 4))
  const [runX, runY] = [run.at % needle.width, Math.floor(run.at / needle.width)]
  const last = ((hay.height - needle.height + runY) * hay.width + hay.width) * 4
  let tries = 0
  for (let at = bytes.indexOf(wanted, runY * hay.width * 4); at >= 0 && at < last; at = bytes.indexOf(wanted, at + 1)) {
    if (++tries > MOST_TRIES) break
    if (at % 4 !== 0) continue
    const pixel = at / 4
    const [x, y] = [(pixel % hay.width) - runX, Math.floor(pixel / hay.width) - runY]
    const inside = x >= 0 && y >= 0 && x + needle.width <= hay.width && y + needle.height <= hay.height
    if (!inside || found.some((f) => overlaps(f, { x, y }, needle)) || !isSame(hay, needle, x, y)) continue
    found.push({ x, y })
    if (found.length >= limit) break
  }
  return found
}

/** Whether two places of the same picture lie on each other by more than half of its sides. */
export const overlaps = (a: Point, b: Point, { width, height }: { width: number; height: number }): boolean =>
  Math.abs(a.x - b.x) * 2 < width && Math.abs(a.y - b.y) * 2 < height

interface Run {
  at: number
  length: number
}

/** The opaque part of a row in which the colour changes most often: what is rare is found soonest. */
function busiestRun({ width, height, data }: Picture): Run | undefined {
  let best: Run | undefined
  let most = -1
  for (let y = 0; y < height; y++) {
    let start = -1
    let changes = 0
    for (let x = 0; x <= width; x++) {
      const i = (y * width + x) * 4
      const isOpaque = x < width && data[i + 3] === 255
      if (isOpaque && start < 0) [start, changes] = [x, 0]
      else if (isOpaque && (data[i] !== data[i - 4] || data[i + 1] !== data[i - 3] || data[i + 2] !== data[i - 2])) changes++
      if (isOpaque || start < 0) continue
      if (changes > most) [best, most] = [{ at: y * width + start, length: x - start }, changes]
      start = -1
    }
  }
  return best
}

function isSame(hay: Picture, needle: Picture, x: number, y: number): boolean {
  for (let row = 0; row < needle.height; row++)
    for (let i = row * needle.width * 4, at = ((y + row) * hay.width + x) * 4, end = i + needle.width * 4; i < end; i += 4, at += 4) {
      if (needle.data[i + 3] !== 255) continue
      if (needle.data[i] !== hay.data[at] || needle.data[i + 1] !== hay.data[at + 1] || needle.data[i + 2] !== hay.data[at + 2])
        return false
    }
  return true
}
