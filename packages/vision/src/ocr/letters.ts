import type { Rect } from '@deskhand/core/model'
import { runsOf, type Ink } from './ink.ts'
import type { Glyph } from './recognize.ts'
import { capitalHeight, fontSize, lettersOf, type Letter } from './shapes.ts'

/** A stroke that is no wider than this share of the font's size, and as wide from top to bottom, is an l or a capital i, and no one. */
const BAR = 0.2
/** Letters that are the same in small and capital, but for their size. */
const SAME = /^[cosvwxz]$/i
/** How far an apostrophe leans, as a share of its height. */
const LEAN = 0.1

/** Words with what looks alike told apart by its shape and by what stands beside it: l, I and 1; o and 0; small and capital letters. */
export function alikeToldApart(words: readonly Glyph[][], ink: Ink): Glyph[][] {
  const glyphs = words.flat()
  if (!glyphs.some((g) => /[lI1oO0'’(i]/.test(g.text) || SAME.test(g.text))) return [...words]
  // An access key in parentheses behind such a script is a capital.
  const isOther = glyphs.some((g) => /[\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}]/u.test(g.text))
  const runs = runsOf(ink)
  const letters = words.map((word) => lettersOf(word, runs, ink))
  const height = capitalHeight(letters.flat()) ?? higherOf(letters.flat())
  const size = fontSize(height, glyphs, ink)
  return letters.map((word) => {
    const text = word.map(({ glyph }) => glyph.text).join('')
    if (/^[lI]{3}$/.test(text)) return word.map(({ glyph }) => ({ ...glyph, text: 'I' }))
    const isCapitals = /^(?=(?:.*\p{Lu}){2})[^\p{Ll}]*$/u.test(text.replaceAll(/[lI]/g, ''))
    const isNumber = /\d/.test(text) && /^[\dlIoO.,:;/%()+-]+$/.test(text)
    const chars = word.map(({ glyph: { text: char }, shape }, i) => {
      // A caret behind a number is no digit.
      if (isNumber) return /[lI]/.test(char) && isBar(shape, ink, size) !== true ? '1' : /[oO]/.test(char) ? '0' : char
      const [before, after] = [word[i - 1]?.glyph.text ?? '', word[i + 1]?.glyph.text ?? '']
      if (/^[lI1]$/.test(char)) return isCapitals && char !== '1' ? 'I' : stroke(char, before, after, isBar(shape, ink, size))
      if (/^['’]$/.test(char) && shape !== undefined) return isCurved(shape, ink) ? '’' : "'"
      if (char === 'i' && shape !== undefined) return isAcute(shape, ink) ? 'í' : 'i'
      if (isOther && before === '(' && after === ')') return char.toUpperCase()
      if (SAME.test(char) && shape !== undefined && height !== undefined && isWhole(shape, ink)) return sized(char, shape.h / height)
      return char
    })
    return word.map(({ glyph }, i) => ({ ...glyph, text: chars[i] ?? glyph.text }))
  })
}

/** Where nothing else tells: the height of the higher ones of such letters, if they are not all the same. */
function higherOf(letters: readonly Letter[]): number | undefined {
  const heights = letters.flatMap(({ glyph, shape }) => (shape !== undefined && SAME.test(glyph.text) ? [shape.h] : []))
  const most = Math.max(...heights)
  return Math.min(...heights) < 0.87 * most ? most : undefined
}

/** A letter that is as high as capitals is one; one that is less high may be thin at its top and foot. */
const sized = (char: string, share: number): string => (share > 0.87 && share < 1.12 ? char.toUpperCase() : char)

/** Whether nothing stands over a letter, as points and accents do. */
function isWhole({ x, y, w, h }: Rect, { width, marks }: Ink): boolean {
  for (let row = y; row < y + h; row++) if (!marks.subarray(row * width + x, row * width + x + w).includes(1)) return false
  return true
}

/** An l, a capital i or a one, by what stands beside it; one alone by its shape. */
function stroke(char: string, before: string, after: string, bar: boolean | undefined): string {
  if (before === '' && after === '' && (bar !== undefined || char === 'l')) return bar === true ? 'I' : '1'
  if (char === '1') return char
  const isAfterSmall = /\p{Ll}/u.test(before)
  if (char === 'I') return isAfterSmall && !/\p{Lu}/u.test(after) ? 'l' : 'I'
  if (!/\p{L}|\d/u.test(before) && /^[bcdfghjkmnpqrstvwxz]$/i.test(after)) return 'I'
  return 'l'
}

/** Whether the ink is one stroke of the same width; undefined where it is not known. */
function isBar(shape: Rect | undefined, { width, marks }: Ink, size: number): boolean | undefined {
  if (shape === undefined) return undefined
  if (shape.w > Math.max(2, BAR * size)) return false
  for (let row = shape.y; row < shape.y + shape.h; row++) {
    const count = marks.subarray(row * width + shape.x, row * width + shape.x + shape.w).reduce((a, b) => a + b, 0)
    if (count < Math.min(shape.w, 1)) return false
  }
  return true
}

/** Whether a stroke goes to the left on its way down, as a typographic apostrophe does. */
const isCurved = ({ x, y, w, h }: Rect, ink: Ink): boolean =>
  h > 1 && middleOf(ink, { x, y, w, h: 1 }) - middleOf(ink, { x, y: y + h - 1, w, h: 1 }) >= Math.max(0.5, LEAN * h)

/** Whether what stands over an upright stroke goes to the left on its way down: an acute accent, and no point. */
function isAcute({ x, y, w, h }: Rect, ink: Ink): boolean {
  const rows = Array.from({ length: h }, (_, i) => Number.isFinite(middleOf(ink, { x, y: y + i, w, h: 1 })))
  const end = rows.indexOf(false)
  const stem = rows.indexOf(true, end)
  if (end < 2 || stem < 0 || h - stem < 4) return false
  const lean = (from: number, to: number): number => middleOf(ink, { x, y: y + from, w, h: 1 }) - middleOf(ink, { x, y: y + to, w, h: 1 })
  return lean(0, end - 1) >= 0.75 && Math.abs(lean(stem, h - 1)) < 0.5
}

/** The middle of the ink in a row of a shape; no number where there is none. */
function middleOf({ width, marks }: Ink, { x, y, w }: Rect): number {
  const row = marks.subarray(y * width + x, y * width + x + w)
  const first = row.indexOf(1)
  return first < 0 ? Number.NaN : (first + row.lastIndexOf(1)) / 2
}
