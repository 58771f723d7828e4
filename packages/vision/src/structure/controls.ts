import type { Part } from '@deskhand/core/session'
import type { Rect } from '@deskhand/core/model'
import type { Picture } from '../image/picture.ts'
import type { Line } from '../ocr/text.ts'
import { colourAt, isStrong, type Box } from './boxes.ts'
import { differs, type Mark } from './marks.ts'
import { bottom, gapX, holds, overlapY, right } from './places.ts'

/** How sure each kind of control is, measured on screens whose trees say what it really is. */
const SURE = { button: 0.9, checkbox: 0.9, radio: 0.6, textbox: 0.8, combobox: 0.7, spinbutton: 0.7 }

/** What a drawn shape and the text on it or beside it make. */
export interface Control {
  part: Part
  /** The lines of text that it shows as its own. */
  lines: readonly Line[]
}

interface Looks {
  picture: Picture
  lines: readonly Line[]
  /** The height of usual text. */
  unit: number
}

/** As high as controls are. */
export const isControlHigh = ({ h }: Rect, unit: number): boolean => h >= 1.5 * unit && h <= 4.6 * unit

/** A rectangle by which a person would know a control; undefined for any other. */
export function controlOf(box: Box, looks: Looks): Control | undefined {
  const { unit, lines, picture } = looks
  const { rect } = box
  if (!isControlHigh(rect, unit) || rect.w < 1.5 * unit) return undefined
  const own = lines.filter((line) => holds(rect, line.rect))
  if (own.some((l) => overlapY(l.rect, own[0]!.rect) < 0.5)) return undefined
  const text = own.map((l) => l.text).join(' ')
  const sure = Math.min(1, ...own.map((l) => l.confidence))
  if (own.length > 0 && isCentred(rect, own, unit) && rect.w < 26 * unit && text.split(' ').length <= 6)
    return { part: { role: 'button', name: text, rect, confidence: SURE.button * sure, children: [] }, lines: own }
  // A field does not reach from one side of its window to the other.
  const isInside = rect.x > 2 && right(rect) < picture.width - 2 && bottom(rect) < picture.height - 2
  const isField = isInside && rect.w >= 1.2 * rect.h && rect.w < 90 * unit && !isStrong(box.fill) && box.plain > 0.4
  if (!isField || own.length > 1 || (own[0] !== undefined && own[0].rect.x - rect.x > 1.2 * rect.h)) return undefined
  const end = endOf(box, own, looks)
  const role = end === undefined ? 'textbox' : end === 'arrows' || NUMBER.test(text) ? 'spinbutton' : 'combobox'
  if (role === 'textbox' && rect.w < 2.4 * rect.h && !NUMBER.test(text)) return undefined
  return { part: { role, value: text, rect, confidence: SURE[role] * sure, children: [] }, lines: own }
}

const NUMBER = /^[-+\u2212]?\d[\d.,]*\s*[-+\u2212\u2013\u2014]*$/

/** A mark is a check box or a radio button when what it is for stands right of it. */
export function markedControl({ rect, round, ticked }: Mark, { lines, unit }: Looks): Control | undefined {
  const beside = lines
    .filter((l) => gapX(rect, l.rect) >= -1 && gapX(rect, l.rect) < Math.max(1.9 * unit, rect.h) && overlapY(rect, l.rect) > 0.5)
    .toSorted((a, b) => a.rect.x - b.rect.x)[0]
  if (beside === undefined || rect.h > 2.4 * unit) return undefined
  const role = round ? 'radio' : 'checkbox'
  const top = Math.min(rect.y, beside.rect.y)
  const whole = { x: rect.x, y: top, w: right(beside.rect) - rect.x, h: Math.max(bottom(rect), bottom(beside.rect)) - top }
  const confidence = SURE[role] * beside.confidence
  return { part: { role, name: beside.text, rect: whole, checked: ticked, confidence, children: [] }, lines: [beside] }
}

function isCentred(box: Rect, lines: readonly Line[], unit: number): boolean {
  const [from, to] = [Math.min(...lines.map((l) => l.rect.x)), Math.max(...lines.map((l) => right(l.rect)))]
  const [before, after] = [from - box.x, right(box) - to]
  return Math.abs(before - after) <= Math.max(0.8 * unit, 0.12 * box.w) && Math.min(before, after) >= 0.2 * unit
}

/** What is drawn at the end of a field: an arrow that points down, or two of them. */
function endOf({ rect, fill }: Box, own: readonly Line[], { picture, unit }: Looks): 'arrow' | 'arrows' | undefined {
  const from = Math.max(right(rect) - 1.5 * rect.h, own[0] === undefined ? rect.x : right(own[0].rect) + 0.4 * unit)
  return arrowIn(picture, { x: Math.round(from), y: rect.y + 2, w: Math.round(right(rect) - from - 2), h: rect.h - 4 }, fill)
}

/** Whether the ink in a place becomes narrower downwards, as an arrow does; twice, where there is a gap in it. */
export function arrowIn(picture: Picture, { x, y, w, h }: Rect, fill: Box['fill']): 'arrow' | 'arrows' | undefined {
  const runs: number[][] = [[]]
  for (let row = y; row < y + h; row++) {
    let [first, last] = [Infinity, -1]
    for (let column = x; column < x + w; column++) {
      if (!differs(colourAt(picture.data, row * picture.width + column), fill)) continue
      first = Math.min(first, column)
      last = column
    }
    const wide = last < 0 ? 0 : last - first + 1
    // A line across is a border.
    if (wide > 0 && wide < 0.8 * w) runs.at(-1)!.push(wide)
    else if (runs.at(-1)!.length > 0) runs.push([])
  }
  const blobs = runs.filter((run) => run.length >= 2)
  const isDown = ([...widths]: readonly number[]): boolean => {
    const fine = widths.every((v, i) => i === 0 || v <= widths[i - 1]! + 2)
    return fine && Math.max(...widths) >= 4 && widths.at(-1)! <= 0.6 * Math.max(...widths)
  }
  const last = blobs.at(-1)
  if (last === undefined || !isDown(last) || blobs.length > 2) return undefined
  return blobs.length === 2 && isDown(blobs[0]!.toReversed()) ? 'arrows' : blobs.length === 1 ? 'arrow' : undefined
}
