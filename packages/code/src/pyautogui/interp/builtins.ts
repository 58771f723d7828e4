import { call } from './calls.ts'
import { ordered } from './compare.ts'
import { truncate } from './convert.ts'
import { error, EXCEPTIONS, isSubtype, raise } from './exceptions.ts'
import { fit, text, whole } from './fit.ts'
import { roundHalfEven, roundTo } from './floats.ts'
import { character, format } from './format.ts'
import { advance, iterator, toArray } from './iterate.ts'
import { enumerated, filtered, mapped, reversed, zipped } from './iterators.ts'
import { sorted } from './listMethods.ts'
import type { Machine, Steps } from './machine.ts'
import { binary, floatDivmod, floorDivide, modulo, unary } from './operators.ts'
import { ascii, repr, str } from './repr.ts'
import { sizeOf } from './subscripts.ts'
import { length } from './text.ts'
import { asInt, CORE_TYPES, isInstance, truthy, typeName, typeOf } from './types.ts'
import { END, PyList, PyNative, PyTuple, PyType, type Kwargs, type NativeCode, type Value } from './values.ts'

const natives: Record<string, NativeCode> = {
  print: { now: print },
  len: { now: (m, args, kwargs) => sizeOf(m.budget, one('len', args, kwargs)) },
  repr: { now: (m, args, kwargs) => repr(m.budget, one('repr', args, kwargs)) },
  ascii: { now: (m, args, kwargs) => ascii(m.budget, repr(m.budget, one('ascii', args, kwargs))) },
  abs: { now: (m, args, kwargs) => absolute(m, one('abs', args, kwargs)) },
  round: { now: round },
  divmod: { now: divmod },
  pow: { now: pow },
  sum: { later: sum },
  min: { later: (m, args, kwargs) => extreme(m, 'min', '<', args, kwargs) },
  max: { later: (m, args, kwargs) => extreme(m, 'max', '>', args, kwargs) },
  any: { later: (m, args, kwargs) => quantify(m, one('any', args, kwargs), true) },
  all: { later: (m, args, kwargs) => quantify(m, one('all', args, kwargs), false) },
  sorted: {
    later: function* (m, args, kwargs) {
      const [items = null] = fit('sorted', args, new Map(), 1, ['_items'])
      const [key = null, reverse = false] = fit('sorted', [], kwargs, 0, ['key', 'reverse'])
      return new PyList(yield* sorted(m, yield* toArray(m, items), key, whole(reverse, 0) !== 0))
    },
  },
  reversed: { now: (m, args, kwargs) => reversed(m, one('reversed', args, kwargs)) },
  enumerate: { now: enumerated },
  zip: { now: zipped },
  map: { now: mapped },
  filter: { now: filtered },
  iter: { now: (m, args, kwargs) => iterator(m, one('iter', args, kwargs)) },
  next: { later: next },
  ord: { now: (_m, args, kwargs) => ordinal(one('ord', args, kwargs)) },
  chr: { now: (_m, args, kwargs) => character(BigInt(whole(one('chr', args, kwargs), 0))) },
  hex: { now: (m, args, kwargs) => inBase(m, 'hex', '#x', args, kwargs) },
  oct: { now: (m, args, kwargs) => inBase(m, 'oct', '#o', args, kwargs) },
  bin: { now: (m, args, kwargs) => inBase(m, 'bin', '#b', args, kwargs) },
  format: {
    now: (m, args, kwargs) => {
      const [v = null, spec = ''] = fit('format', args, kwargs, 1, ['_value', '_spec'])
      return format(m.budget, v, text(spec, 'format() argument 2'))
    },
  },
  isinstance: { now: (m, args, kwargs) => isinstance(m, ...two('isinstance', args, kwargs)) },
  issubclass: { now: (m, args, kwargs) => issubclass(m, ...two('issubclass', args, kwargs)) },
  callable: { now: (_m, args, kwargs) => isCallable(one('callable', args, kwargs)) },
  type: { now: (_m, args, kwargs) => typeOf(one('type', args, kwargs)) },
  exit: { now: exit },
  quit: { now: exit },
}

/** These are classes in Python, which shows when they are printed. */
const CLASSES: ReadonlySet<string> = new Set(['enumerate', 'filter', 'map', 'reversed', 'type', 'zip'])

