/** Where keys stand in a TOML document that is known to parse: the parser gives values, but no lines. */
export interface KeyLines {
  /** The line of the key or header at this path, or of the nearest one around it. */
  line(path: readonly PropertyKey[]): number
}

export function keyLines(source: string): KeyLines {
  const lines = new Map<string, number>()
  new Scanner(source, lines).document()
  return {
    line(path) {
      for (let n = path.length; n > 0; n--) {
        const found = lines.get(id(path.slice(0, n)))
        if (found !== undefined) return found
      }
      return 1
    },
  }
}

type Path = readonly PropertyKey[]
const id = (path: Path): string => JSON.stringify(path)

class Scanner {
  #at = 0
  #line = 1
  readonly #source: string
  readonly #lines: Map<string, number>
  /** How many tables an array of tables has so far. */
  readonly #counts = new Map<string, number>()

  constructor(source: string, lines: Map<string, number>) {
    this.#source = source
    this.#lines = lines
  }

  document(): void {
    let table: Path = []
    for (this.#blank(); this.#at < this.#source.length; this.#blank()) {
      if (this.#peek() === '[') table = this.#header()
      else this.#pair(table)
    }
  }

  #header(): Path {
    const line = this.#line
    const array = this.#source.startsWith('[[', this.#at)
    this.#skip(array ? 2 : 1)
    const keys = this.#key()
    this.#skip(array ? 2 : 1)
    let path = this.#inside(keys.slice(0, -1))
    path = [...path, keys.at(-1) ?? '']
    this.#note(path, line)
    if (array) {
      const count = this.#counts.get(id(path)) ?? 0
      this.#counts.set(id(path), count + 1)
      path = [...path, count]
      this.#note(path, line)
    }
    return path
  }

  /** Header names as a path: a name that is an array of tables means its latest one. */
  #inside(keys: readonly string[]): Path {
    let path: Path = []
    for (const key of keys) {
      path = [...path, key]
      const count = this.#counts.get(id(path))
      if (count !== undefined) path = [...path, count - 1]
    }
    return path
  }

  #pair(table: Path): void {
    const line = this.#line
    let path = table
    for (const key of this.#key()) {
      path = [...path, key]
      this.#note(path, line)
    }
    this.#skip(1) // the equals sign
    this.#spaces()
    this.#value(path)
  }

  #value(path: Path): void {
    const c = this.#peek()
    if (c === '"' || c === "'") this.#string()
    else if (c === '[') this.#items(']', (i) => this.#element([...path, i]))
    else if (c === '{') this.#items('}', () => this.#pair(path))
    else while (this.#at < this.#source.length && !/[,\]}\n#]/.test(this.#peek())) this.#skip(1)
  }

  #element(path: Path): void {
    this.#note(path, this.#line)
    this.#value(path)
  }

  #items(close: string, item: (index: number) => void): void {
    this.#skip(1)
    for (let i = 0; ; i++) {
      this.#blank()
      if (this.#peek() === close || this.#at >= this.#source.length) break
      item(i)
      this.#blank()
      if (this.#peek() === ',') this.#skip(1)
    }
    this.#skip(1)
  }

  /** A bare, quoted or dotted key; stops before `=` or `]`. */
  #key(): string[] {
    const keys: string[] = []
    for (;;) {
      this.#spaces()
      const c = this.#peek()
      if (c === '"' || c === "'") keys.push(this.#string())
      else {
        const start = this.#at
        while (/[A-Za-z0-9_-]/.test(this.#peek())) this.#skip(1)
        keys.push(this.#source.slice(start, this.#at))
      }
      this.#spaces()
      if (this.#peek() !== '.') return keys
      this.#skip(1)
    }
  }

  /** Any of the four strings; the text is exact for single-line ones, which is all a key can be. */
  #string(): string {
    const quote = this.#peek()
    const fence = this.#source.startsWith(quote.repeat(3), this.#at) ? quote.repeat(3) : quote
    this.#skip(fence.length)
    const start = this.#at
    while (this.#at < this.#source.length && !this.#source.startsWith(fence, this.#at)) {
      this.#skip(quote === '"' && this.#peek() === '\\' ? 2 : 1)
    }
    const text = this.#source.slice(start, this.#at)
    this.#skip(fence.length)
    // up to two quotes may stand right before the closing fence
    while (fence.length === 3 && this.#peek() === quote) this.#skip(1)
    return quote === '"' ? unescape(text) : text
  }

  #note(path: Path, line: number): void {
    if (!this.#lines.has(id(path))) this.#lines.set(id(path), line)
  }

  /** Spaces, line ends and comments. */
  #blank(): void {
    for (;;) {
      const c = this.#peek()
      if (c === '#') while (this.#at < this.#source.length && this.#peek() !== '\n') this.#skip(1)
      else if (c !== '' && /\s|\uFEFF/.test(c)) this.#skip(1)
      else return
    }
  }

  #spaces(): void {
    while (this.#peek() === ' ' || this.#peek() === '\t') this.#skip(1)
  }

  #peek(): string {
    return this.#source.charAt(this.#at)
  }

  #skip(count: number): void {
    for (let i = 0; i < count && this.#at < this.#source.length; i++) {
      if (this.#source[this.#at] === '\n') this.#line++
      this.#at++
    }
  }
}

function unescape(text: string): string {
  try {
    const plain: unknown = JSON.parse(`"${text}"`)
    return typeof plain === 'string' ? plain : text
  } catch {
    return text
  }
}
