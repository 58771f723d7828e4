import { DeskhandError } from '@deskhand/core/errors'

interface Located {
  lineno?: number
  col_offset?: number
  end_lineno?: number
  end_col_offset?: number
}

/** A script's text and positions in it, lines and columns counted from 1. */
export class Source {
  readonly text: string
  readonly #lines: readonly string[]
  readonly #isAscii: boolean

  constructor(text: string) {
    this.text = text
    this.#lines = text.split('\n')
    this.#isAscii = /^[\x00-\x7f]*$/.test(text)
  }

  /** The error that names where and why a script is refused. */
  reject(node: Located | undefined, reason: string): DeskhandError {
    const line = node?.lineno ?? 1
    return rejection(line, this.#index(line, node?.col_offset ?? 0) + 1, reason)
  }

  /** The text of a node. */
  slice(node: Located): string {
    return this.between(
      { end_lineno: node.lineno, end_col_offset: node.col_offset },
      { lineno: node.end_lineno, col_offset: node.end_col_offset },
    )
  }

  /** The rest of the line from the node on. */
  from(node: Located): string {
    const line = node.lineno ?? 1
    return this.line(line).slice(this.#index(line, node.col_offset ?? 0))
  }

  startsLine(node: Located): boolean {
    const line = node.lineno ?? 1
    return (
      this.line(line)
        .slice(0, this.#index(line, node.col_offset ?? 0))
        .trim() === ''
    )
  }

  /** Whether one of these texts stands before the node, white space left out. */
  follows(node: Located, texts: readonly string[]): boolean {
    let line = node.lineno ?? 1
    let before = this.line(line)
      .slice(0, this.#index(line, node.col_offset ?? 0))
      .trimEnd()
    while (before === '' && line > 1) before = this.line(--line).trimEnd()
    return texts.some((text) => before.endsWith(text))
  }

  /** The text from the end of one node to the start of another. */
  between(from: Located, to: Located): string {
    const [first, last] = [from.end_lineno ?? 1, to.lineno ?? 1]
    const [start, end] = [this.#index(first, from.end_col_offset ?? 0), this.#index(last, to.col_offset ?? 0)]
    if (first === last) return this.line(first).slice(start, end)
    return [this.line(first).slice(start), ...this.#lines.slice(first, last - 1), this.line(last).slice(0, end)].join('\n')
  }

  line(number: number): string {
    return this.#lines[number - 1] ?? ''
  }

  /** The parser counts columns in UTF-8 bytes. */
  #index(line: number, bytes: number): number {
    return this.#isAscii ? bytes : Buffer.from(this.line(line)).subarray(0, bytes).toString().length
  }
}

export function rejection(line: number, column: number, reason: string): DeskhandError {
  return new DeskhandError('BAD_SCRIPT', `line ${line}, column ${column}: ${reason}`, { details: { line, column, reason } })
}
