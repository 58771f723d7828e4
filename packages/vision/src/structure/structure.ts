import type { Part } from '@deskhand/core/session'
import type { Rect } from '@deskhand/core/model'
import type { Picture } from '../image/picture.ts'
import type { Line, Word } from '../ocr/text.ts'
import { around } from '../ocr/words.ts'
import { barsIn, boxesIn, colourAt, type Box } from './boxes.ts'
import { controlOf, markedControl, type Control } from './controls.ts'
import { flatsIn } from './flats.ts'
import { latticeIn } from './lattice.ts'
import { arranged } from './grid.ts'
import { differs, marksIn, withoutMarks } from './marks.ts'
import { besideEachOther } from './neighbours.ts'
import { bottom, holds, right } from './places.ts'

/** Reads a picture; what stands in these places is read also where no text was noticed. */
export type ReadText = (picture: Picture, also: readonly Rect[]) => Promise<readonly Line[]>

/** A shape that is nearly all of the picture is the window itself. */
const WHOLE = 0.9
const GROUP_SURE = 0.6
const USUAL_TEXT = 10

/** What is drawn and written in a picture, as a person would name it: controls, text, rows and columns, and what lies in what. */
export async function structureOf(picture: Picture, readText: ReadText): Promise<Part[]> {
  const flats = flatsIn(picture)
  const boxes = boxesIn(picture, flats)
  const marks = marksIn(picture, flats)
  const read = await readText(withoutMarks(picture, marks), inkOfButtons(picture, boxes))
  const unit = usual(read)
  const lines = read.flatMap((line) => pieces(line, unit))
  const looks = { picture, lines, unit }
  const controls: Control[] = []
  const lattice = latticeIn(boxes)
  const fieldOrButton = (box: Box): Control | undefined => {
    const control = controlOf(box, looks)
    // The empty cells of a sheet are no fields.
    return lattice.has(box) && control?.part.role !== 'button' ? undefined : control
  }
  const found = [...marks.map((mark) => markedControl(mark, looks)), ...boxes.map(fieldOrButton)]
  for (const control of found) if (control !== undefined && !controls.some((c) => isTaken(c, control))) controls.push(control)
  const taken = new Set(controls.flatMap((c) => c.lines))
  const texts = lines
    .filter((l) => !taken.has(l))
    .map(({ text, rect, confidence }): Part => ({ role: 'label', name: text, rect, confidence, children: [] }))
  const frames = boxes.filter((b) => isFrame(b, picture, unit)).map((b) => b.rect)
  const parts = besideEachOther([...controls.map((c) => c.part), ...texts], { picture, frames, boxes, bars: barsIn(picture, flats), unit })
  return nested(parts, frames, unit)
}

/** The height of most text. */
function usual(lines: readonly Line[]): number {
  const heights = lines.map((l) => l.rect.h).toSorted((a, b) => a - b)
  return Math.max(7, heights[Math.floor(heights.length / 2)] ?? USUAL_TEXT)
}

/** A gap this wide, in heights of text, stands between two things and not between two words. */
const WIDE = 1.35

/** The parts of a line between wide gaps. */
function pieces(line: Line, unit: number): Line[] {
  const runs: Word[][] = []
  for (const word of line.words) {
    const before = runs.at(-1)?.at(-1)
    if (before === undefined || word.rect.x - right(before.rect) > WIDE * unit) runs.push([word])
    else runs.at(-1)?.push(word)
  }
  if (runs.length < 2) return [line]
  return runs.map((words) => ({
    text: words.map((w) => w.text).join(' '),
    rect: around(words),
    confidence: words.reduce((sum, w) => sum + w.confidence, 0) / words.length,
    words,
    engine: line.engine,
  }))
}

/** What is drawn in the middle of boxes that may be buttons: a single sign is easily overlooked. */
function inkOfButtons({ data, width }: Picture, boxes: readonly Box[]): Rect[] {
  return boxes.flatMap(({ rect, fill, plain }) => {
    if (rect.h < 14 || rect.h > 80 || rect.w > 6 * rect.h || plain < 0.5) return []
    const edge = Math.max(3, Math.round(rect.h / 8))
    let [left, last, top, low] = [Infinity, -1, Infinity, -1]
    for (let y = rect.y + edge; y < bottom(rect) - edge; y++)
      for (let x = rect.x + edge; x < right(rect) - edge; x++) {
        if (!differs(colourAt(data, y * width + x), fill)) continue
        left = Math.min(left, x)
        last = Math.max(last, x)
        top = Math.min(top, y)
        low = y
      }
    if (last < 0 || last - left > 1.2 * rect.h) return []
    const [w, h] = [last - left + 1, low - top + 1]
    // As much air as around a line of text, so that a point is not taken for a large letter.
    const high = Math.max(h + 6, Math.round(rect.h * 0.55))
    return [{ x: Math.max(0, left - 4), y: Math.max(0, Math.round(top + h / 2 - high / 2)), w: w + 8, h: high }]
  })
}

/** A control inside another that shows the same text is the other's border. */
const isTaken = (outer: Control, inner: Control): boolean =>
  holds(outer.part.rect, inner.part.rect) || inner.lines.some((line) => outer.lines.includes(line))

function isFrame({ rect }: Box, { width, height }: Picture, unit: number): boolean {
  const isWhole = rect.w > WHOLE * width && rect.h > WHOLE * height
  return !isWhole && rect.h > 4.6 * unit && rect.w > 6 * unit
}

/** Each part in the smallest frame around it; frames that hold nothing or only one thing are left out. */
function nested(parts: readonly Part[], frames: readonly Rect[], unit: number): Part[] {
  const groups = frames
    .toSorted((a, b) => a.w * a.h - b.w * b.h)
    .map((rect): Part => ({ role: 'group', rect, confidence: GROUP_SURE, children: [] }))
  const inside = new Map<Part | undefined, Part[]>()
  const put = (part: Part, from: number): void => {
    const group = groups.slice(from).find((g) => g !== part && holds(g.rect, part.rect))
    inside.set(group, [...(inside.get(group) ?? []), part])
  }
  for (const part of parts) put(part, 0)
  for (const [i, group] of groups.entries()) {
    const own = inside.get(group) ?? []
    if (own.length < 2) for (const part of own) put(part, i + 1)
    else {
      group.children = arranged(own, unit)
      put(group, i + 1)
    }
  }
  return arranged(inside.get(undefined) ?? [], unit)
}
