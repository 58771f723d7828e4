/** How many columns a terminal gives a text, as far as can be told: two for wide characters, none for marks that stand on others. */
export function columns(text: string): number {
  let width = 0
  for (const char of text) width += widthOf(char)
  return width
}

/** Cuts a text to a width; the ellipsis shows that there was more. */
export function fit(text: string, width: number): string {
  if (columns(text) <= width) return text
  let out = ''
  let used = 0
  for (const char of text) {
    const next = widthOf(char)
    if (used + next > width - 1) break
    out += char
    used += next
  }
  return width > 0 ? `${out}…` : ''
}

/** Breaks a text into rows of at most this width, at spaces where it can. */
export function wrap(text: string, width: number): string[] {
  const rows: string[] = []
  let row = ''
  for (const word of text.split(/(?<= )/)) {
    if (row !== '' && columns(row + word.trimEnd()) > width) {
      rows.push(row.trimEnd())
      row = ''
    }
    for (const char of word) {
      if (columns(row) + widthOf(char) > width && char !== ' ') {
        rows.push(row)
        row = ''
      }
      row += char
    }
  }
  return [...rows, row.trimEnd()]
}

/** Letters pile up marks until they cover their neighbours; two are enough for every language. */
export const unstacked = (text: string): string => text.replaceAll(/(\p{M}{2})\p{M}+/gu, '$1…')

const NONE = /^[\p{Mn}\p{Me}\ufe0f]$/u
const WIDE =
  /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\u3000-\u303e\uff01-\uff60\uffe0-\uffe6\p{Emoji_Presentation}]$/u

const widthOf = (char: string): number => (char < '\u0300' ? 1 : NONE.test(char) ? 0 : WIDE.test(char) ? 2 : 1)