/** The names that every script has. */
export const BUILTINS: ReadonlyMap<string, Value> = new Map<string, Value>([
  ...Object.entries(natives).map(([name, code]): [string, Value] => [
    name,
    CLASSES.has(name) ? new PyType(name, undefined, code) : new PyNative(name, code),
  ]),
  ...CORE_TYPES,
  ...EXCEPTIONS,
  ['__name__', '__main__'],
])

const one = (name: string, args: readonly Value[], kwargs: Kwargs): Value => fit(name, args, kwargs, 1, ['_x'])[0] ?? null

function two(name: string, args: readonly Value[], kwargs: Kwargs): [Value, Value] {
  const [a = null, b = null] = fit(name, args, kwargs, 2, ['_a', '_b'])
  return [a, b]
}

function print(m: Machine, args: readonly Value[], kwargs: Kwargs): Value {
  const [sep, end] = fit('print', [], kwargs, 0, ['sep', 'end', 'flush'])
  const mark = (v: Value | undefined, fallback: string): string => ((v ?? null) === null ? fallback : text(v, 'sep and end'))
  const out = args.map((a) => str(m.budget, a)).join(mark(sep, ' ')) + mark(end, '\n')
  m.budget.text(out.length)
  m.world.print(m, out)
  return null
}

function absolute(m: Machine, v: Value): Value {
  if (typeof v === 'number') return Math.abs(v)
  const i = asInt(v)
  if (i === undefined) throw error('TypeError', `bad operand type for abs(): '${typeName(v)}'`)
  return i < 0n ? unary(m.budget, 'USub', i) : i
}

function round(m: Machine, args: readonly Value[], kwargs: Kwargs): Value {
  const [v = null, digits = null] = fit('round', args, kwargs, 1, ['number', 'ndigits'])
  const places = digits === null ? undefined : whole(digits, 0)
  if (typeof v === 'number') {
    if (places !== undefined) return roundTo(v, places)
    truncate(v)
    return roundHalfEven(v)
  }
  const i = asInt(v)
  if (i === undefined) throw error('TypeError', `type ${typeName(v)} doesn't define __round__ method`)
  if (places === undefined || places >= 0) return i
  m.budget.arithmetic(16, i)
  const unit = 10n ** BigInt(Math.min(-places, 5000))
  const low = floorDivide(i, unit, '') * unit
  const twice = (i - low) * 2n
  return twice > unit || (twice === unit && (low / unit) % 2n !== 0n) ? low + unit : low
}

function divmod(m: Machine, args: readonly Value[], kwargs: Kwargs): Value {
  const [a, b] = two('divmod', args, kwargs)
  const x = asInt(a)
  const y = asInt(b)
  if (x !== undefined && y !== undefined) m.budget.arithmetic(2, x, y)
  if (x !== undefined && y !== undefined) return new PyTuple([floorDivide(x, y, 'integer division or modulo by zero'), modulo(x, y)])
  const [p, q] = [x === undefined ? a : Number(x), y === undefined ? b : Number(y)]
  if (typeof p !== 'number' || typeof q !== 'number')
    throw error('TypeError', `unsupported operand type(s) for divmod(): '${typeName(a)}' and '${typeName(b)}'`)
  return new PyTuple(floatDivmod(p, q, 'float divmod()'))
}

function pow(m: Machine, args: readonly Value[], kwargs: Kwargs): Value {
  const [base = null, exponent = null, mod = null] = fit('pow', args, kwargs, 2, ['base', 'exp', 'mod'])
  if (mod === null) return binary(m.budget, 'Pow', base, exponent)
  const [b, e, n] = [asInt(base), asInt(exponent), asInt(mod)]
  if (b === undefined || e === undefined || n === undefined)
    throw error('TypeError', 'pow() 3rd argument not allowed unless all arguments are integers')
  if (n === 0n) throw error('ValueError', 'pow() 3rd argument cannot be 0')
  if (e < 0n) throw error('ValueError', 'a negative exponent with a modulus is not available here')
  let result = modulo(1n, n)
  let square = modulo(b, n)
  for (let left = e; left > 0n; left >>= 1n) {
    if (left % 2n === 1n) result = modulo(result * square, n)
    square = modulo(square * square, n)
    m.budget.work(64 + n.toString(16).length)
  }
  return result
}

