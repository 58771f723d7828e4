import { textAdvance } from './metrics.ts'

/** One line as it is shown: from an offset up to another; the line break itself belongs to neither. */
export interface Line {
  from: number
  to: number
}

/** Breaks a text at its line ends, and where it would not fit, at a space or between characters. */
export function breakLines(text: string, width: number): Line[] {
  const lines: Line[] = []
  let start = 0
  for (;;) {
    const end = text.indexOf('\n', start)
    wrap(text, start, end === -1 ? text.length : end, width, lines)
    if (end === -1) return lines
    start = end + 1
  }
}

export const lineCount = (text: string, width: number): number => breakLines(text, width).length

/** The line that holds an offset. */
export function lineOf(lines: Line[], at: number): number {
  const found = lines.findLastIndex((l) => l.from <= at)
  return Math.max(0, found)
}

/** The offset in a line that lies nearest to a distance from its start. */
export function offsetAt(text: string, line: Line, x: number): number {
  let at = line.from
  let left = 0
  for (const char of text.slice(line.from, line.to)) {
    const w = textAdvance(char)
    if (left + w / 2 > x) break
    left += w
    at += char.length
  }
  return at
}

function wrap(text: string, from: number, to: number, width: number, lines: Line[]): void {
  let start = from
  let used = 0
  let space = -1
  for (let i = from; i < to;) {
    const char = String.fromCodePoint(text.codePointAt(i) ?? 32)
    const w = textAdvance(char)
    if (used + w > width && i > start) {
      const cut = space > start ? space : i
      lines.push({ from: start, to: cut })
      start = cut
      used = textAdvance(text.slice(start, i))
      space = -1
    }
    used += w
    i += char.length
    if (char === ' ') space = i
  }
  lines.push({ from: start, to })
}
