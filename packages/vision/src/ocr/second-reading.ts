import type { Glyph } from './recognize.ts'

/** Scripts of which the further models of PP-OCR misread many characters. */
export const HARD = /[\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}]/u
const OWN = /[\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Han}ー々]/u
const LATIN = /^[\p{Script=Latin}\p{N}\p{P}\p{S}]$/u
/** Readings that differ in length by more than this share are not of the same text. */
const MOST_OFF = 0.34
/** What one engine alone has noticed must be this certain; the second is believed before the first where it is. */
const SURE = 0.5
/** A run of Latin letters, digits and signs must be this certain to count among characters of another script. */
const SURE_LATIN = 0.85
const SURE_SIGN = 0.8

/**
 * What a model of another script has read, with the Latin letters, digits and signs that the first model is certain of: the further ones take
 * them for syllables that look like them.
 */
export function withLatin(first: readonly Glyph[], foreign: readonly Glyph[], height: number): Glyph[] {
  let result = [...foreign]
  for (const run of latinRuns(first, height)) {
    const [from, to] = [run[0]!.x - height / 4, run.at(-1)!.x + height / 4]
    const kept = result.filter((g) => g.x < from || g.x > to)
    result = [...kept, ...run].toSorted((a, b) => a.x - b.x)
  }
  return result
}

/** Where the access key at the end of a line begins by the second reading, if the other has none. */
export function lostKey(read: readonly Glyph[], second: readonly Glyph[]): number | undefined {
  if (/\([A-Z\d]\)/.test(read.map((g) => g.text).join(''))) return undefined
  const open = second.findLastIndex((g) => g.text === '(')
  return open > 0 && second.length - open <= 5 ? second[open]!.x : undefined
}

/** A reading with the access key that was read at its end, from there on. */
export function withKey(read: readonly Glyph[], from: number, end: readonly Glyph[]): Glyph[] {
  const text = end.map((g) => g.text).join('')
  const key = /^\(?([A-Za-z\d])\)([:….]*)$/.exec(text)
  if (key === null) return [...read]
  const x = (i: number): number => end[Math.min(i, end.length - 1)]?.x ?? from
  const letter = key[1] === '0' ? 'O' : (key[1] ?? '').toUpperCase()
  const kept = read.filter((g) => g.x < from)
  return [...kept, ...[...`(${letter})${key[2] ?? ''}`].map((char, i) => ({ text: char, x: x(i), confidence: SURE_SIGN }))]
}

/** Runs that are surely Latin: an access key in parentheses, or several characters that stand close together. */
function latinRuns(glyphs: readonly Glyph[], height: number): Glyph[][] {
  const runs: Glyph[][] = []
  for (const glyph of glyphs) {
    const before = runs.at(-1)?.at(-1)
    if (!LATIN.test(glyph.text)) runs.push([])
    else if (before === undefined || glyph.x - before.x > 0.9 * height) runs.push([glyph])
    else runs.at(-1)!.push(glyph)
  }
  return runs.flatMap((run) => {
    const text = run.map((g) => g.text).join('')
    const key = /\([A-Z\d]\)/.exec(text)
    const part = key === null ? run : run.slice(key.index)
    const certain = part.reduce((sum, g) => sum + g.confidence, 0) / Math.max(1, part.length)
    if (key !== null) return certain >= SURE_SIGN ? [part] : []
    return part.length > 1 && /[A-Za-z\d]/.test(text) && certain >= SURE_LATIN ? [part] : []
  })
}