function* sum(m: Machine, args: readonly Value[], kwargs: Kwargs): Steps<Value> {
  const [items = null, start = 0n] = fit('sum', args, kwargs, 1, ['_items', 'start'])
  if (typeof start === 'string') throw error('TypeError', "sum() can't sum strings [use ''.join(seq) instead]")
  let total: Value = start
  const it = iterator(m, items)
  for (;;) {
    const item = yield* advance(m, it)
    if (item === END) return total
    total = m.operators(m.budget, 'Add', total, item)
  }
}

function* extreme(m: Machine, name: string, better: '<' | '>', args: readonly Value[], kwargs: Kwargs): Steps<Value> {
  const [key = null, fallback] = fit(name, [], kwargs, 0, ['key', 'default'])
  if (args.length === 0) throw error('TypeError', `${name} expected at least 1 argument, got 0`)
  if (args.length > 1 && fallback !== undefined)
    throw error('TypeError', `Cannot specify a default for ${name}() with multiple positional arguments`)
  const items = args.length > 1 ? [...args] : yield* toArray(m, args[0] ?? null)
  let best: { item: Value; key: Value } | undefined
  for (const item of items) {
    const rank = key === null ? item : yield* call(m, key, [item])
    if (!best || ordered(m.budget, better, rank, best.key)) best = { item, key: rank }
  }
  if (best) return best.item
  if (fallback !== undefined) return fallback
  throw error('ValueError', `${name}() arg is an empty sequence`)
}

function* quantify(m: Machine, items: Value, stopAt: boolean): Steps<Value> {
  const it = iterator(m, items)
  for (;;) {
    const item = yield* advance(m, it)
    if (item === END) return !stopAt
    if (truthy(item) === stopAt) return stopAt
  }
}

function* next(m: Machine, args: readonly Value[], kwargs: Kwargs): Steps<Value> {
  const [it = null, fallback] = fit('next', args, kwargs, 1, ['_iterator', '_default'])
  if (typeof it !== 'object' || it?.kind !== 'iterator') throw error('TypeError', `'${typeName(it)}' object is not an iterator`)
  const item = yield* advance(m, it)
  if (item !== END) return item
  if (fallback !== undefined) return fallback
  const stop = EXCEPTIONS.get('StopIteration')
  throw stop ? raise(stop) : error('StopIteration', '')
}

function ordinal(v: Value): Value {
  if (typeof v !== 'string') throw error('TypeError', `ord() expected string of length 1, but ${typeName(v)} found`)
  if (length(v) !== 1) throw error('TypeError', `ord() expected a character, but string of length ${length(v)} found`)
  return BigInt(v.codePointAt(0) ?? 0)
}

function inBase(m: Machine, name: string, spec: string, args: readonly Value[], kwargs: Kwargs): Value {
  const v = one(name, args, kwargs)
  const i = asInt(v)
  if (i === undefined) throw error('TypeError', `'${typeName(v)}' object cannot be interpreted as an integer`)
  return format(m.budget, i, spec)
}

function isinstance(m: Machine, v: Value, type: Value): boolean {
  m.budget.work(1)
  if (typeof type === 'object' && type?.kind === 'tuple') return type.items.some((t) => isinstance(m, v, t))
  if (typeof type !== 'object' || type?.kind !== 'type')
    throw error('TypeError', 'isinstance() arg 2 must be a type, a tuple of types, or a union')
  return isInstance(v, type)
}

function issubclass(m: Machine, type: Value, of: Value): boolean {
  m.budget.work(1)
  if (typeof type !== 'object' || type?.kind !== 'type') throw error('TypeError', 'issubclass() arg 1 must be a class')
  if (typeof of === 'object' && of?.kind === 'tuple') return of.items.some((t) => issubclass(m, type, t))
  if (typeof of !== 'object' || of?.kind !== 'type')
    throw error('TypeError', 'issubclass() arg 2 must be a class, a tuple of classes, or a union')
  return of.name === 'object' || isSubtype(type, of)
}

function isCallable(v: Value): boolean {
  return typeof v === 'object' && v !== null && (v.kind === 'function' || v.kind === 'native' || v.kind === 'api' || v.kind === 'type')
}

function exit(_m: Machine, args: readonly Value[], kwargs: Kwargs): Value {
  const type = EXCEPTIONS.get('SystemExit')
  const [code = null] = fit('exit', args, kwargs, 0, ['code'])
  throw type ? raise(type, code) : error('SystemExit', '')
}
