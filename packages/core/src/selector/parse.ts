import { DeskhandError } from '../errors.ts'
import { toRole } from '../model/index.ts'
import { FLAG_KEYS, RELATIONS, TEXT_KEYS, type Expr, type Find, type FlagKey, type Link, type Op, type Path } from './ast.ts'
import type { Relation, Selector, TextKey } from './ast.ts'
import { NEXT, badSelector, hintForKey, hintForPrefix, hintForRole } from './complain.ts'
import { ourSpelling } from './foreign.ts'
import { KNOWN_PREFIXES, type Prefixes } from './prefixes.ts'
import { regexProblem } from './regex.ts'

const MAX_LENGTH = 4096
/** Each alternative can be a search of its own through the whole desktop. */
const MOST_ALTERNATIVES = 16
const MAX_DEPTH = 50

/**
 * Reads a selector; BAD_SELECTOR points at the column and says what was expected there. `prefixes`: what drivers claim beyond the known ones;
 * any, where the desktop is not known yet.
 */
export function parse(text: string, prefixes?: Prefixes | 'any'): Selector {
  try {
    return new Parser(text, prefixes).selector()
  } catch (thrown) {
    const spelling = ourSpelling(text, (other) => isSelector(other, prefixes))
    if (spelling === undefined || !(thrown instanceof DeskhandError)) throw thrown
    // With the right spelling nobody needs the list of all words.
    const message = thrown.message.replace(/; the (?:keys|roles) are .*/, '')
    throw new DeskhandError('BAD_SELECTOR', message, { next: `Write ${spelling}`, details: thrown.details })
  }
}

function isSelector(text: string, prefixes?: Prefixes | 'any'): boolean {
  try {
    new Parser(text, prefixes).selector()
    return true
  } catch {
    return false
  }
}

const KEYS = new Map<string, FlagKey | TextKey>([...FLAG_KEYS, ...TEXT_KEYS, 'role' as const].map((k) => [k.toLowerCase(), k]))
const KNOWN: ReadonlySet<string> = new Set(KNOWN_PREFIXES)
const FLAGS: ReadonlySet<string> = new Set(FLAG_KEYS)
const isFlag = (key: string): key is FlagKey => FLAGS.has(key)
const isRelation = (word: string | undefined): word is Relation => RELATIONS.some((r) => r === word)

