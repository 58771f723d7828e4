import { swapCase, titleCase, titled } from './casing.ts'
import { error } from './exceptions.ts'
import { methods, takes, text, whole, type Given } from './fit.ts'
import { toArray } from './iterate.ts'
import type { Machine } from './machine.ts'
import type { Method } from './methods.ts'
import { isPrintable } from './repr.ts'
import { formatTemplate } from './template.ts'
import { backwards, characters, cut, indexOf, length, numberOf, search, searchAll, searchLast, SPACE } from './text.ts'
import { typeName } from './types.ts'
import { PyList, PyTuple, type Value } from './values.ts'

/** A method without arguments. */
const plain = (code: (self: string) => Value) => takes<string>(0, '', (_m, _given, self) => code(self))
const every = (pattern: RegExp) => plain((s) => s !== '' && characters(s).every((c) => pattern.test(c)))

const METHODS = methods<string>({
  upper: plain((s) => s.toUpperCase()),
  lower: plain((s) => s.toLowerCase()),
  casefold: plain((s) => s.toLowerCase().replaceAll('ß', 'ss')),
  title: plain(titleCase),
  capitalize: plain((s) => titled(cut(s, 0, 1)) + cut(s, 1, length(s)).toLowerCase()),
  swapcase: plain(swapCase),
  isalpha: every(/^\p{L}$/u),
  isdigit: every(/^[\p{Nd}²³¹⁰⁴-⁹₀-₉]$/u),
  isdecimal: every(/^\p{Nd}$/u),
  isnumeric: every(/^\p{N}$/u),
  isalnum: every(/^[\p{L}\p{N}]$/u),
  isspace: every(new RegExp(`^[${SPACE}]$`, 'u')),
  isupper: plain((s) => /\p{Lu}/u.test(s) && !/[\p{Ll}\p{Lt}]/u.test(s)),
  islower: plain((s) => /\p{Ll}/u.test(s) && !/[\p{Lu}\p{Lt}]/u.test(s)),
  istitle: plain((s) => /\p{Cased}/u.test(s) && titleCase(s) === s),
  isidentifier: plain((s) => /^[\p{XID_Start}_]\p{XID_Continue}*$/u.test(s)),
  isprintable: plain((s) => characters(s).every(isPrintable)),
  isascii: plain((s) => /^[\x00-\x7f]*$/.test(s)),
  strip: takes(0, '_chars', (_m, [chars], s) => strip(s, chars, 'strip')),
  lstrip: takes(0, '_chars', (_m, [chars], s) => strip(s, chars, 'lstrip')),
  rstrip: takes(0, '_chars', (_m, [chars], s) => strip(s, chars, 'rstrip')),
  split: takes(0, 'sep maxsplit', (m, given, s) => split(m, s, given, false)),
  rsplit: takes(0, 'sep maxsplit', (m, given, s) => split(m, s, given, true)),
  splitlines: takes(0, 'keepends', splitLines),
  partition: takes(1, '_sep', (_m, [sep], s) => partition(s, text(sep, 'separator'), false)),
  rpartition: takes(1, '_sep', (_m, [sep], s) => partition(s, text(sep, 'separator'), true)),
  replace: takes(2, '_old _new _count', replace),
  startswith: takes(1, '_part _start _stop', (_m, given, s) => affix('startswith', s, given)),
  endswith: takes(1, '_part _start _stop', (_m, given, s) => affix('endswith', s, given)),
  removeprefix: takes(1, '_part', (_m, [part], s) => {
    const prefix = text(part, 'removeprefix() argument')
    return s.startsWith(prefix) ? s.slice(prefix.length) : s
  }),
  removesuffix: takes(1, '_part', (_m, [part], s) => {
    const suffix = text(part, 'removesuffix() argument')
    return s.endsWith(suffix) ? s.slice(0, s.length - suffix.length) : s
  }),
  find: takes(1, '_part _start _stop', (_m, given, s) => BigInt(find(s, given, search))),
  rfind: takes(1, '_part _start _stop', (_m, given, s) => BigInt(find(s, given, searchLast))),
  index: takes(1, '_part _start _stop', (_m, given, s) => found(find(s, given, search))),
  rindex: takes(1, '_part _start _stop', (_m, given, s) => found(find(s, given, searchLast))),
  count: takes(1, '_part _start _stop', count),
  ljust: takes(1, '_width _fill', (m, given, s) => justify(m, s, given, () => 0)),
  rjust: takes(1, '_width _fill', (m, given, s) => justify(m, s, given, (space) => space)),
  center: takes(1, '_width _fill', (m, given, s) => justify(m, s, given, (space, width) => (space >> 1) + (space & width & 1))),
  zfill: takes(1, '_width', zeroFill),
  expandtabs: takes(0, 'tabsize', expandTabs),
  join: takes(1, '_items', function* (m, [items = null], self) {
    const parts = (yield* toArray(m, items)).map((item, i) => {
      if (typeof item !== 'string') throw error('TypeError', `sequence item ${i}: expected str instance, ${typeName(item)} found`)
      return item
    })
    m.budget.text(parts.reduce((sum, part) => sum + part.length, 0) + self.length * Math.max(0, parts.length - 1))
    return parts.join(self)
  }),
}).set('format', (m, s, args, kwargs) => formatTemplate(m.budget, s, args, kwargs))