/** Two readings of one line as one: characters of its script as the second has them where that is certain, everything else as the first has it. */
export function joined(first: readonly Glyph[], second: readonly Glyph[]): Glyph[] {
  const others = second.filter((g) => g.text.trim() !== '')
  const own = first.filter((g) => g.text.trim() !== '')
  if (others.length === 0 || Math.abs(others.length - own.length) > Math.max(1, MOST_OFF * own.length)) return [...first]
  const step = stepOf(own)
  return aligned(own, others).flatMap(([a, b], i, { length }): Glyph[] => {
    if (a === undefined) return b !== undefined && isAdded(b, own, step, i === length - 1) ? [b] : []
    if ((b === undefined || OWN.test(b.text)) && isStray(a, own)) return []
    if (b === undefined) return [a]
    if (a.text === b.text) return [{ ...a, confidence: Math.max(a.confidence, b.confidence) }]
    return isBetter(b, a) ? [{ ...a, text: b.text, confidence: b.confidence }] : [a]
  })
}

/** Of syllables of Hangul the second engine knows many more; of kana and Han characters it is as often wrong as the first, which then is very certain. */
function isBetter(b: Glyph, a: Glyph): boolean {
  if (BRACKET.test(b.text) && !LETTER.test(a.text)) return b.confidence >= 0.98
  if (!OWN.test(a.text) || !OWN.test(b.text)) return false
  const more = b.confidence - a.confidence
  return /\p{Script=Hangul}/u.test(b.text) ? b.confidence >= 0.95 || more >= 0.3 : b.confidence >= 0.9 && more >= 0.025
}

const BRACKET = /[[\]]/
const LETTER = /[\p{L}()]/u

/** What only the second reading has: a character where the first has none, or a sign at the end. */
function isAdded({ text, x, confidence }: Glyph, own: readonly Glyph[], step: number, isLast: boolean): boolean {
  if (confidence < SURE) return false
  return OWN.test(text) ? own.every((g) => Math.abs(g.x - x) > 0.45 * step) : text === '…' || (isLast && /^[.:。！？]$/.test(text))
}

/** How far apart characters usually stand. */
const stepOf = (glyphs: readonly Glyph[]): number =>
  glyphs
    .slice(1)
    .map((g, i) => g.x - glyphs[i]!.x)
    .toSorted((a, b) => a - b)[Math.floor((glyphs.length - 1) / 2)] ?? 0

/** A stroke that only one engine sees, between characters of another script, is a part of one of them. */
function isStray({ text, x }: Glyph, all: readonly Glyph[]): boolean {
  if (!/^[1lI|!]$/.test(text)) return false
  const at = all.findIndex((g) => g.x === x)
  return [all[at - 1], all[at + 1]].every((g) => g !== undefined && OWN.test(g.text))
}

type Pair = readonly [Glyph | undefined, Glyph | undefined]

/** Pairs of characters that stand for each other, in their order; one that has no counterpart stands alone. */
function aligned(a: readonly Glyph[], b: readonly Glyph[]): Pair[] {
  const costs = Array.from({ length: a.length + 1 }, () => Array.from({ length: b.length + 1 }, () => 0))
  const cost = (i: number, j: number): number => (i < 0 || j < 0 ? Infinity : costs[i]![j]!)
  const step = (i: number, j: number): number =>
    Math.min(cost(i - 1, j - 1) + differing(a[i - 1], b[j - 1]), cost(i - 1, j) + 0.7, cost(i, j - 1) + 0.7)
  for (let i = 0; i <= a.length; i++) for (let j = 0; j <= b.length; j++) if (i + j > 0) costs[i]![j] = step(i, j)
  const pairs: Pair[] = []
  for (let [i, j] = [a.length, b.length]; i + j > 0;) {
    const both = cost(i - 1, j - 1) + differing(a[i - 1], b[j - 1])
    if (both <= cost(i - 1, j) + 0.7 && both <= cost(i, j - 1) + 0.7) pairs.push([a[--i], b[--j]])
    else if (cost(i - 1, j) <= cost(i, j - 1)) pairs.push([a[--i], undefined])
    else pairs.push([undefined, b[--j]])
  }
  return pairs.toReversed()
}

/** A character of the script is more likely another of it than a letter or a sign. */
const differing = (a: Glyph | undefined, b: Glyph | undefined): number =>
  a?.text === b?.text ? 0 : OWN.test(a?.text ?? '') === OWN.test(b?.text ?? '') ? 0.8 : 1.2
