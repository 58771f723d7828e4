import type { Rect } from '@deskhand/core/model'
import type { Picture } from '../image/picture.ts'

/** Pixels of about one colour that touch each other. */
export interface Shape {
  rect: Rect
  count: number
  /** Which share of the left, right, upper and lower side of its rectangle it covers. */
  sides: readonly [number, number, number, number]
  /** One of its pixels. */
  at: number
}

export interface Flats {
  /** For every pixel the number of its shape. */
  of: Int32Array
  shapes: ReadonlyMap<number, Shape>
}

/** Neighbours that differ by no more belong together: shades that run across a button do. */
const STEP = 4
/** How deep a side is looked for, in pixels. */
const DEPTH = 2

/** Divides a picture into shapes. */
export function flatsIn({ data, width, height }: Picture): Flats {
  const of = connected(width, height, (a, b) => {
    const [i, j] = [a * 4, b * 4]
    return (
      Math.abs(data[i]! - data[j]!) <= STEP &&
      Math.abs(data[i + 1]! - data[j + 1]!) <= STEP &&
      Math.abs(data[i + 2]! - data[j + 2]!) <= STEP
    )
  })
  return { of, shapes: shapesOf(of, width, height) }
}

/** Measures the groups of a picture; pixels of group -1 are left out. */
export function shapesOf(of: Int32Array, width: number, height: number): Map<number, Shape> {
  const found = new Map<number, { left: number; right: number; top: number; bottom: number; count: number; at: number; sides: number[] }>()
  for (let y = 0, i = 0; y < height; y++)
    for (let x = 0; x < width; x++, i++) {
      const key = of[i]!
      if (key < 0) continue
      const shape = found.get(key)
      if (shape === undefined) found.set(key, { left: x, right: x, top: y, bottom: y, count: 1, at: i, sides: [0, 0, 0, 0] })
      else {
        if (x < shape.left) shape.left = x
        if (x > shape.right) shape.right = x
        shape.bottom = y
        shape.count++
      }
    }
  for (let y = 0, i = 0; y < height; y++)
    for (let x = 0; x < width; x++, i++) {
      const s = of[i]! < 0 ? undefined : found.get(of[i]!)
      if (s === undefined) continue
      if (x < s.left + DEPTH) s.sides[0]!++
      if (x > s.right - DEPTH) s.sides[1]!++
      if (y < s.top + DEPTH) s.sides[2]!++
      if (y > s.bottom - DEPTH) s.sides[3]!++
    }
  const shapes = new Map<number, Shape>()
  for (const [key, { left, right, top, bottom, count, at, sides }] of found) {
    const [w, h] = [right - left + 1, bottom - top + 1]
    const [l = 0, r = 0, t = 0, b = 0] = sides
    shapes.set(key, { rect: { x: left, y: top, w, h }, count, at, sides: [l / h / DEPTH, r / h / DEPTH, t / w / DEPTH, b / w / DEPTH] })
  }
  return shapes
}

/** For every pixel the number of one pixel of its group: neighbours that belong together, and theirs. `wide`: also those that touch with a corner. */
export function connected(width: number, height: number, isTogether: (a: number, b: number) => boolean, wide = false): Int32Array {
  const up = new Int32Array(width * height)
  for (let i = 0; i < up.length; i++) up[i] = i
  const root = (i: number): number => {
    while (up[i] !== i) i = up[i] = up[up[i]!]!
    return i
  }
  const join = (i: number, j: number): void => {
    if (!isTogether(i, j)) return
    const [a, b] = [root(i), root(j)]
    if (a < b) up[b] = a
    else up[a] = b
  }
  for (let y = 0, i = 0; y < height; y++)
    for (let x = 0; x < width; x++, i++) {
      if (x > 0) join(i, i - 1)
      if (y > 0) join(i, i - width)
      if (wide && y > 0 && x > 0) join(i, i - width - 1)
      if (wide && y > 0 && x < width - 1) join(i, i - width + 1)
    }
  for (let i = 0; i < up.length; i++) up[i] = root(i)
  return up
}
