import { TWINS } from './look-alikes.ts'

/** A text in the forms that rules compare: as the application wrote it, and as a person reads it. */
export interface Spelling {
  /** For an allow: what the application wrote, case apart. */
  exact: string
  /** For a deny or a question: without what cannot be seen, look-alikes as the Latin letters, white space evened out. */
  folded: string
  /** What a regex of a deny is tried on beside `exact` and `folded`, as a pattern cannot be folded itself. */
  others: readonly string[]
}

/** The spellings of a text. The same names come again with every call. */
export function spell(text: string): Spelling {
  const known = KNOWN.get(text)
  if (known !== undefined) return known
  const made = spelled(text)
  if (KNOWN.size >= MOST_KNOWN) KNOWN.clear()
  if (text.length <= LONGEST_KNOWN) KNOWN.set(text, made)
  return made
}

export const fold = (text: string): string => alike(read(text))

/** The same of a glob, whose signs stay what they are: a range of digits is none of letters. */
export const foldGlob = (pattern: string): string => (pattern.includes('[') ? read(pattern) : fold(pattern))

/** A capital i, an l and a one are drawn alike, and so are an o and a zero. */
const alike = (text: string): string => text.replaceAll(ALIKE, (char) => (char === '0' ? 'o' : 'l'))

/** A text as a person reads its letters. */
function read(text: string): string {
  if (PLAIN.test(text)) return evened(text.toLowerCase())
  const bare = unmarked(text.replaceAll(BLANKS, ' ').normalize('NFKD'))
  let latin = ''
  for (const char of bare) latin += TWINS.get(char) ?? char
  return evened(latin.normalize('NFC').toLowerCase())
}

function spelled(text: string): Spelling {
  const exact = text.toLowerCase()
  const letters = read(text)
  const folded = alike(letters)
  if (PLAIN.test(text)) return { exact, folded, others: letters === exact ? NONE : [letters] }
  const seen = evened(unmarked(text.normalize('NFKC')).toLowerCase())
  const turned = text.includes(RIGHT_TO_LEFT) ? read(inReadingOrder(text)) : undefined
  return { exact, folded, others: [...new Set([seen, letters, ...(turned === undefined ? [] : [turned, alike(turned)])])] }
}

const evened = (text: string): string => (UNEVEN.test(text) ? text.replaceAll(SPACES, ' ').trim() : text)

/** Behind the mark, people read the characters from the last to the first. */
function inReadingOrder(text: string): string {
  const at = text.indexOf(RIGHT_TO_LEFT)
  const end = text.indexOf(POP, at)
  const run = text.slice(at + 1, end < 0 ? undefined : end)
  return text.slice(0, at) + [...run].toReversed().join('') + (end < 0 ? '' : text.slice(end + 1))
}

const KNOWN = new Map<string, Spelling>()
const MOST_KNOWN = 2_000
const LONGEST_KNOWN = 500
const NONE: readonly string[] = []
const RIGHT_TO_LEFT = '\u202e'
const POP = '\u202c'
/** Nothing in it folds but case and white space. */
const PLAIN = /^[\t\n\r -~]*$/
const UNEVEN = /^\s|\s$|\s\s|[^\S ]/
const ALIKE = /[i10|]/g
const SPACES = /[\s\p{Z}]+/gu
/** Drawn as nothing, but as wide as a letter. */
const BLANKS = /[\u115f\u1160\u2800\u3164\uffa0]/g
/** Scripts whose marks are letters. */
const MARKED = [
  ...['Devanagari', 'Bengali', 'Gurmukhi', 'Gujarati', 'Oriya', 'Tamil', 'Telugu', 'Kannada', 'Malayalam', 'Sinhala'],
  ...['Thai', 'Lao', 'Tibetan', 'Myanmar', 'Khmer'],
].map((script) => `\\p{Script=${script}}`)
const UNSEEN = new RegExp(`(?![\\t-\\r]|[${MARKED.join('')}]|\u3099|\u309a)[\\p{Mn}\\p{Cf}\\p{Cc}\\p{Default_Ignorable_Code_Point}]`, 'gu')

/** Without marks over letters, and without what has no width: joiners, directions, soft hyphens, selectors, tags. */
export const unmarked = (text: string): string => text.replaceAll(UNSEEN, '')
