import { swapCase, titleCase, titled } from './casing.ts'
import { error } from './exceptions.ts'
import { fit, text, whole } from './fit.ts'
import { toArray } from './iterate.ts'
import type { Machine } from './machine.ts'
import type { Method } from './methods.ts'
import { isPrintable } from './repr.ts'
import { formatTemplate } from './template.ts'
import { backwards, characters, cut, indexOf, length, numberOf, search, searchAll, searchLast, SPACE } from './text.ts'
import { typeName } from './types.ts'
import { PyList, PyTuple, type Kwargs, type Value } from './values.ts'

const NONE: Kwargs = new Map()

type Now = (m: Machine, self: string, args: readonly Value[], kwargs: Kwargs) => Value

const now = (code: Now, keywords = false): Method<string> => ({
  now: (m, self, args, kwargs) => {
    if (kwargs.size > 0 && !keywords) throw error('TypeError', 'the method takes no keyword arguments')
    m.budget.work(self.length)
    const result = code(m, self, args, kwargs)
    if (typeof result === 'string') m.budget.text(result.length)
    return result
  },
})

/** A method without arguments. */
const plain = (name: string, code: (self: string) => Value): [string, Method<string>] => [
  name,
  now((_m, self, args) => {
    fit(name, args, NONE, 0, [])
    return code(self)
  }),
]

const every = (name: string, pattern: RegExp): [string, Method<string>] =>
  plain(name, (s) => s !== '' && characters(s).every((c) => pattern.test(c)))

export const stringMethods: ReadonlyMap<string, Method<string>> = new Map<string, Method<string>>([
  plain('upper', (s) => s.toUpperCase()),
  plain('lower', (s) => s.toLowerCase()),
  plain('casefold', (s) => s.toLowerCase().replaceAll('ß', 'ss')),
  plain('title', titleCase),
  plain('capitalize', (s) => titled(cut(s, 0, 1)) + cut(s, 1, length(s)).toLowerCase()),
  plain('swapcase', swapCase),
  every('isalpha', /^\p{L}$/u),
  every('isdigit', /^[\p{Nd}²³¹⁰⁴-⁹₀-₉]$/u),
  every('isdecimal', /^\p{Nd}$/u),
  every('isnumeric', /^\p{N}$/u),
  every('isalnum', /^[\p{L}\p{N}]$/u),
  every('isspace', new RegExp(`^[${SPACE}]$`, 'u')),
  plain('isupper', (s) => /\p{Lu}/u.test(s) && !/[\p{Ll}\p{Lt}]/u.test(s)),
  plain('islower', (s) => /\p{Ll}/u.test(s) && !/[\p{Lu}\p{Lt}]/u.test(s)),
  plain('istitle', (s) => /\p{Cased}/u.test(s) && titleCase(s) === s),
  plain('isidentifier', (s) => /^[\p{XID_Start}_]\p{XID_Continue}*$/u.test(s)),
  plain('isprintable', (s) => characters(s).every(isPrintable)),
  plain('isascii', (s) => /^[\x00-\x7f]*$/.test(s)),
  ['strip', now((_m, s, args) => strip('strip', s, args, true, true))],
  ['lstrip', now((_m, s, args) => strip('lstrip', s, args, true, false))],
  ['rstrip', now((_m, s, args) => strip('rstrip', s, args, false, true))],
  ['split', now((m, s, args, kwargs) => split(m, s, args, kwargs, false), true)],
  ['rsplit', now((m, s, args, kwargs) => split(m, s, args, kwargs, true), true)],
  ['splitlines', now(splitLines, true)],
  ['partition', now((_m, s, args) => partition('partition', s, args, false))],
  ['rpartition', now((_m, s, args) => partition('rpartition', s, args, true))],
  ['replace', now(replace)],
  ['startswith', now((_m, s, args) => affix('startswith', s, args, (t, p) => t.startsWith(p)))],
  ['endswith', now((_m, s, args) => affix('endswith', s, args, (t, p) => t.endsWith(p)))],
  ['removeprefix', now((_m, s, args) => without('removeprefix', s, args, (p) => (s.startsWith(p) ? s.slice(p.length) : s)))],
  ['removesuffix', now((_m, s, args) => without('removesuffix', s, args, (p) => (p !== '' && s.endsWith(p) ? s.slice(0, -p.length) : s)))],
  ['find', now((_m, s, args) => BigInt(find('find', s, args, false)))],
  ['rfind', now((_m, s, args) => BigInt(find('rfind', s, args, true)))],
  ['index', now((_m, s, args) => found(find('index', s, args, false)))],
  ['rindex', now((_m, s, args) => found(find('rindex', s, args, true)))],
  ['count', now(count)],
  ['ljust', now((m, s, args) => justify(m, 'ljust', s, args, () => 0))],
  ['rjust', now((m, s, args) => justify(m, 'rjust', s, args, (space) => space))],
  ['center', now((m, s, args) => justify(m, 'center', s, args, (space, width) => (space >> 1) + (space & width & 1)))],
  ['zfill', now(zeroFill)],
  ['expandtabs', now(expandTabs, true)],
  ['format', now((m, s, args, kwargs) => formatTemplate(m.budget, s, args, kwargs), true)],
  [
    'join',
    {
      later: function* (m, self, args, kwargs) {
        const [items = null] = fit('join', args, kwargs, 1, ['_items'])
        const parts = (yield* toArray(m, items)).map((item, i) => {
          if (typeof item !== 'string') throw error('TypeError', `sequence item ${i}: expected str instance, ${typeName(item)} found`)
          return item
        })
        m.budget.text(parts.reduce((sum, part) => sum + part.length, 0) + self.length * Math.max(0, parts.length - 1))
        return parts.join(self)
      },
    },
  ],
])

