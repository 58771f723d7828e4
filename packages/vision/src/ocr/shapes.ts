import type { Rect } from '@deskhand/core/model'
import { inkBetween, inkHeight, type Ink } from './ink.ts'
import type { Glyph } from './recognize.ts'

/** Letters as high as a capital, and as high as a small letter without ascender. */
const TALL = /^[ABDEFGHIJKLMNPQRTUYbdfhkl\d]$/
const LOW = /^[aemnru]$/
/** How high the second are, in heights of the first. */
const LOW_SHARE = 0.75

/** How high a capital is, as a share of the size of its font. */
const CAPITAL = 0.74
/** Letters that reach higher, and those that reach below the line. */
const HIGH = /[\p{Lu}\p{N}bdfhklt()[\]{}|/]/u
const DEEP = /[gjpqy()[\]{}|]/

/** A glyph and its own ink, where that touches no other glyph. */
export interface Letter {
  glyph: Glyph
  shape?: Rect
}

/** Each glyph of a word with its ink, where there are as many runs of ink as glyphs. */
export function lettersOf(word: readonly Glyph[], runs: readonly { from: number; to: number }[], ink: Ink): Letter[] {
  const own = word.map((glyph) => runs.find((r) => r.from <= glyph.x + 0.5 && glyph.x - 0.5 < r.to))
  const [first, last] = [own.find(Boolean), own.findLast(Boolean)]
  if (first === undefined || last === undefined) return word.map((glyph) => ({ glyph }))
  const inside = runs.slice(runs.indexOf(first), runs.indexOf(last) + 1)
  const isEach = inside.length === word.length
  return word.map((glyph, i) => {
    const run = isEach ? inside[i] : own.filter((r) => r === own[i]).length === 1 ? own[i] : undefined
    return { glyph, shape: run && inkBetween(ink, run.from, run.to) }
  })
}

/** How high capitals are, by the letters that are surely as high or surely lower; undefined where there are none. */
export function capitalHeight(letters: readonly Letter[]): number | undefined {
  const heights = letters.flatMap(({ glyph: { text }, shape }) => {
    if (shape === undefined) return []
    return TALL.test(text) ? [shape.h] : LOW.test(text) ? [shape.h / LOW_SHARE] : []
  })
  return heights.toSorted((a, b) => a - b)[Math.floor(heights.length / 2)]
}

/** About how large the font is, by its capitals or else by how high the ink of all reaches. */
export function fontSize(capital: number | undefined, glyphs: readonly Glyph[], ink: Ink): number {
  const has = (kind: RegExp): boolean => glyphs.some((g) => kind.test(g.text))
  const byInk = inkHeight(ink) / ((has(HIGH) ? CAPITAL : 0.56) + (has(DEEP) ? 0.21 : 0))
  return capital === undefined ? byInk : Math.min(byInk, capital / CAPITAL)
}
