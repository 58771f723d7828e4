import type { Part } from '@deskhand/core/session'
import type { Rect } from '@deskhand/core/model'
import type { Picture } from '../image/picture.ts'
import type { Box } from './boxes.ts'
import { arrowIn } from './controls.ts'
import { bottom, gapX, overlapY, right } from './places.ts'

const FIELDS: ReadonlySet<string> = new Set(['textbox', 'combobox', 'spinbutton'])
/** How sure it is that parts are what their neighbours make of them. */
const SURE = { columnheader: 0.75, cell: 0.7, tab: 0.8, combobox: 0.7, spinbutton: 0.7 }
/** Parts that touch each other are no further apart than this. */
const TOUCH = 3

interface Surroundings {
  picture: Picture
  frames: readonly Rect[]
  boxes: readonly Box[]
  bars: readonly Rect[]
  unit: number
}

/** What parts are by what stands beside them: cells, heads of columns, tabs, and fields with their buttons and the text that they are called by. */
export function besideEachOther(parts: readonly Part[], on: Surroundings): Part[] {
  const whole = joined(parts, on)
  const strips = stripsOf(whole)
  const cells = new Set(columnsOf(whole).flat())
  const heads = new Set(strips.filter((s) => isHead(s, on)).flat())
  const made = whole.map((p) =>
    heads.has(p) ? as('columnheader', p) : cells.has(p) ? as('cell', p) : isTab(p, whole, on) ? as('tab', p) : p,
  )
  const texts = made.filter((p) => p.role === 'label')
  for (const part of made) if (FIELDS.has(part.role)) part.name = calledBy(part.rect, texts, on.unit)
  return made
}

const as = (role: 'columnheader' | 'cell' | 'tab', { rect, name, value, confidence }: Part): Part => ({
  role,
  name: name ?? value,
  rect,
  confidence: Math.min(SURE[role], confidence),
  children: [],
})

/** A field with the small boxes that touch its end is one control: one with an arrow opens a list, two change a number. */
function joined(parts: readonly Part[], { boxes, picture }: Surroundings): Part[] {
  const gone = new Set<Part>()
  const result = parts.map((part): Part => {
    if (part.role !== 'textbox') return part
    const next = (rect: Rect): Box | undefined =>
      boxes.find((b) => isLevel(b.rect, rect) && Math.abs(gapX(rect, b.rect)) <= TOUCH && b.rect.w <= 1.6 * b.rect.h)
    const first = next(part.rect)
    const second = first && next(first.rect)
    const arrow = first && arrowIn(picture, inner(first.rect), first.fill)
    if (first === undefined || (second === undefined && arrow === undefined)) return part
    const end = (second ?? first).rect
    const role = second === undefined && arrow === 'arrow' ? 'combobox' : 'spinbutton'
    for (const p of parts)
      if (p !== part && p.rect.x >= right(part.rect) - TOUCH && p.rect.x < right(end) && overlapY(p.rect, part.rect) > 0.8) gone.add(p)
    return { ...part, role, rect: { ...part.rect, w: right(end) - part.rect.x }, confidence: Math.min(SURE[role], part.confidence) }
  })
  return result.filter((p) => !gone.has(p))
}

const inner = ({ x, y, w, h }: Rect): Rect => ({ x: x + 1, y: y + 1, w: w - 2, h: h - 2 })

const isLevel = (a: Rect, b: Rect): boolean => Math.abs(a.y - b.y) <= 2 && Math.abs(a.h - b.h) <= 3

/** Controls of one height that touch each other in a row, two at least. */
function stripsOf(parts: readonly Part[]): Part[][] {
  return chains(
    parts,
    (p) => p.rect.x,
    (a, b) => isLevel(a, b) && Math.abs(gapX(a, b)) <= TOUCH,
  ).filter((s) => s.length > 1)
}

/** Boxes with text of one width that touch each other in a column, three at least. */
function columnsOf(parts: readonly Part[]): Part[][] {
  const isNext = (a: Rect, b: Rect): boolean => Math.abs(a.x - b.x) <= 1 && Math.abs(a.w - b.w) <= 2 && Math.abs(b.y - bottom(a)) <= TOUCH
  return chains(
    parts.filter((p) => p.value !== ''),
    (p) => p.rect.y,
    isNext,
  ).filter((s) => s.length > 2)
}

function chains(parts: readonly Part[], by: (part: Part) => number, isNext: (a: Rect, b: Rect) => boolean): Part[][] {
  const found: Part[][] = []
  for (const part of parts.filter((p) => p.role !== 'label').toSorted((a, b) => by(a) - by(b))) {
    const chain = found.find((c) => isNext(c.at(-1)!.rect, part.rect))
    if (chain === undefined) found.push([part])
    else chain.push(part)
  }
  return found
}

/** A strip with text at the upper side of a frame, or right above one. */
function isHead(strip: readonly Part[], { frames }: Surroundings): boolean {
  if (!strip.every((p) => p.role === 'textbox' || p.role === 'button') || !strip.some((p) => p.role === 'textbox' && p.value !== ''))
    return false
  const [first] = strip
  return frames.some((f) => {
    const isOver = strip.every((p) => p.rect.x >= f.x - TOUCH && p.rect.x < right(f))
    return isOver && (Math.abs(first!.rect.y - f.y) <= TOUCH || Math.abs(bottom(first!.rect) - f.y) <= TOUCH)
  })
}

/** A tab stands on the frame of what it shows, or is in one row with text that has a bar of a strong colour at its edge. */
function isTab(part: Part, parts: readonly Part[], { frames, bars, unit }: Surroundings): boolean {
  const stands = (p: Part, most: number): boolean =>
    frames.some(
      (f) => Math.abs(f.y - bottom(p.rect)) <= most && p.rect.x >= f.x - TOUCH && right(p.rect) <= right(f) + TOUCH && p.rect.w < f.w / 2,
    )
  const isBarred = (p: Part): boolean =>
    bars.some((b) => {
      const off = Math.min(Math.abs(b.y - bottom(p.rect)), Math.abs(p.rect.y - bottom(b)))
      return off < 1.8 * unit && b.x <= p.rect.x + 2 && right(b) >= right(p.rect) - 2 && b.w < p.rect.w + 6 * unit
    })
  if (part.role === 'button') return stands(part, TOUCH + 1)
  if (part.role !== 'label') return false
  return parts.some(
    (p) =>
      overlapY(p.rect, part.rect) > 0.8 &&
      Math.abs(p.rect.x - part.rect.x) < 40 * unit &&
      ((p.role === 'button' && stands(p, TOUCH + 1) && stands(part, 1.6 * unit)) || (p.role === 'label' && isBarred(p))),
  )
}

/** What a field is called: what stands left of it in the same row, else right above it. */
function calledBy(rect: Rect, texts: readonly Part[], unit: number): string | undefined {
  const left = texts
    .filter((t) => gapX(t.rect, rect) >= 0 && gapX(t.rect, rect) < 14 * unit && overlapY(t.rect, rect) > 0.5)
    .toSorted((a, b) => gapX(a.rect, rect) - gapX(b.rect, rect))[0]
  const above = texts
    .filter((t) => rect.y - bottom(t.rect) >= 0 && rect.y - bottom(t.rect) < 1.6 * unit && Math.abs(t.rect.x - rect.x) < 2 * unit)
    .toSorted((a, b) => b.rect.y - a.rect.y)[0]
  return (left ?? above)?.name?.replace(/\s*[:：]$/, '')
}
