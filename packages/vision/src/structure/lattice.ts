import type { Rect } from '@deskhand/core/model'
import type { Box } from './boxes.ts'
import { bottom, right } from './places.ts'

/** So far apart two boxes that share a line may be, and so much they may differ in size. */
const LINE = 3
const OFF = 2
/** A few fields stand side by side in a form as well. */
const LEAST = 9

/** The boxes between the lines of a sheet: many of one size, each with another one right beside it and one right above or below it. */
export function latticeIn(boxes: readonly Box[]): ReadonlySet<Box> {
  const byHeight = new Map<number, Box[]>()
  for (const box of boxes) byHeight.set(box.rect.h, [...(byHeight.get(box.rect.h) ?? []), box])
  const found = [...byHeight.values()].flatMap((alike) => {
    const cells = alike.filter(({ rect }) => alike.some((b) => isBeside(rect, b.rect)) && alike.some((b) => isBelow(rect, b.rect)))
    return cells.length < LEAST ? [] : cells
  })
  return new Set(found)
}

const isBeside = (a: Rect, b: Rect): boolean => a !== b && Math.abs(a.y - b.y) <= OFF && (touch(right(a), b.x) || touch(right(b), a.x))

const isBelow = (a: Rect, b: Rect): boolean =>
  a !== b && Math.abs(a.x - b.x) <= OFF && Math.abs(a.w - b.w) <= OFF && (touch(bottom(a), b.y) || touch(bottom(b), a.y))

const touch = (end: number, start: number): boolean => Math.abs(start - end) <= LINE