const WORD = /[A-Za-z][A-Za-z0-9_-]*/y
const PREFIX = /([A-Za-z][A-Za-z0-9]*)\s*:/y
const ATTRIBUTE = /[\w.:-]+/y
const OP = /[!~^$*]?=/y
const OPERATOR = /\s*[!~^$*]?=/y
const BARE = /[^\s"'`()&|!<>?=]+/y
const NUMBER = /\d+(?:\.\d+)?/y
const INTEGER = /-?\d+/y
const REGEX = /\/((?:\\[^\p{Cc}]|[^/\\\p{Cc}])+)\/([a-z]*)/uy
const ESCAPE = /\\(?:(["'\\nrt])|u\{([0-9a-fA-F]{1,6})\}|u([0-9a-fA-F]{4}))/y
const ESCAPED: Record<string, string> = { n: '\n', r: '\r', t: '\t' }

class Parser {
  readonly #text: string
  readonly #prefixes: ReadonlySet<string> | undefined
  #at = 0
  #depth = 0

  constructor(text: string, prefixes?: Prefixes | 'any') {
    this.#text = text
    if (prefixes !== 'any') this.#prefixes = prefixes ? new Set([...KNOWN_PREFIXES, ...prefixes.keys()]) : KNOWN
    if (text.length > MAX_LENGTH) this.#fail(`at most ${MAX_LENGTH} characters`, MAX_LENGTH)
  }

  selector(): Selector {
    const alternatives = [this.#path()]
    while (this.#eat('??')) {
      if (alternatives.length === MOST_ALTERNATIVES) this.#fail(`at most ${MOST_ALTERNATIVES} alternatives`)
      alternatives.push(this.#path())
    }
    if (this.#at < this.#text.length) this.#fail(NEXT)
    return { alternatives }
  }

  #path(): Path {
    const path: Path = { first: this.#find(), links: [] }
    while (this.#eat('>>')) path.links.push(this.#link())
    return path
  }

  #link(): Link {
    this.#space()
    const start = this.#at
    const word = this.#read(WORD)?.[0].toLowerCase()
    if (word === 'nth' && this.#eat('=')) {
      this.#space()
      const index = this.#read(INTEGER)?.[0] ?? this.#fail('a whole number; nth counts from 0, and -1 is the last')
      return { type: 'nth', index: Math.max(-1e9, Math.min(1e9, Number(index))) + 0 }
    }
    if (isRelation(word)) {
      let max: number | undefined
      if (this.#eat('(')) {
        this.#space()
        max = Math.min(1e9, Number(this.#read(NUMBER)?.[0] ?? this.#fail('a distance in pixels')))
        if (!this.#eat(')')) this.#fail('")"')
      }
      if (!this.#eat('>>')) this.#fail(`">>" and what to look for ${word} it`)
      return { type: 'relation', relation: word, ...(max !== undefined && { max }), find: this.#find() }
    }
    this.#at = start
    return { type: 'within', find: this.#find() }
  }

  #find(): Find {
    this.#space()
    const start = this.#at
    const word = this.#read(PREFIX)?.[1]?.toLowerCase() ?? 'any'
    if (this.#prefixes?.has(word) === false) {
      const known = [...this.#prefixes]
      return this.#fail(`a prefix: ${known.join(', ')}`, start, hintForPrefix(word, known))
    }
    return { prefix: word, expr: this.#or() }
  }

  #or(): Expr {
    return this.#chain('or', '||', () => this.#chain('and', '&&', () => this.#not()))
  }

  #chain(type: 'and' | 'or', sign: string, item: () => Expr): Expr {
    const first = item()
    if (!this.#eat(sign)) return first
    const of = [first, item()]
    while (this.#eat(sign)) of.push(item())
    return { type, of }
  }

  #not(): Expr {
    if (++this.#depth > MAX_DEPTH) this.#fail('fewer nested parentheses and "!"')
    let expr: Expr
    if (this.#eat('!')) expr = { type: 'not', of: this.#not() }
    else if (this.#eat('(')) {
      expr = this.#or()
      if (!this.#eat(')')) this.#fail('")" or "&&" or "||"')
    } else expr = this.#atom()
    this.#depth--
    return expr
  }

  #atom(): Expr {
    this.#space()
    if (this.#quoted()) return { type: 'bare', text: this.#string() }
    const start = this.#at
    const word = this.#read(WORD)?.[0] ?? this.#fail('a condition such as role=button or name="Save"')
    if (/^e\d+$/.test(word) && !this.#isNext(OPERATOR)) return { type: 'element', id: word }
    if (word.toLowerCase() === 'has' && this.#eat('(')) {
      const of = this.#or()
      return this.#eat(')') ? { type: 'has', of } : this.#fail('")" or "&&" or "||"')
    }
    const key = this.#key(word, start)
    this.#space()
    const op = this.#op(word, start)
    this.#space()
    if (this.#text[this.#at] === '=') this.#fail('a value', this.#at, 'equality is a single "="')
    if (isFlag(key)) return this.#flag(key, op)
    if (key === 'role' && (op === '=' || op === '!=')) return this.#role(op)
    return this.#compared(key, op)
  }

  #key(word: string, start: number): FlagKey | TextKey {
    if (word.toLowerCase() === 'attr' && this.#text[this.#at] === '.') {
      this.#at++
      const name = this.#quoted() ? this.#string() : this.#read(ATTRIBUTE)?.[0]
      return `attr.${name || this.#fail('the name of an attribute')}`
    }
    const key = KEYS.get(word.toLowerCase())
    return key ?? this.#fail('a key', start, hintForKey(word, [...KEYS.values()]))
  }

  #op(word: string, start: number): Op {
    const op = this.#read(OP)?.[0]
    if (op === '*=') return '~='
    if (op === '=' || op === '!=' || op === '~=' || op === '^=' || op === '$=') return op
    return isFlag(word)
      ? this.#fail('"=" or "!="', this.#at, `write ${word}=true`)
      : this.#fail(`an operator after ${this.#text.slice(start, this.#at).trim()}: = != ~= ^= $=`)
  }

  #flag(key: FlagKey, op: Op): Expr {
    if (op !== '=' && op !== '!=') this.#fail(`"=" or "!=" after ${key}`, this.#at - 2)
    const start = this.#at
    const word = (this.#quoted() ? this.#string() : (this.#read(BARE)?.[0] ?? '')).toLowerCase()
    if (word === 'true' || word === 'false') return { type: 'flag', key, op, value: word === 'true' }
    if (word === 'mixed' && key === 'checked') return { type: 'flag', key, op, value: 'mixed' }
    return this.#fail(key === 'checked' ? 'true, false or mixed' : 'true or false', start)
  }

  #role(op: '=' | '!='): Expr {
    const start = this.#at
    const word = this.#quoted() ? this.#string() : (this.#read(BARE)?.[0] ?? this.#fail('a role such as button'))
    const role = toRole(word)
    if (role) return { type: 'role', op, role }
    const both = this.#text.slice(start).match(/^\w+\s+\w+/)?.[0]
    return this.#fail('a known role', start, both && toRole(both) ? `write role="${both}"` : hintForRole(word))
  }

  #compared(key: TextKey, op: Op): Expr {
    if (this.#quoted()) return { type: 'text', key, op, value: this.#string() }
    const start = this.#at
    if (this.#text[start] === '/') {
      if (op !== '~=' && op !== '=') this.#fail('a value in quotes', start, 'a regular expression follows "~=", a path stands in quotes')
      const regex = this.#read(REGEX) ?? this.#fail('a regular expression on one line, closed by "/"')
      const source = (regex[1] ?? '').replaceAll(/\\./gsu, (pair) => (pair === '\\/' ? '/' : pair))
      const flags = [...new Set(regex[2])].toSorted().join('')
      const problem = regexProblem(source, flags)
      return problem
        ? this.#fail('a regular expression of RE2', start, op === '=' ? `${problem}; a path stands in quotes` : problem)
        : { type: 'regex', key, source, flags }
    }
    return { type: 'text', key, op, value: this.#read(BARE)?.[0] ?? this.#fail(`a value after ${op}`) }
  }

  #quoted(): boolean {
    return this.#text[this.#at] === '"' || this.#text[this.#at] === "'"
  }

  #string(): string {
    const start = this.#at
    const mark = this.#text[this.#at++]
    let out = ''
    while (this.#at < this.#text.length) {
      const char = this.#text[this.#at]
      if (char === mark) {
        this.#at++
        return out
      }
      if (char === '\\') out += this.#escape()
      else {
        out += char
        this.#at++
      }
    }
    return this.#fail(`the closing ${mark} of the string that begins at column ${start + 1}`)
  }

  #escape(): string {
    const start = this.#at
    const found = this.#read(ESCAPE)
    const code = parseInt(found?.[2] ?? found?.[3] ?? '0', 16)
    if (!found || code > 0x10ffff)
      return this.#fail('an escape: \\" \\\' \\\\ \\n \\r \\t \\u{…}', start, 'a backslash itself is written \\\\')
    return found[1] === undefined ? String.fromCodePoint(code) : (ESCAPED[found[1]] ?? found[1])
  }

  #space(): void {
    while (this.#at < this.#text.length && /\s/.test(this.#text[this.#at] ?? '')) this.#at++
  }

  #eat(sign: string): boolean {
    this.#space()
    if (!this.#text.startsWith(sign, this.#at)) return false
    this.#at += sign.length
    return true
  }

  #isNext(pattern: RegExp): boolean {
    pattern.lastIndex = this.#at
    return pattern.test(this.#text)
  }

  #read(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.#at
    const found = pattern.exec(this.#text) ?? undefined
    if (found) this.#at = pattern.lastIndex
    return found
  }

  #fail(expected: string, at = this.#at, hint?: string): never {
    throw badSelector(this.#text, at, expected, hint)
  }
}
