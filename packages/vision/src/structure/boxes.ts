import type { Rect } from '@deskhand/core/model'
import type { Picture } from '../image/picture.ts'
import type { Flats, Shape } from './flats.ts'

export type Colour = readonly [number, number, number]

/** An upright rectangle of one colour, with whatever is drawn on it. */
export interface Box {
  rect: Rect
  /** The colour that most of it has. */
  fill: Colour
  /** How much of the area is of that colour, 0 to 1. */
  plain: number
}

const LEAST_SIDE = 8
/** This share of a side must be there; the rest may be a rounded corner, or what is drawn over it. */
const SIDE = 0.5
/** Two outlines that lie no further apart than this are one: a border, and what it is around. */
const RIM = 6

/** Every rectangle that stands out from what is around it, the largest first. */
export function boxesIn(picture: Picture, { shapes }: Flats): Box[] {
  const found = [...shapes.values()].flatMap((s) => boxOf(s, picture.data)).toSorted((a, b) => area(b.rect) - area(a.rect))
  const kept: Box[] = []
  for (const box of found) {
    const rim = kept.find((k) => isRim(k.rect, box.rect))
    // What is inside of a border says what it looks like.
    if (rim === undefined) kept.push(box)
    else if (box.plain > rim.plain || rim.plain < 0.5) [rim.fill, rim.plain] = [box.fill, Math.max(rim.plain, box.plain)]
  }
  return kept
}

/** Thin bars of a strong colour, as stand beside what is chosen. */
export function barsIn(picture: Picture, { shapes }: Flats): Rect[] {
  return [...shapes.values()].flatMap((s) => {
    const isBar = s.rect.h <= 6 && s.rect.h >= 2 && s.rect.w >= 5 * s.rect.h && s.count > 0.85 * area(s.rect)
    return isBar && isStrong(colourAt(picture.data, s.at)) ? [s.rect] : []
  })
}

function boxOf({ rect, count, sides, at }: Shape, data: Uint8Array): Box[] {
  if (Math.min(rect.w, rect.h) < LEAST_SIDE || sides.some((s) => s < SIDE)) return []
  return [{ rect, fill: colourAt(data, at), plain: count / area(rect) }]
}

export const colourAt = (data: Uint8Array, at: number): Colour => [data[at * 4]!, data[at * 4 + 1]!, data[at * 4 + 2]!]

/** Neither white nor black nor grey. */
export const isStrong = (colour: Colour): boolean => Math.max(...colour) - Math.min(...colour) > 70

export const area = ({ w, h }: Rect): number => w * h

/** Whether one outline is the border of the other. */
function isRim(outer: Rect, inner: Rect): boolean {
  const gaps = [inner.x - outer.x, inner.y - outer.y, outer.x + outer.w - inner.x - inner.w, outer.y + outer.h - inner.y - inner.h]
  const most = Math.min(RIM, Math.max(2, outer.h / 5))
  return gaps.every((gap) => gap >= 0 && gap <= most)
}