function strip(name: string, s: string, args: readonly Value[], left: boolean, right: boolean): string {
  const [given = null] = fit(name, args, NONE, 0, ['_chars'])
  const gone = given === null ? new RegExp(`[${SPACE}]`, 'u') : new Set(characters(text(given, `${name} arg`)))
  const drops = (c: string | undefined): boolean => c !== undefined && (gone instanceof RegExp ? gone.test(c) : gone.has(c))
  const all = characters(s)
  let from = 0
  let to = all.length
  while (left && from < to && drops(all[from])) from++
  while (right && to > from && drops(all[to - 1])) to--
  return all.slice(from, to).join('')
}

function split(m: Machine, s: string, args: readonly Value[], kwargs: Kwargs, fromRight: boolean): Value {
  const [sep = null, max] = fit('split', args, kwargs, 0, ['sep', 'maxsplit'])
  const limit = whole(max, -1) < 0 ? Infinity : whole(max, -1)
  const parts = sep === null ? words(s, limit, fromRight) : pieces(s, text(sep, 'separator'), limit, fromRight)
  m.budget.items(parts.length)
  return new PyList(parts)
}

function pieces(s: string, sep: string, limit: number, fromRight: boolean): string[] {
  if (sep === '') throw error('ValueError', 'empty separator')
  if (fromRight) return pieces(backwards(s), backwards(sep), limit, false).reverse().map(backwards)
  let from = 0
  const parts = searchAll(s, sep, limit).map((at) => {
    const part = s.slice(from, at)
    from = at + sep.length
    return part
  })
  return [...parts, s.slice(from)]
}

function words(s: string, limit: number, fromRight: boolean): string[] {
  const found = [...s.matchAll(new RegExp(`[^${SPACE}]+`, 'gu'))]
  const all = found.map((w) => w[0])
  if (all.length <= limit) return all
  if (fromRight) {
    const cutAt = found[all.length - limit - 1]
    const head = cutAt ? s.slice(0, cutAt.index + cutAt[0].length) : ''
    return [head, ...all.slice(all.length - limit)]
  }
  return [...all.slice(0, limit), s.slice(found[limit]?.index ?? 0)]
}

function splitLines(m: Machine, s: string, args: readonly Value[], kwargs: Kwargs): Value {
  const [keep = false] = fit('splitlines', args, kwargs, 0, ['keepends'])
  const lines =
    s.match(/[^\n\r\v\f\x1c-\x1e\x85\u2028\u2029]*(?:\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029])|[^\n\r\v\f\x1c-\x1e\x85\u2028\u2029]+$/g) ??
    []
  m.budget.items(lines.length)
  return new PyList(whole(keep, 0) !== 0 ? lines : lines.map((line) => line.replace(/(?:\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029])$/, '')))
}

function partition(name: string, s: string, args: readonly Value[], fromRight: boolean): Value {
  const [given] = fit(name, args, NONE, 1, ['_sep'])
  const sep = text(given, 'separator')
  if (sep === '') throw error('ValueError', 'empty separator')
  const at = fromRight ? searchLast(s, sep) : search(s, sep, 0)
  if (at < 0) return new PyTuple(fromRight ? ['', '', s] : [s, '', ''])
  return new PyTuple([s.slice(0, at), sep, s.slice(at + sep.length)])
}

