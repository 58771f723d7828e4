import type { Rect } from '@deskhand/core/model'
import type { Picture } from '../image/picture.ts'
import { area, colourAt, isStrong, type Colour } from './boxes.ts'
import { connected, shapesOf, type Flats, type Shape } from './flats.ts'
import { bottom, gapX, overlapY, right } from './places.ts'

/** A small square or circle that stands by itself with something right of it: the mark of a check box or a radio button. */
export interface Mark {
  rect: Rect
  round: boolean
  ticked: boolean
}

/** Shapes of so many pixels are what things are drawn on. */
const GROUND = 1_500
const LEAST = 9
const MOST = 44
/** A letter is nearer to the next one than a mark is to its text. */
const LEAST_GAP = 3
/** The text of a mark begins at most so many of its heights further right. */
const TEXT_WITHIN = 1.2
const INK = 40

/** Every mark in a picture. */
export function marksIn(picture: Picture, flats: Flats): Mark[] {
  const { width, height } = picture
  const isDrawn = (i: number): boolean => (flats.shapes.get(flats.of[i]!)?.count ?? 0) < GROUND
  const drawn = new Uint8Array(width * height)
  for (let i = 0; i < drawn.length; i++) drawn[i] = isDrawn(i) ? 1 : 0
  const of = connected(width, height, (a, b) => drawn[a] === 1 && drawn[b] === 1, true)
  for (let i = 0; i < drawn.length; i++) if (drawn[i] === 0) of[i] = -1
  const things = [...shapesOf(of, width, height).values()]
  const small = things.filter((t) => t.rect.h <= 2 * MOST)
  return things.flatMap((t) => (isMark(t) && isAlone(t.rect, small) ? [markOf(t, picture)] : []))
}

function isMark({ rect: { w, h }, sides }: Shape): boolean {
  if (h < LEAST || h > MOST || Math.abs(w - h) > Math.max(1, 0.13 * h)) return false
  return sides.every((s) => s > 0.2) && Math.max(...sides) - Math.min(...sides) < 0.3
}

/** Nothing stands near it but, a little further right, the beginning of a text. */
function isAlone(rect: Rect, things: readonly Shape[]): boolean {
  const gap = Math.max(LEAST_GAP, Math.round(0.2 * rect.h))
  const near = things.filter(
    (t) =>
      t.rect !== rect &&
      t.rect.y < bottom(rect) + gap &&
      bottom(t.rect) > rect.y - gap &&
      t.rect.x < right(rect) + gap &&
      right(t.rect) > rect.x - gap,
  )
  if (near.length > 0) return false
  return things.some((t) => gapX(rect, t.rect) >= gap && gapX(rect, t.rect) < TEXT_WITHIN * rect.h && overlapY(rect, t.rect) > 0.5)
}

function markOf({ rect, sides }: Shape, picture: Picture): Mark {
  const round = sides.every((s) => s < 0.74)
  return { rect, round, ticked: isTicked(picture, rect) }
}

/** Whether something is drawn in the middle of a mark, or around that all of it is of a strong colour. */
function isTicked({ data, width }: Picture, { x, y, w, h }: Rect): boolean {
  const at = (fx: number, fy: number): Colour => colourAt(data, Math.floor(y + h * fy) * width + Math.floor(x + w * fx))
  const corners = [at(0.27, 0.27), at(0.73, 0.27), at(0.27, 0.73), at(0.73, 0.73)]
  const like = (a: Colour): number => corners.filter((b) => !differs(a, b)).length
  const paper = corners.toSorted((a, b) => like(b) - like(a))[0]!
  if (isStrong(paper)) return true
  const inner = { x: Math.round(x + w * 0.27), y: Math.round(y + h * 0.27), w: Math.round(w * 0.46), h: Math.round(h * 0.46) }
  let ink = 0
  for (let row = inner.y; row < bottom(inner); row++)
    for (let column = inner.x; column < right(inner); column++) if (differs(colourAt(data, row * width + column), paper)) ink++
  return ink > 0.12 * area(inner)
}

export const differs = ([r, g, b]: Colour, [R, G, B]: Colour): boolean => Math.max(Math.abs(r - R), Math.abs(g - G), Math.abs(b - B)) > INK

/** The same picture with the marks painted over by what is around them: a reader of text would take them for letters. */
export function withoutMarks(picture: Picture, marks: readonly Mark[]): Picture {
  if (marks.length === 0) return picture
  const { width, height } = picture
  const data = new Uint8Array(picture.data)
  for (const { rect } of marks) {
    const ground = (Math.max(0, rect.y - 2) * width + Math.max(0, rect.x - 2)) * 4
    const colour = data.slice(ground, ground + 4)
    for (let y = Math.max(0, rect.y - 1); y <= Math.min(height - 1, bottom(rect)); y++)
      for (let x = Math.max(0, rect.x - 1); x <= Math.min(width - 1, right(rect)); x++) data.set(colour, (y * width + x) * 4)
  }
  return { ...picture, data }
}
