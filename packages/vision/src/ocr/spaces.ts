import { gap, inkHeight, runsOf, type Ink } from './ink.ts'
import type { Glyph } from './recognize.ts'
import { capitalHeight, fontSize, lettersOf } from './shapes.ts'

/** Models drop spaces between these. */
const DROPS_SPACES = /[\p{Script=Han}\p{Script=Hangul}]/u
/** The least width of a space there, as a share of the height of what is written. */
const GAP = 0.26
/** The same between letters that have ascenders and descenders, as a share of the size of the font. */
const LETTER_GAP = 0.27
/** Letters of the same width stand this evenly, and a space there is so much of their step. */
const EVEN = 0.13
const STEP = 1.5

/** Words as the model tells them apart; it drops spaces, so a wide gap counts, too. */
export function wordsIn(glyphs: readonly Glyph[], ink: Ink): Glyph[][] {
  const words: Glyph[][] = [[]]
  const wide = wideness(glyphs, ink)
  for (const [i, glyph] of glyphs.entries()) {
    const before = glyphs[i - 1]
    if (glyph.text.trim() === '' || (before !== undefined && wide(before, glyph))) words.push([])
    if (glyph.text.trim() !== '') words.at(-1)!.push(glyph)
  }
  return words.filter((w) => w.length > 0)
}

/** Tells whether a space stands between two glyphs. */
function wideness(glyphs: readonly Glyph[], ink: Ink): (a: Glyph, b: Glyph) => boolean {
  const letters = glyphs.filter((g) => g.text.trim() !== '')
  const size = fontSize(capitalHeight(lettersOf(letters, runsOf(ink), ink)), letters, ink)
  const step = stepOf(glyphs)
  return (a, b) => {
    if (DROPS_SPACES.test(a.text) && DROPS_SPACES.test(b.text)) return gap(ink, a.x, b.x) > GAP * inkHeight(ink)
    if (!LATIN.test(a.text) || !LATIN.test(b.text) || (a.text === '.' && b.text === '.')) return false
    if (step !== undefined && b.x - a.x < STEP * step) return false
    return gap(ink, a.x, b.x) > LETTER_GAP * size
  }
}

/** What may stand in a word of Latin letters, and marks that are taken for such. */
const LATIN = /[\p{Script=Latin}\p{N}\p{P}\p{S}]/u
/** In other fonts these are much thinner or wider than most. */
const THIN_OR_WIDE = /[iljtfrI.,:;'|mwMW]/

/** How far apart letters are that all have the same width; undefined where widths differ, or nothing tells. */
function stepOf(glyphs: readonly Glyph[]): number | undefined {
  const steps = glyphs.flatMap((g, i) => {
    const before = glyphs[i - 1]
    if (before === undefined || g.text.trim() === '' || before.text.trim() === '') return []
    return [{ by: g.x - before.x, tells: THIN_OR_WIDE.test(g.text + before.text) }]
  })
  const middle = steps.map((s) => s.by).toSorted((a, b) => a - b)[Math.floor(steps.length / 2)] ?? 0
  const telling = steps.filter((s) => s.tells)
  const even = telling.filter(({ by }) => Math.abs(by - middle) <= Math.max(1, EVEN * middle))
  return telling.length >= 3 && even.length >= 0.8 * telling.length ? middle : undefined
}
