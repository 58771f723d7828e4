import { rejection } from './source.ts'

/** Whether the text is a Python number; an integer does not start with 0. */
export function isNumber(text: string): boolean {
  NUMBER.lastIndex = 0
  return NUMBER.exec(text)?.[0] === text && text !== '' && !/^0[\d_]*[1-9][\d_]*$/.test(text)
}

/** Checks token by token what the parser library is lenient about; throws at the first fault. */
export function scan(text: string): void {
  new Scanner(text).run()
}

const MAX_SOURCE = 32_768
const MAX_BRACKETS = 40

const KEEP = /[ \t]+|#[^\n]*|\\\n|\n/y
const WORD = /[A-Za-z_][A-Za-z0-9_]*/y
const NUMBER =
  /(?:0[xX](?:_?[0-9a-fA-F])+|0[oO](?:_?[0-7])+|0[bB](?:_?[01])+|(?:\d(?:_?\d)*)?\.\d(?:_?\d)*(?:[eE][+-]?\d(?:_?\d)*)?|\d(?:_?\d)*\.?(?:[eE][+-]?\d(?:_?\d)*)?)/y
const SIGN = /\*\*=?|\/\/=?|>>=?|<<=?|->|:=|\.\.\.|[-+*/%@&|^<>=!]=|[-+*/%@&|^~<>=()[\]{},:;.]/y
const STRINGS: Record<string, RegExp> = {
  "'": /(?:[^\\\n']|\\[\s\S])*'/y,
  '"': /(?:[^\\\n"]|\\[\s\S])*"/y,
  "'''": /(?:[^\\']|\\[\s\S]|'(?!''))*'''/y,
  '"""': /(?:[^\\"]|\\[\s\S]|"(?!""))*"""/y,
}
const PREFIX = /^(?:[rR]|[uU]|[fF]|[fF][rR]|[rR][fF])$/
const FORBIDDEN = /[\x00-\x08\x0b-\x1f\x7f\u0085\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff\ud800-\udfff]/u

const UNCLOSED = "a '{' of the f-string is never closed; inside the braces use the other kind of quotes"

class Scanner {
  readonly #text: string
  #at = 0
  #depth = 0

  constructor(text: string) {
    this.#text = text
  }

  run(): void {
    if (this.#text.length > MAX_SOURCE) throw rejection(1, 1, `a script can have at most ${MAX_SOURCE} characters; split it`)
    const odd = FORBIDDEN.exec(this.#text)
    if (odd)
      throw this.#fault(
        odd.index,
        `the control character U+${hex(odd[0])} is not allowed; remove it, or write ${escaped(odd[0])} in a string`,
      )
    while (this.#at < this.#text.length) this.#token()
  }

  #token(): void {
    if (this.#match(KEEP) !== undefined) return
    const start = this.#at
    const word = this.#match(WORD)
    const mark = this.#quoteMark()
    if (mark && (word === undefined || isPrefix(word))) return this.#string(start, word ?? '', mark)
    if (word === 'async' || word === 'await') throw this.#fault(start, `${word} is not available; calls already wait for their end`)
    if (word !== undefined) return
    if (/\d|\.\d/.test(this.#text.slice(start, start + 2)) && /[\d.]/.test(this.#text[start] ?? '')) return this.#number(start)
    const sign = this.#match(SIGN)
    if (sign === undefined) throw this.#fault(start, oddCharacter(this.#text.codePointAt(start) ?? 0))
    const doubled = DOUBLED[sign + (this.#text[this.#at] ?? '')]
    if (doubled !== undefined) throw this.#fault(start, doubled)
    if ('([{'.includes(sign)) this.#depth++
    if (')]}'.includes(sign)) this.#depth--
    if (this.#depth > MAX_BRACKETS) throw this.#fault(start, `brackets nest deeper than ${MAX_BRACKETS}; use variables`)
  }

  #number(start: number): void {
    const digits = this.#match(NUMBER) ?? ''
    const [tail = ''] = /^[A-Za-z0-9_]*/.exec(this.#text.slice(this.#at, this.#at + 40)) ?? []
    if (!isNumber(digits) || tail !== '') throw this.#fault(start, oddNumber(digits, tail))
  }

  #string(start: number, prefix: string, mark: string): void {
    if (!PREFIX.test(prefix) && prefix !== '') throw this.#fault(start, 'bytes are not available here; use a plain string')
    this.#at += mark.length
    const body = this.#match(STRINGS[mark] ?? /$/y)
    if (body === undefined)
      throw this.#fault(
        start,
        mark.length === 1
          ? 'the string does not end on its line; write \\n for a line break; a quote inside needs a backslash or the other kind of quotes around'
          : 'the string has no end; it needs the same three quotes there',
      )
    const content = body.slice(0, -mark.length)
    if (!/r/i.test(prefix)) this.#escapes(start, content)
    if (/f/i.test(prefix)) this.#braces(start, content)
  }

  #escapes(start: number, content: string): void {
    for (const { 1: code = '', 2: rest = '' } of content.matchAll(/\\([\s\S])([0-9A-Fa-f]{0,8})/g)) {
      if (code === 'N') throw this.#fault(start, '\\N{...} is not available here; write \\u and the code')
      const need = { x: 2, u: 4, U: 8 }[code]
      if (need === undefined) continue
      if (rest.length < need) throw this.#fault(start, `\\${code} needs ${need} hexadecimal digits`)
      const value = Number.parseInt(rest.slice(0, need), 16)
      if (value > 0x10ffff) throw this.#fault(start, `\\${code}${rest.slice(0, need)} is not a character; the last one is \\U0010ffff`)
      if (value >= 0xd800 && value <= 0xdfff)
        throw this.#fault(start, `\\${code}${rest.slice(0, need)} is half of a character; write the whole one with \\U and 8 digits`)
    }
  }

  /** Outside of its fields an f-string doubles its braces. */
  #braces(start: number, content: string): void {
    for (let i = 0; i < content.length; i++) {
      const c = content[i]
      if ((c === '{' || c === '}') && content[i + 1] === c) i++
      else if (c === '{') i = this.#field(start, content, i + 1, 1)
      else if (c === '}') throw this.#fault(start, "a single '}' in an f-string; write '}}'")
    }
  }

  /** The end of a field that begins at `i`: an expression, then perhaps a format with fields of its own. */
  #field(start: number, content: string, from: number, level: number): number {
    if (level > 2) throw this.#fault(start, 'the fields of the f-string nest too deeply; use a variable')
    let depth = 0
    for (let i = from; i < content.length; i++) {
      const c = content[i] ?? ''
      if (c === '\\' || c === '#') throw this.#fault(start, `${c} cannot stand inside the braces of an f-string; use a variable`)
      if (c === "'" || c === '"') i = this.#quoted(start, content, i, c)
      else if ('([{'.includes(c)) depth++
      else if (depth > 0 && ')]}'.includes(c)) depth--
      else if (c === '}') return i
      else if (c === ':' && depth === 0) return this.#format(start, content, i + 1, level)
    }
    throw this.#fault(start, UNCLOSED)
  }

  #format(start: number, content: string, from: number, level: number): number {
    for (let i = from; i < content.length; i++) {
      if (content.startsWith('{{', i)) throw this.#fault(start, "'{{' cannot stand in the format of a field; use a variable")
      if (content[i] === '{') i = this.#field(start, content, i + 1, level + 1)
      else if (content[i] === '}') return i
    }
    throw this.#fault(start, UNCLOSED)
  }

  /** The last character of a string inside a field. */
  #quoted(start: number, content: string, from: number, mark: string): number {
    const quote = content.startsWith(mark.repeat(3), from) ? mark.repeat(3) : mark
    const end = content.indexOf(quote, from + quote.length)
    if (end < 0) throw this.#fault(start, UNCLOSED)
    if (content.slice(from, end).includes('\\'))
      throw this.#fault(start, 'a backslash cannot stand inside the braces of an f-string; use a variable')
    return end + quote.length - 1
  }

  #quoteMark(): string | undefined {
    const c = this.#text[this.#at]
    if (c !== "'" && c !== '"') return undefined
    return this.#text.startsWith(c.repeat(3), this.#at) ? c.repeat(3) : c
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at
    const found = pattern.exec(this.#text)?.[0]
    if (found !== undefined) this.#at += found.length
    return found
  }

  #fault(index: number, reason: string): Error {
    const before = this.#text.slice(0, index)
    return rejection(before.split('\n').length, index - before.lastIndexOf('\n'), reason)
  }
}

const isPrefix = (word: string): boolean => PREFIX.test(word) || /^(?:b|br|rb)$/i.test(word)
const hex = (c: string): string => (c.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')

const escaped = (c: string): string => {
  const code = (c.codePointAt(0) ?? 0).toString(16)
  return code.length <= 2 ? `\\x${code.padStart(2, '0')}` : `\\u${code.padStart(4, '0')}`
}

/** Operators of other languages that Python would read as two operators. */
const DOUBLED: Readonly<Record<string, string>> = { '&&': 'Python has no &&; write and', '||': 'Python has no ||; write or' }

const INSTEAD: Readonly<Record<string, string>> = {
  '`': 'leave the marks of the code block out',
  '!': 'write not',
  '?': 'write b if a else c',
  '–': 'write -',
  '—': 'write -',
  '−': 'write -',
  '×': 'write *',
  '÷': 'write /',
  '…': 'write it out',
  '\\': 'only the end of a line can have one',
}

function oddCharacter(code: number): string {
  const c = String.fromCodePoint(code)
  const plain = c.normalize('NFKC')
  const instead = INSTEAD[c] ?? (/^[!-~]+$/.test(plain) && plain !== c ? `write ${plain}` : undefined)
  if ('‘’“”«»'.includes(c)) return `${c} is not a quote that Python knows; use ' or "`
  if (/\p{L}/u.test(c)) return `names can only have ASCII letters, digits and _, not ${c}`
  if (/\p{Z}/u.test(c)) return `the space U+${hex(c)} is not allowed here; use a plain one`
  return `${c} is not allowed here${instead === undefined ? '' : `; ${instead}`}`
}

function oddNumber(digits: string, tail: string): string {
  if (/^[jJ]$/.test(tail)) return 'complex numbers are not available; use two floats'
  if (tail === '' && /^0[\d_]+$/.test(digits)) {
    const plain = digits.replace(/^[0_]+/, '')
    return `a whole number cannot start with 0; write ${plain}, or 0o${plain} for an octal one`
  }
  if (isNumber(digits) && /^(?:if|else|and|or|in|is|not|for)$/.test(tail)) return 'put a space after the number'
  return `${digits}${tail} is not a number that Python knows`
}
