import { DeskhandError } from '@deskhand/core/errors'

interface Located {
  lineno?: number
  col_offset?: number
  end_lineno?: number
  end_col_offset?: number
}

/** A script's text and the places in it, lines and columns counted from 1. */
export class Source {
  readonly text: string
  private readonly lines: readonly string[]
  private readonly isAscii: boolean

  constructor(text: string) {
    this.text = text
    this.lines = text.split('\n')
    // oxlint-disable-next-line no-control-regex -- exactly the ASCII range
    this.isAscii = /^[\x00-\x7f]*$/.test(text)
  }

  /** The error that names where and why a script is refused. */
  reject(node: Located | undefined, reason: string): DeskhandError {
    const line = node?.lineno ?? 1
    return rejection(line, this.index(line, node?.col_offset ?? 0) + 1, reason)
  }

  /** The text of a node that stands on one line. */
  slice(node: Located): string {
    const line = node.lineno ?? 1
    return node.end_lineno === line ? this.line(line).slice(this.index(line, node.col_offset ?? 0), this.index(line, node.end_col_offset ?? 0)) : ''
  }

  startsWith(node: Located, text: string): boolean {
    const line = node.lineno ?? 1
    return this.line(line).startsWith(text, this.index(line, node.col_offset ?? 0))
  }

  line(number: number): string {
    return this.lines[number - 1] ?? ''
  }

  /** The parser counts columns in UTF-8 bytes. */
  private index(line: number, bytes: number): number {
    return this.isAscii ? bytes : Buffer.from(this.line(line)).subarray(0, bytes).toString().length
  }
}

export function rejection(line: number, column: number, reason: string): DeskhandError {
  return new DeskhandError('BAD_SCRIPT', `line ${line}, column ${column}: ${reason}`, { details: { line, column, reason } })
}