function replace(m: Machine, s: string, args: readonly Value[]): Value {
  const [old, by, max] = fit('replace', args, NONE, 2, ['_old', '_new', '_count'])
  const from = text(old, 'replace() argument 1')
  const to = text(by, 'replace() argument 2')
  const limit = whole(max, -1) < 0 ? Infinity : whole(max, -1)
  if (from === '') {
    const all = characters(s)
    m.budget.text(s.length + to.length * (all.length + 1))
    return all.map((c, i) => (i < limit ? to + c : c)).join('') + (all.length < limit ? to : '')
  }
  const places = searchAll(s, from, limit)
  m.budget.text(s.length + Math.max(0, to.length - from.length) * places.length)
  let out = ''
  let last = 0
  for (const at of places) {
    out += s.slice(last, at) + to
    last = at + from.length
  }
  return out + s.slice(last)
}

function affix(name: string, s: string, args: readonly Value[], test: (s: string, part: string) => boolean): Value {
  const [part = null, start, stop] = fit(name, args, NONE, 1, ['_part', '_start', '_stop'])
  const within = window(s, start, stop)
  if (within === undefined) return false
  if (typeof part === 'object' && part?.kind === 'tuple') return part.items.some((p) => test(within.piece, text(p, `tuple for ${name}`)))
  if (typeof part !== 'string') throw error('TypeError', `${name} first arg must be str or a tuple of str, not ${typeName(part)}`)
  return test(within.piece, part)
}

function without(name: string, _s: string, args: readonly Value[], cutOff: (part: string) => string): Value {
  return cutOff(text(fit(name, args, NONE, 1, ['_part'])[0], `${name}() argument`))
}

/** The part of `s` that optional bounds leave, and the character it starts at; undefined when they cross. */
function window(s: string, start: Value | undefined, stop: Value | undefined): { piece: string; from: number } | undefined {
  if ((start ?? null) === null && (stop ?? null) === null) return { piece: s, from: 0 }
  const size = length(s)
  const bound = (v: Value | undefined, fallback: number): number => {
    const i = whole(v ?? BigInt(fallback), fallback)
    return i < 0 ? Math.max(0, i + size) : i
  }
  const from = bound(start, 0)
  const to = Math.min(size, bound(stop, size))
  return from > to ? undefined : { piece: s.slice(indexOf(s, from), indexOf(s, to)), from }
}

function find(name: string, s: string, args: readonly Value[], last: boolean): number {
  const [part, start, stop] = fit(name, args, NONE, 1, ['_part', '_start', '_stop'])
  const wanted = text(part, 'argument')
  const within = window(s, start, stop)
  if (!within) return -1
  const at = last ? searchLast(within.piece, wanted) : search(within.piece, wanted, 0)
  return at < 0 ? -1 : within.from + numberOf(within.piece, at)
}

function found(at: number): bigint {
  if (at < 0) throw error('ValueError', 'substring not found')
  return BigInt(at)
}

function count(_m: Machine, s: string, args: readonly Value[]): Value {
  const [part, start, stop] = fit('count', args, NONE, 1, ['_part', '_start', '_stop'])
  const wanted = text(part, 'argument')
  const within = window(s, start, stop)
  if (!within) return 0n
  return BigInt(wanted === '' ? length(within.piece) + 1 : searchAll(within.piece, wanted, Infinity).length)
}

function justify(m: Machine, name: string, s: string, args: readonly Value[], left: (space: number, width: number) => number): Value {
  const [width, fill = ' '] = fit(name, args, NONE, 1, ['_width', '_fill'])
  const wanted = whole(width, 0)
  if (typeof fill !== 'string' || length(fill) !== 1) throw error('TypeError', 'The fill character must be exactly one character long')
  const space = Math.max(0, wanted - length(s))
  m.budget.text(space + s.length)
  const before = space === 0 ? 0 : left(space, wanted)
  return fill.repeat(before) + s + fill.repeat(space - before)
}

function zeroFill(m: Machine, s: string, args: readonly Value[]): Value {
  const space = whole(fit('zfill', args, NONE, 1, ['_width'])[0], 0) - length(s)
  if (space <= 0) return s
  m.budget.text(space + s.length)
  const sign = s.startsWith('-') || s.startsWith('+') ? s.slice(0, 1) : ''
  return sign + '0'.repeat(space) + s.slice(sign.length)
}

function expandTabs(m: Machine, s: string, args: readonly Value[], kwargs: Kwargs): Value {
  const size = whole(fit('expandtabs', args, kwargs, 0, ['tabsize'])[0], 8)
  m.budget.text(s.length + (s.split('\t').length - 1) * Math.max(0, size))
  let column = 0
  return characters(s)
    .map((c) => {
      if (c === '\t') {
        const width = size > 0 ? size - (column % size) : 0
        column += width
        return ' '.repeat(width)
      }
      column = c === '\n' || c === '\r' ? 0 : column + 1
      return c
    })
    .join('')
}
