import type { Rect } from '@deskhand/core/model'
import type { Picture } from '../image/picture.ts'
import { inkBetween, inkOf, type Ink } from './ink.ts'
import { alikeToldApart } from './letters.ts'
import type { Glyph } from './recognize.ts'
import { wordsIn } from './spaces.ts'
import type { Line, Word } from './text.ts'

/** The glyphs of a line as words, each with the box of its own ink. */
export function lineOf(picture: Picture, box: Rect, glyphs: readonly Glyph[]): Line | undefined {
  if (glyphs.every((g) => g.text.trim() === '')) return undefined
  const ink = inkOf(picture, box)
  const parts = alikeToldApart(wordsIn(glyphs, ink), ink)
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

/** The box of the ink between two columns; where there is none, about where the glyphs are. */
function tight(ink: Ink, from: number, to: number, glyphs: readonly Glyph[]): Rect {
  const rect = inkBetween(ink, from, to)
  if (rect !== undefined) return rect
  const { width, height } = ink
  const x = Math.max(0, glyphs[0]!.x - height / 4)
  return { x, y: 0, w: Math.min(width, glyphs.at(-1)!.x + height / 4) - x, h: height }
}

export function around(words: readonly Word[]): Rect {
  const x = Math.min(...words.map((w) => w.rect.x))
  const y = Math.min(...words.map((w) => w.rect.y))
  return { x, y, w: Math.max(...words.map((w) => w.rect.x + w.rect.w)) - x, h: Math.max(...words.map((w) => w.rect.y + w.rect.h)) - y }
}
