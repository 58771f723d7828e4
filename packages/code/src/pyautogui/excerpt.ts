const WIDEST = 100

/** A line of a script with a mark below the column, both counted from 1. An error on an empty line is marked at the end of the last line before it. */
export function excerpt(script: string, line: number, column?: number): string | undefined {
  const lines = script.replace(/^\ufeff/, '').split(/\r\n?|\n/)
  const text = lines[line - 1]?.replaceAll('\t', ' ') ?? ''
  if (text.trim() === '') {
    const last = lines.slice(0, line - 1).findLastIndex((l) => l.trim() !== '')
    return last < 0 ? undefined : excerpt(script, last + 1, (lines[last]?.length ?? 0) + 1)
  }
  const from = column === undefined ? 0 : Math.max(0, column - 1 - WIDEST / 2)
  const shown = `${from > 0 ? '…' : ''}${text.slice(from, from + WIDEST)}${text.length > from + WIDEST ? '…' : ''}`
  const head = `${String(line).padStart(4)} | `
  if (column === undefined) return head + shown
  const before = Math.min(column - 1 - from, WIDEST) + (from > 0 ? 1 : 0)
  return `${head}${shown}\n${' '.repeat(head.length - 2)}| ${' '.repeat(before)}^`
}
