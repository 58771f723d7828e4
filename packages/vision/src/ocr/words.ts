import type { Rect } from '@deskhand/core/model'
import type { Picture } from '../image/picture.ts'
import type { Glyph } from './recognize.ts'
import type { Line, Word } from './text.ts'

/** What differs less than this share of the strongest difference is background. */
const FAINT = 0.3
/** A row or column that is nearly all ink is a border. */
const BORDER = 0.92

/** The glyphs of a line as words, each with the box of its own ink. */
export function lineOf(picture: Picture, box: Rect, glyphs: readonly Glyph[]): Line | undefined {
  if (glyphs.every((g) => g.text.trim() === '')) return undefined
  const ink = inkOf(picture, box)
  const parts = wordsIn(glyphs, ink)
  const words: Word[] = []
  for (const [i, part] of parts.entries()) {
    const before = parts[i - 1]?.at(-1)
    const after = parts[i + 1]?.[0]
    const from = before === undefined ? 0 : (before.x + part[0]!.x) / 2
    const to = after === undefined ? box.w : (part.at(-1)!.x + after.x) / 2
    const rect = tight(ink, Math.floor(from), Math.ceil(to), part)
    words.push({
      text: part.map((g) => g.text).join(''),
      rect: { x: box.x + rect.x, y: box.y + rect.y, w: rect.w, h: rect.h },
      confidence: mean(part),
    })
  }
  return { text: words.map((w) => w.text).join(' '), rect: around(words), confidence: mean(parts.flat()), words, engine: 'ppocr' }
}

const mean = (glyphs: readonly Glyph[]): number => glyphs.reduce((sum, g) => sum + g.confidence, 0) / Math.max(1, glyphs.length)

/** Words as the model tells them apart; in Chinese and Korean it drops spaces, so a wide gap counts there, too. */
function wordsIn(glyphs: readonly Glyph[], ink: Ink): Glyph[][] {
  const words: Glyph[][] = [[]]
  for (const [i, glyph] of glyphs.entries()) {
    const before = glyphs[i - 1]
    const isApart =
      before !== undefined &&
      DROPS_SPACES.test(before.text) &&
      DROPS_SPACES.test(glyph.text) &&
      gap(ink, before.x, glyph.x) > GAP * inkHeight(ink)
    if (glyph.text.trim() === '' || isApart) words.push([])
    if (glyph.text.trim() !== '') words.at(-1)!.push(glyph)
  }
  return words.filter((w) => w.length > 0)
}

const DROPS_SPACES = /[\p{Script=Han}\p{Script=Hangul}]/u
/** The least width of a space, as a share of the height of what is written. */
const GAP = 0.26

/** The widest run of columns without ink between two others. */
function gap({ width, height, marks }: Ink, from: number, to: number): number {
  let [widest, run] = [0, 0]
  for (let column = Math.max(0, Math.floor(from)); column < Math.min(width, to); column++) {
    let isEmpty = true
    for (let row = 0; row < height && isEmpty; row++) isEmpty = marks[row * width + column] === 0
    run = isEmpty ? run + 1 : 0
    widest = Math.max(widest, run)
  }
  return widest
}

function inkHeight({ width, height, marks }: Ink): number {
  const rows = Array.from({ length: height }, (_, row) => marks.subarray(row * width, (row + 1) * width).includes(1))
  return rows.lastIndexOf(true) - rows.indexOf(true) + 1
}

interface Ink {
  width: number
  height: number
  /** 1 where a pixel stands out from the background. */
  marks: Uint8Array
}

/** What stands out from the most frequent colour of a box, without the borders that run through it. */
function inkOf(picture: Picture, { x, y, w, h }: Rect): Ink {
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

/** The box of the ink between two columns; where there is none, about where the glyphs are. */
function tight({ width, height, marks }: Ink, from: number, to: number, glyphs: readonly Glyph[]): Rect {
  let [left, right, top, bottom] = [Infinity, -1, Infinity, -1]
  for (let row = 0; row < height; row++)
    for (let column = Math.max(0, from); column < Math.min(width, to); column++) {
      if (marks[row * width + column] === 0) continue
      left = Math.min(left, column)
      right = Math.max(right, column)
      top = Math.min(top, row)
      bottom = Math.max(bottom, row)
    }
  if (right >= 0) return { x: left, y: top, w: right - left + 1, h: bottom - top + 1 }
  const x = Math.max(0, glyphs[0]!.x - height / 4)
  return { x, y: 0, w: Math.min(width, glyphs.at(-1)!.x + height / 4) - x, h: height }
}

export function around(words: readonly Word[]): Rect {
  const x = Math.min(...words.map((w) => w.rect.x))
  const y = Math.min(...words.map((w) => w.rect.y))
  return { x, y, w: Math.max(...words.map((w) => w.rect.x + w.rect.w)) - x, h: Math.max(...words.map((w) => w.rect.y + w.rect.h)) - y }
}
