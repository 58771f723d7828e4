import { randomBytes } from 'node:crypto'
import { DeskhandError } from '../errors.ts'
import { commitTo, type Commitment, digestOf } from './commitment.ts'
import { encodings } from './encodings.ts'
import { maskPatterns, type Pattern } from './patterns.ts'

export interface Secret {
  name: string
  value: string
}

export interface RedactorOptions {
  /** Values that must not leave, in any encoding. */
  secrets?: Iterable<Secret>
  /** Kinds of text to mask everywhere. */
  patterns?: readonly Pattern[]
  /** Makes commitments comparable later (`loadCommitmentKey`); without it they only hide. */
  key?: Buffer
}

/** Keeps what must not be written or shown out of everything that leaves. */
export interface Redactor {
  /** Stands for a text in the journal: its length and a keyed commitment. */
  commit(text: string, field?: string): Commitment
  /** The same for equal values, and for others not; comparable after a restart where the key is kept. */
  digest(value: unknown): string
  text(text: string): string
  /** A copy of a JSON value with every string in it redacted, keys too. */
  value(value: unknown): unknown
}

export function createRedactor(options: RedactorOptions = {}): Redactor {
  const key = options.key ?? randomBytes(32)
  const hideSecrets = secretFilter(options.secrets ?? [])
  const hidePatterns = maskPatterns(options.patterns ?? [])
  const text = (plain: string): string => hidePatterns(hideSecrets(plain))
  return {
    commit: (plain, field = 'text') => commitTo(key, field, plain),
    digest: (value) => digestOf(key, value),
    text,
    value: (value) => deep(value, text, hideSecrets, 0),
  }
}

/** Shorter secrets would mask ordinary text, or a single keystroke. */
const SHORTEST_SECRET = 4
/** Shorter numbers are left, as they may be coordinates. */
const SHORTEST_NUMBER = 6
const DEEPEST = 200

function secretFilter(secrets: Iterable<Secret>): (text: string) => string {
  const names = new Map<string, string>()
  for (const { name, value } of secrets) {
    if (value.length < SHORTEST_SECRET) {
      throw new DeskhandError('BAD_CONFIG', `The secret "${name}" is too short to be kept out of what leaves.`, {
        next: `Use a secret of at least ${SHORTEST_SECRET} characters.`,
      })
    }
    const mask = `[secret:${name.replaceAll(/[^\w.-]/g, '_')}]`
    for (const form of encodings(value)) if (!names.has(form)) names.set(form, mask)
  }
  if (names.size === 0) return (text) => text
  const longestFirst = [...names.keys()].sort((a, b) => b.length - a.length)
  const any = new RegExp(longestFirst.map(escapeRegExp).join('|'), 'g')
  return (text) => text.replace(any, (found) => names.get(found) ?? '[secret]')
}

const escapeRegExp = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')

type Hide = (plain: string) => string

function deep(value: unknown, text: Hide, hideSecrets: Hide, depth: number): unknown {
  if (typeof value === 'string') return text(value)
  if (typeof value === 'number') {
    const digits = String(value)
    const hidden = digits.length < SHORTEST_NUMBER ? digits : hideSecrets(digits)
    return hidden === digits ? value : hidden
  }
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return value
  if (depth >= DEEPEST) return '[nested too deeply]'
  if (Array.isArray(value)) return value.map((item) => deep(item, text, hideSecrets, depth + 1))
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [text(name), deep(item, text, hideSecrets, depth + 1)]))
}
