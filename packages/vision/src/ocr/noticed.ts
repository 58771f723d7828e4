import { intersect, union, type Rect } from '@deskhand/core/model'
import { cropped, type Picture } from '../image/picture.ts'

/** Finds the lines of text in a picture. */
type Detect = (picture: Picture) => Promise<Rect[]>

/** Pictures that are remembered, the last one of each size. */
const KEEP = 3
/** The side of the squares that are compared. */
const TILE = 32
/** What is looked at again reaches this far beyond what changed, so that a line that grew is noticed whole. */
const MARGIN = { x: 24, y: 12 }
/** Where more than this share of a picture changed, all of it is looked at again. */
const MUCH = 0.6

interface Seen {
  picture: Picture
  lines: readonly Rect[]
}

/** Where lines of text lie in pictures that follow each other: only what changed since the last picture of the same size is looked at again. */
export class Noticed {
  readonly #seen = new Map<string, Seen>()

  async in(picture: Picture, detect: Detect): Promise<readonly Rect[]> {
    const size = `${picture.width}x${picture.height}`
    const before = this.#seen.get(size)
    const lines = before === undefined ? await detect(picture) : await renewed(before, picture, detect)
    this.#seen.delete(size)
    this.#seen.set(size, { picture, lines })
    const [oldest] = this.#seen.keys()
    if (this.#seen.size > KEEP && oldest !== undefined) this.#seen.delete(oldest)
    return lines
  }
}

async function renewed(before: Seen, picture: Picture, detect: Detect): Promise<readonly Rect[]> {
  const whole = { x: 0, y: 0, w: picture.width, h: picture.height }
  const areas: Rect[] = []
  for (const { x, y, w, h } of changed(before.picture, picture)) {
    let area: Rect = { x: x - MARGIN.x, y: y - MARGIN.y, w: w + 2 * MARGIN.x, h: h + 2 * MARGIN.y }
    for (const line of before.lines) if (intersect(line, area)) area = union(area, line)
    for (let at = areas.findIndex((a) => intersect(a, area)); at >= 0; at = areas.findIndex((a) => intersect(a, area)))
      area = union(areas.splice(at, 1)[0] ?? area, area)
    areas.push(area)
  }
  const parts = areas.map((area) => intersect(area, whole)).filter((area) => area !== undefined)
  if (parts.reduce((sum, { w, h }) => sum + w * h, 0) > MUCH * whole.w * whole.h) return detect(picture)
  const kept = before.lines.filter((line) => !parts.some((part) => intersect(line, part)))
  const found: Rect[] = []
  for (const { x, y, w, h } of parts)
    for (const line of await detect(cropped(picture, x, y, w, h))) found.push({ ...line, x: line.x + x, y: line.y + y })
  return [...kept, ...found]
}

/** The rectangles in which two pictures of one size differ; squares that touch are one. */
function changed(a: Picture, b: Picture): Rect[] {
  const [columns, rows] = [Math.ceil(a.width / TILE), Math.ceil(a.height / TILE)]
  const differs = new Uint8Array(columns * rows)
  const [before, after] = [a, b].map(({ data }) => Buffer.from(data.buffer, data.byteOffset, data.byteLength)) as [Buffer, Buffer]
  for (let y = 0; y < a.height; y++) {
    const [start, end] = [y * a.width * 4, (y + 1) * a.width * 4]
    if (before.compare(after, start, end, start, end) === 0) continue
    for (let column = 0; column < columns; column++) {
      const at = Math.floor(y / TILE) * columns + column
      if (differs[at]) continue
      const [from, to] = [start + column * TILE * 4, Math.min(end, start + (column + 1) * TILE * 4)]
      if (before.compare(after, from, to, from, to) !== 0) differs[at] = 1
    }
  }
  const found: Rect[] = []
  for (let first = 0; first < differs.length; first++) {
    if (differs[first] !== 1) continue
    let [left, right, top, bottom] = [columns, 0, rows, 0]
    const queue = [first]
    differs[first] = 2
    for (const at of queue) {
      const [x, y] = [at % columns, Math.floor(at / columns)]
      ;[left, right, top, bottom] = [Math.min(left, x), Math.max(right, x), Math.min(top, y), Math.max(bottom, y)]
      for (const [nx, ny] of [
        [x - 1, y],
        [x + 1, y],
        [x, y - 1],
        [x, y + 1],
      ] as const) {
        const next = ny * columns + nx
        if (nx < 0 || ny < 0 || nx >= columns || ny >= rows || differs[next] !== 1) continue
        differs[next] = 2
        queue.push(next)
      }
    }
    found.push({ x: left * TILE, y: top * TILE, w: (right - left + 1) * TILE, h: (bottom - top + 1) * TILE })
  }
  return found
}
