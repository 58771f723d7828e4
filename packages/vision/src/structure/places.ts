import type { Rect } from '@deskhand/core/model'

export const right = ({ x, w }: Rect): number => x + w
export const bottom = ({ y, h }: Rect): number => y + h
export const middle = ({ x, y, w, h }: Rect): [number, number] => [x + w / 2, y + h / 2]

/** Whether the middle of the second lies in the first, and it is not larger. */
export function holds(outer: Rect, inner: Rect): boolean {
  const [x, y] = middle(inner)
  return (
    x >= outer.x &&
    x <= right(outer) &&
    y >= outer.y &&
    y <= bottom(outer) &&
    inner.w <= outer.w + 2 &&
    inner.h <= outer.h + 2 &&
    inner !== outer
  )
}

/** From the right side of the first to the left side of the second. */
export const gapX = (a: Rect, b: Rect): number => b.x - right(a)

/** Which share of the lower of both heights they have in common. */
export const overlapY = (a: Rect, b: Rect): number =>
  (Math.min(bottom(a), bottom(b)) - Math.max(a.y, b.y)) / Math.max(1, Math.min(a.h, b.h))
