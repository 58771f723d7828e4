import { characters, cut, length } from './text.ts'

/** `s.title()`. ASCII is changed in place, as replacing word by word is slow for long texts. */
export function titleCase(s: string): string {
  const plain = asciiCodes(s)
  if (!plain) return s.replace(/(\p{Cased})(\p{Cased}*)/gu, (_all, first: string, others: string) => titled(first) + others.toLowerCase())
  let inWord = false
  for (const [i, c] of plain.entries()) {
    if (inWord ? isUpper(c) : isLower(c)) plain[i] = c ^ CASE
    inWord = isUpper(c) || isLower(c)
  }
  return plain.toString('latin1')
}

/** `s.swapcase()`. */
export function swapCase(s: string): string {
  const plain = asciiCodes(s)
  if (!plain)
    return characters(s)
      .map((c) => (c === c.toLowerCase() ? c.toUpperCase() : c.toLowerCase()))
      .join('')
  for (const [i, c] of plain.entries()) if (isUpper(c) || isLower(c)) plain[i] = c ^ CASE
  return plain.toString('latin1')
}

const CASE = 32
const isUpper = (c: number): boolean => c >= 65 && c <= 90
const isLower = (c: number): boolean => c >= 97 && c <= 122
// oxlint-disable-next-line no-control-regex
const asciiCodes = (s: string): Buffer | undefined => (/^[\x00-\x7f]*$/.test(s) ? Buffer.from(s, 'latin1') : undefined)

/** Digraphs have a title case of their own. */
const DIGRAPHS: Readonly<Record<string, string>> = { Ǆ: 'ǅ', Ǉ: 'ǈ', Ǌ: 'ǋ', Ǳ: 'ǲ' }

export function titled(c: string): string {
  const upper = c.toUpperCase()
  return length(upper) > length(c) && /^\p{Cased}/u.test(upper)
    ? cut(upper, 0, 1) + cut(upper, 1, length(upper)).toLowerCase()
    : (DIGRAPHS[upper] ?? upper)
}
