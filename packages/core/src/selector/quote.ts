/** Default ignorables hide text from people; U+FE0F stays because every other emoji carries it. */
const FORGING = '[\\p{Cc}\\p{Cf}\\p{Cs}\\p{Co}\\p{Zl}\\p{Zp}]|(?!\\ufe0f)\\p{Default_Ignorable_Code_Point}'
const EVERY_FORGING = new RegExp(FORGING, 'gu')
const UNSAFE = new RegExp(`["\\\\\`]|${FORGING}`, 'u')
const EVERY_UNSAFE = new RegExp(UNSAFE, 'gu')
const SHORT: Record<string, string> = { '"': '\\"', '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' }

/**
 * Text in double quotes on one line, every character that could break out of it or hide in it escaped. The selector grammar
 * reads it back, so what a model copies from an outline into a selector means the same text.
 */
export function quote(text: string): string {
  return `"${UNSAFE.test(text) ? text.replaceAll(EVERY_UNSAFE, escape) : text}"`
}

/** Like `quote`, cut to `max` characters; the ellipsis stands outside of the quotes. */
export function clip(text: string, max = 120): string {
  if (text.length <= max && !UNSAFE.test(text)) return `"${text}"`
  let out = ''
  for (const char of text) {
    const safe = UNSAFE.test(char) ? escape(char) : char
    if (out.length + safe.length > max) return `"${out}"…`
    out += safe
  }
  return `"${out}"`
}

/** A sentence of ours that may hold text from elsewhere, on one line: nothing in it can move a cursor, turn the reading order or hide. */
export function visible(text: string): string {
  return text.replaceAll(EVERY_FORGING, escape)
}

/** JSON that says the same to every reader: inside its texts nothing can turn the reading order or hide. */
export function json(value: unknown, indent?: number): string {
  // A line break that is left stands between the parts, never in a text.
  return JSON.stringify(value, null, indent).replaceAll(EVERY_FORGING, (char) => (char === '\n' ? char : utf16(char)))
}

/** White space as a person sees it: none around, one space between. */
export function plain(text: string): string {
  return UNEVEN.test(text) ? text.trim().replaceAll(/\s+/g, ' ') : text
}

const UNEVEN = /^\s|\s$|\s\s|[^\S ]/

const escape = (char: string): string => SHORT[char] ?? `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`

const utf16 = (char: string): string => char.replaceAll(/[^]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
