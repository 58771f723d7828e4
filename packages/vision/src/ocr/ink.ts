import type { Rect } from '@deskhand/core/model'
import type { Picture } from '../image/picture.ts'

/** What differs less than this share of the strongest difference is background. */
const FAINT = 0.3
/** A row or column that is nearly all ink is a border. */
const BORDER = 0.92

/** What is written in a box, apart from its background. */
export interface Ink {
  width: number
  height: number
  /** 1 where a pixel stands out from the background. */
  marks: Uint8Array
}

/** What stands out from the most frequent colour of a box, without the borders that run through it. */
export function inkOf(picture: Picture, { x, y, w, h }: Rect): Ink {
  const counts = new Map<number, number>()
  const colour = (i: number): [number, number, number] => [picture.data[i]!, picture.data[i + 1]!, picture.data[i + 2]!]
  const at = (column: number, row: number): number => ((y + row) * picture.width + x + column) * 4
  let [ground, most] = [0, 0]
  for (let row = 0; row < h; row++)
    for (let column = 0; column < w; column++) {
      const [r, g, b] = colour(at(column, row))
      const key = (r << 16) | (g << 8) | b
      const count = (counts.get(key) ?? 0) + 1
      counts.set(key, count)
      if (count > most) [ground, most] = [key, count]
    }
  const [gr, gg, gb] = [ground >> 16, (ground >> 8) & 255, ground & 255]
  const apart = new Uint8Array(w * h)
  let strongest = 0
  for (let row = 0, i = 0; row < h; row++)
    for (let column = 0; column < w; column++, i++) {
      const [r, g, b] = colour(at(column, row))
      apart[i] = Math.max(Math.abs(r - gr), Math.abs(g - gg), Math.abs(b - gb))
      strongest = Math.max(strongest, apart[i]!)
    }
  const marks = apart.map((d) => (d > FAINT * strongest ? 1 : 0))
  for (let row = 0; row < h; row++) {
    const line = marks.subarray(row * w, (row + 1) * w)
    if (line.reduce((a, b) => a + b, 0) > BORDER * w) line.fill(0)
  }
  for (let column = 0; column < w; column++) {
    let sum = 0
    for (let row = 0; row < h; row++) sum += marks[row * w + column]!
    if (sum > BORDER * h) for (let row = 0; row < h; row++) marks[row * w + column] = 0
  }
  return { width: w, height: h, marks }
}

/** The widest run of columns without ink between two others. */
export function gap({ width, height, marks }: Ink, from: number, to: number): number {
  let [widest, run] = [0, 0]
  for (let column = Math.max(0, Math.floor(from)); column < Math.min(width, to); column++) {
    let isEmpty = true
    for (let row = 0; row < height && isEmpty; row++) isEmpty = marks[row * width + column] === 0
    run = isEmpty ? run + 1 : 0
    widest = Math.max(widest, run)
  }
  return widest
}

/** How high the ink reaches, from its first row to its last. */
export function inkHeight({ width, height, marks }: Ink): number {
  const rows = Array.from({ length: height }, (_, row) => marks.subarray(row * width, (row + 1) * width).includes(1))
  return rows.lastIndexOf(true) - rows.indexOf(true) + 1
}

/** The box of the ink between two columns; undefined where there is none. */
export function inkBetween({ width, height, marks }: Ink, from: number, to: number): Rect | undefined {
  let [left, right, top, bottom] = [Infinity, -1, Infinity, -1]
  for (let row = 0; row < height; row++)
    for (let column = Math.max(0, from); column < Math.min(width, to); column++) {
      if (marks[row * width + column] === 0) continue
      left = Math.min(left, column)
      right = Math.max(right, column)
      top = Math.min(top, row)
      bottom = Math.max(bottom, row)
    }
  return right < 0 ? undefined : { x: left, y: top, w: right - left + 1, h: bottom - top + 1 }
}

/** The runs of columns that have ink, from left to right; the end of each is the first column without. */
export function runsOf({ width, height, marks }: Ink): { from: number; to: number }[] {
  const runs: { from: number; to: number }[] = []
  let from = -1
  for (let column = 0; column <= width; column++) {
    let isInk = false
    for (let row = 0; row < height && !isInk && column < width; row++) isInk = marks[row * width + column] === 1
    if (isInk && from < 0) from = column
    if (isInk || from < 0) continue
    runs.push({ from, to: column })
    from = -1
  }
  return runs
}
