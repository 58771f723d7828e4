/** A piece of a reply: code in a fence with its language, or the text between fences. */
export interface Block {
  language?: string
  text: string
}

const DELIMITER = /^[ \t]*-{3}DELIMITER-{3}[ \t]*$/
/** How many later fences may be tried when the code up to the first one does not compile. */
const LOOKS = 40

/** The blocks of each part of a reply; a delimiter on a line of its own ends a part, also inside of a fence. */
export function blocksOf(text: string, makesSense: (code: string) => boolean): Block[][] {
  return new Reader(text.split('\n'), makesSense).run()
}

class Reader {
  readonly #lines: readonly string[]
  readonly #makesSense: (code: string) => boolean
  readonly #parts: Block[][] = [[]]
  #prose: string[] = []
  #at = 0
  #looks = LOOKS

  constructor(lines: readonly string[], makesSense: (code: string) => boolean) {
    this.#lines = lines
    this.#makesSense = makesSense
  }

  run(): Block[][] {
    while (this.#at < this.#lines.length) this.#line(this.#lines[this.#at++] ?? '')
    this.#add({ text: '' })
    return this.#parts
  }

  #line(line: string): void {
    if (DELIMITER.test(line)) return this.#nextPart()
    const found = opening(line)
    if (!found) return void this.#prose.push(line)
    this.#add({ text: '' }, found.before)
    if (found.content !== undefined) return this.#add({ language: '', text: found.content })
    while (this.#fence(found.mark, found.language)) this.#nextPart()
  }

  /** Reads on to the end of the fence; true where only the part ends. */
  #fence(mark: string, language: string): boolean {
    const end = this.#end(mark)
    const last = this.#lines[end] ?? ''
    const isPart = DELIMITER.test(last)
    const inside = this.#lines.slice(this.#at, end)
    this.#add({ language, text: [...inside, isPart ? '' : (closing(last, mark) ?? '')].join('\n').trimEnd() })
    this.#at = end + 1
    return isPart
  }

  /** The line that ends the fence: the first candidate, unless the code compiles only up to a later one. */
  #end(mark: string): number {
    const ends = this.#ends(mark, 1)
    const [first = this.#lines.length] = ends
    if (this.#looks <= 0 || this.#isWhole(first, mark)) return first
    return this.#ends(mark, 8).find((end) => this.#looks-- > 0 && this.#isWhole(end, mark)) ?? first
  }

  #isWhole(end: number, mark: string): boolean {
    const rest = closing(this.#lines[end] ?? '', mark)
    return this.#makesSense([...this.#lines.slice(this.#at, end), rest ?? ''].join('\n'))
  }

  #ends(mark: string, most: number): number[] {
    const found: number[] = []
    for (let i = this.#at; i < this.#lines.length && found.length < most; i++) {
      const line = this.#lines[i] ?? ''
      if (DELIMITER.test(line)) return [...found, i]
      if (closing(line, mark) !== undefined) found.push(i)
    }
    return found
  }

  #add(block: Block, before = ''): void {
    const prose = [...this.#prose, before].join('\n')
    this.#prose = []
    const part = this.#parts.at(-1) ?? []
    if (prose.trim() !== '') part.push({ text: prose })
    if (block.text.trim() !== '') part.push(block)
  }

  #nextPart(): void {
    this.#add({ text: '' })
    this.#parts.push([])
  }
}

interface Opening {
  before: string
  mark: string
  language: string
  /** The code, where the fence ends on the same line. */
  content?: string
}

function opening(line: string): Opening | undefined {
  const at = line.search(/```|~~~/)
  const [mark = ''] = /^(?:`+|~+)/.exec(line.slice(Math.max(0, at))) ?? []
  const before = line.slice(0, Math.max(0, at))
  const rest = line.slice(at + mark.length).trim()
  if (at < 0 || (mark.startsWith('~') && before.trim() !== '')) return undefined
  const [language = ''] = /^[\w+#-]*/.exec(rest) ?? []
  if (!rest.includes('`')) return { before, mark, language: language.toLowerCase() }
  const content = rest.endsWith(mark) ? rest.slice(0, -mark.length).trim() : '`'
  return content.includes('`') ? undefined : { before, mark, language: '', content: content.replace(/^(?:python3?|py)\s/i, '') }
}

/** The text before the mark on a line that can close a fence; undefined for other lines. */
function closing(line: string, mark: string): string | undefined {
  const trimmed = line.trimEnd()
  if (!trimmed.endsWith(mark)) return undefined
  const before = trimmed.slice(0, -mark.length).trimEnd()
  const isAlone = before.replaceAll(mark.slice(0, 1), '').trim() === ''
  return isAlone ? '' : before.includes(mark) ? undefined : before
}