/** Every method costs budget by the length of its text and of its result. */
export const stringMethods: ReadonlyMap<string, Method<string>> = new Map(
  [...METHODS].map(([name, method]) => [
    name,
    (m, self, args, kwargs) => {
      m.budget.work(self.length)
      const result = method(m, self, args, kwargs)
      if (typeof result === 'string') m.budget.text(result.length)
      return result
    },
  ]),
)

function strip(s: string, chars: Value | undefined, name: 'strip' | 'lstrip' | 'rstrip'): string {
  const gone = (chars ?? null) === null ? new RegExp(`[${SPACE}]`, 'u') : new Set(characters(text(chars, `${name} arg`)))
  const drops = (c: string | undefined): boolean => c !== undefined && (gone instanceof RegExp ? gone.test(c) : gone.has(c))
  const all = characters(s)
  let from = 0
  let to = all.length
  while (name !== 'rstrip' && from < to && drops(all[from])) from++
  while (name !== 'lstrip' && to > from && drops(all[to - 1])) to--
  return all.slice(from, to).join('')
}

function split(m: Machine, s: string, [sep = null, max]: Given, fromRight: boolean): Value {
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

function splitLines(m: Machine, [keep = false]: Given, s: string): Value {
  const lines =
    s.match(/[^\n\r\v\f\x1c-\x1e\x85\u2028\u2029]*(?:\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029])|[^\n\r\v\f\x1c-\x1e\x85\u2028\u2029]+$/g) ??
    []
  m.budget.items(lines.length)
  return new PyList(whole(keep, 0) !== 0 ? lines : lines.map((line) => line.replace(/(?:\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029])$/, '')))
}

function partition(s: string, sep: string, fromRight: boolean): Value {
  if (sep === '') throw error('ValueError', 'empty separator')
  const at = fromRight ? searchLast(s, sep) : search(s, sep)
  if (at < 0) return new PyTuple(fromRight ? ['', '', s] : [s, '', ''])
  return new PyTuple([s.slice(0, at), sep, s.slice(at + sep.length)])
}

function replace(m: Machine, [old, by, max]: Given, s: string): Value {
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

function affix(name: 'startswith' | 'endswith', s: string, [part = null, start, stop]: Given): Value {
  const piece = window(s, start, stop)?.piece
  if (piece === undefined) return false
  const test = (affixed: string): boolean => (name === 'startswith' ? piece.startsWith(affixed) : piece.endsWith(affixed))
  if (part instanceof PyTuple) return part.items.some((p) => test(text(p, `tuple for ${name}`)))
  if (typeof part !== 'string') throw error('TypeError', `${name} first arg must be str or a tuple of str, not ${typeName(part)}`)
  return test(part)
}

/** The part of `s` within optional bounds, and the character it starts at; undefined when they cross. */
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

function find(s: string, [part, start, stop]: Given, look: (s: string, part: string) => number): number {
  const wanted = text(part, 'argument')
  const within = window(s, start, stop)
  const at = within ? look(within.piece, wanted) : -1
  return within && at >= 0 ? within.from + numberOf(within.piece, at) : -1
}

function found(at: number): bigint {
  if (at < 0) throw error('ValueError', 'substring not found')
  return BigInt(at)
}

function count(_m: Machine, [part, start, stop]: Given, s: string): Value {
  const wanted = text(part, 'argument')
  const within = window(s, start, stop)
  if (!within) return 0n
  return BigInt(wanted === '' ? length(within.piece) + 1 : searchAll(within.piece, wanted, Infinity).length)
}

function justify(m: Machine, s: string, [width, fill = ' ']: Given, left: (space: number, width: number) => number): Value {
  const wanted = whole(width, 0)
  if (typeof fill !== 'string' || length(fill) !== 1) throw error('TypeError', 'The fill character must be exactly one character long')
  const space = Math.max(0, wanted - length(s))
  m.budget.text(space + s.length)
  const before = space === 0 ? 0 : left(space, wanted)
  return fill.repeat(before) + s + fill.repeat(space - before)
}

function zeroFill(m: Machine, [width]: Given, s: string): Value {
  const space = whole(width, 0) - length(s)
  if (space <= 0) return s
  m.budget.text(space + s.length)
  const sign = s.startsWith('-') || s.startsWith('+') ? s.slice(0, 1) : ''
  return sign + '0'.repeat(space) + s.slice(sign.length)
}

function expandTabs(m: Machine, [tabSize]: Given, s: string): Value {
  const size = whole(tabSize, 8)
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
