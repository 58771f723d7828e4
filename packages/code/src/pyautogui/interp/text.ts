/** Python counts code points, JavaScript counts UTF-16 units: these helpers count as Python does. */

const SURROGATE = /[\ud800-\udfff]/

/** Whether the string has characters that JavaScript counts as two. */
export const isWide = (s: string): boolean => SURROGATE.test(s)

export function length(s: string): number {
  if (!isWide(s)) return s.length
  let count = 0
  for (let i = 0; i < s.length; i++) if (!isLowHalf(s, i)) count++
  return count
}

export const characters = (s: string): string[] => (isWide(s) ? Array.from(s) : s.split(''))

/** Characters `from` up to `to`, both within the string. */
export function cut(s: string, from: number, to: number): string {
  return isWide(s) ? Array.from(s).slice(from, to).join('') : s.slice(from, to)
}

/** The character number `i`, which is within the string. */
export const characterAt = (s: string, i: number): string => (isWide(s) ? (Array.from(s)[i] ?? '') : s.charAt(i))

/** The character number of a JavaScript index. */
export const numberOf = (s: string, index: number): number => (index <= 0 ? index : length(s.slice(0, index)))

/** The JavaScript index of a character number. */
export function indexOf(s: string, number: number): number {
  if (!isWide(s)) return Math.min(number, s.length)
  let index = 0
  for (let i = 0; i < number && index < s.length; i++) index += isLowHalf(s, index + 1) ? 2 : 1
  return index
}

/** Orders by code point. */
export function compareText(a: string, b: string): number {
  if (a === b) return 0
  if (!isWide(a) && !isWide(b)) return a < b ? -1 : 1
  const left = Array.from(a)
  const right = Array.from(b)
  for (let i = 0; i < left.length && i < right.length; i++) {
    const difference = (left[i]?.codePointAt(0) ?? 0) - (right[i]?.codePointAt(0) ?? 0)
    if (difference !== 0) return difference
  }
  return left.length - right.length
}

/** Python's white space, for use inside a character class. */
export const SPACE = '\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000'

const IS_SPACE = new RegExp(`[${SPACE}]`)

/** `s.strip()`, in one pass from each side. */
export function trim(s: string): string {
  let from = 0
  let to = s.length
  while (from < to && IS_SPACE.test(s.charAt(from))) from++
  while (to > from && IS_SPACE.test(s.charAt(to - 1))) to--
  return s.slice(from, to)
}

const isLowHalf = (s: string, i: number): boolean => {
  const unit = s.charCodeAt(i)
  return unit >= 0xdc00 && unit <= 0xdfff
}

/**
 * Where `part` starts in `s` at or after `from`, or -1. Knuth-Morris-Pratt for long parts: the engine's own search can
 * take time proportional to the product of both lengths, which would let a script hold up a stop.
 */
export function search(s: string, part: string, from = 0): number {
  if (part.length < 64 || s.length < 4096) return s.indexOf(part, from)
  const back = failures(part)
  let matched = 0
  for (let i = from; i < s.length; i++) {
    while (matched > 0 && s.charCodeAt(i) !== part.charCodeAt(matched)) matched = back[matched - 1] ?? 0
    if (s.charCodeAt(i) === part.charCodeAt(matched)) matched++
    if (matched === part.length) return i - matched + 1
  }
  return -1
}

/** Where `part` starts last in `s`, or -1. */
export function searchLast(s: string, part: string): number {
  if (part.length < 64 || s.length < 4096) return s.lastIndexOf(part)
  const at = search(backwards(s), backwards(part))
  return at < 0 ? -1 : s.length - at - part.length
}

/** The UTF-16 units in reverse order; valid text only after reversing again. */
export const backwards = (s: string): string => s.split('').reverse().join('')

function failures(part: string): Int32Array {
  const back = new Int32Array(part.length)
  let k = 0
  for (let i = 1; i < part.length; i++) {
    while (k > 0 && part.charCodeAt(i) !== part.charCodeAt(k)) k = back[k - 1] ?? 0
    if (part.charCodeAt(i) === part.charCodeAt(k)) k++
    back[i] = k
  }
  return back
}

/** Every place of `part`, left to right, without overlap; at most `limit`. */
export function searchAll(s: string, part: string, limit: number): number[] {
  const places: number[] = []
  for (let at = search(s, part); at >= 0 && places.length < limit; at = search(s, part, at + part.length)) places.push(at)
  return places
}
