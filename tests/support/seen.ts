import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect } from 'vitest'

const DOC = fileURLToPath(new URL('../../docs/windows.md', import.meta.url))

interface Row {
  capability: string
  where: 'Wine' | 'a double' | 'nowhere'
  answer: string
}

/** What a run saw of Windows, for its part of the table in docs/windows.md. */
export class Seen {
  readonly #part: string
  readonly #rows: Row[] = []

  constructor(part: string) {
    this.#part = part
  }

  on(where: 'Wine' | 'a double', ...capabilities: string[]): void {
    for (const capability of capabilities) this.#rows.push({ capability, where, answer: '' })
  }

  /** What Wine cannot do: where it was proved instead, and how Wine answered. */
  gap(capability: string, where: 'a double' | 'nowhere', answer: string): void {
    this.#rows.push({ capability, where, answer })
  }

  /** The document has to say exactly this; with DESKHAND_WRITE_DOCS it is written. */
  mustBeTold(): void {
    const gaps = this.#rows.filter(({ answer }) => answer !== '').length
    const lines = this.#rows.map(({ capability, where, answer }) => `| ${capability} | ${where} | ${answer} |`)
    const table = [
      '| capability | seen on | what Wine answered |',
      '| --- | --- | --- |',
      ...lines,
      '',
      `Gaps of Wine here: ${gaps}.`,
    ].join('\n')
    const text = readFileSync(DOC, 'utf8')
    const [from, to] = [`<!-- seen: ${this.#part} -->\n`, '\n<!-- end -->']
    const start = text.indexOf(from) + from.length
    const end = text.indexOf(to, start)
    expect(text, `docs/windows.md has no part for ${this.#part}`).toContain(from)
    if (process.env.DESKHAND_WRITE_DOCS !== undefined) writeFileSync(DOC, text.slice(0, start) + table + text.slice(end))
    else expect(text.slice(start, end)).toBe(table)
  }
}
