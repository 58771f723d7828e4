import type { Word } from './text.ts'

/** So many letters of a word may be read differently before it counts as another word: one in three. */
const allowedOff = (length: number): number => Math.max(1, Math.floor(length / 3))

/**
 * Two readings of one line as one: the second engine knows the language and its accents, the first knows plain letters better. Words that
 * both read alike, but for accents and letters that look alike, become one; what only the second noticed is added, and anything else stays as
 * the first has it.
 */
export function merged(words: readonly Word[], others: readonly Word[]): Word[] {
  const pairs = words.map((word) => others.find((o) => isAt(word, o) && isAlike(word.text, o.text)))
  const joined = words.map((word, i): Word => {
    const other = pairs[i]
    if (other === undefined) return word
    return { text: joinedText(word, other), rect: word.rect, confidence: Math.max(word.confidence, other.confidence) }
  })
  // A word of the first engine may reach over a sign that it does not know.
  const isMissed = (o: Word): boolean =>
    o.confidence >= SURE && !pairs.includes(o) && words.every((w, i) => overlap(w, o) <= 0 || pairs[i] !== undefined)
  return [...joined, ...others.filter(isMissed)].toSorted((a, b) => a.rect.x - b.rect.x)
}

/** What one engine alone has noticed must be this certain. */
const SURE = 0.6

/** Of a plain letter the second engine is believed where it is so certain of the word. */
const CERTAIN = 0.9

/** The second reading, with plain letters where that is uncertain, and capitals, as the first has them. */
function joinedText(first: Word, second: Word): string {
  // The mark of a check box is no part of the word beside it.
  const own = SIGN.test(first.text) ? second.text : second.text.replace(SIGN, '')
  const [plain, accented] = [[...first.text], [...own]]
  const isSecond = second.confidence >= CERTAIN || plain.length !== accented.length
  const letters = accented.map((char, i) => {
    const other = plain[i] ?? char
    if ((QUOTE.test(char) && QUOTE.test(other)) || (char === 'i' && other === 'í')) return other
    return isSecond || bare(other) === bare(char) || !PLAIN.test(char) || !PLAIN.test(other) ? char : other
  })
  const [initial = ''] = letters
  const isCapital = /\p{Lu}/u.test(plain[0] ?? '') && unaccented(plain[0] ?? '') === unaccented(initial)
  return [isCapital ? initial.toUpperCase() : initial, ...letters.slice(1)].join('')
}

const unaccented = (text: string): string =>
  text
    .normalize('NFD')
    .replaceAll(/\p{Mn}/gu, '')
    .toLowerCase()

/** What form an apostrophe has, and whether an i has an accent, is told by their ink. */
const QUOTE = /^['’]$/
const SIGN = /^[([{|\]})©®•]/
const PLAIN = /^[A-Za-z]$/

const overlap = ({ rect: a }: Word, { rect: b }: Word): number => Math.min(a.x + a.w, b.x + b.w) - Math.max(a.x, b.x)

const isAt = (a: Word, b: Word): boolean => overlap(a, b) > 0.5 * Math.max(a.rect.w, b.rect.w)

function isAlike(a: string, b: string): boolean {
  const [left, right] = [bare(a), bare(b)]
  // Digits and signs are the first engine's.
  if (!/\p{L}/u.test(b) && left !== right) return b === '€'
  return distance(left, right) <= allowedOff(left.length)
}

/** Letters without accents and case, and one for those that are read for one another. */
const bare = (text: string): string =>
  unaccented(text.replaceAll(/[ßβ]/g, 'b'))
    .replaceAll(/[’‘`´]/g, "'")
    .replaceAll(/[1|!ıi]/g, 'l')
    .replaceAll('0', 'o')

function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 0; i < a.length; i++) {
    const next = [i + 1]
    for (let j = 0; j < b.length; j++) next.push(Math.min(next[j]! + 1, row[j + 1]! + 1, row[j]! + (a[i] === b[j] ? 0 : 1)))
    row = next
  }
  return row.at(-1) ?? 0
}
