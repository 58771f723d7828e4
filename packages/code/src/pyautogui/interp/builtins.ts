import { call } from './calls.ts'
import { ordered } from './compare.ts'
import { builtin, error, EXCEPTIONS, isSubtype, raise } from './exceptions.ts'
import { fit, functions, signature, takes, text, whole, type Given } from './fit.ts'
import { roundHalfEven, roundTo } from './floats.ts'
import { character, format } from './format.ts'
import { advance, iterator, toArray } from './iterate.ts'
import { enumerated, filtered, mapped, reversed, zipped } from './iterators.ts'
import { sorted } from './list-methods.ts'
import type { Machine, Steps } from './machine.ts'
import { needInt, truncate } from './numbers.ts'
import { binary, floatDivmod, floorDivide, modulo, unary } from './operators.ts'
import { ascii, repr, str } from './repr.ts'
import { sizeOf } from './subscripts.ts'
import { length } from './text.ts'
import { asInt, CORE_TYPES, isInstance, truthy, typeName, typeOf } from './types.ts'
import { END, PyApi, PyFunction, PyIter, PyList, PyNative, PyTuple, PyType, type Kwargs, type NativeCode, type Value } from './values.ts'

const natives: ReadonlyMap<string, NativeCode> = new Map([
  ...functions({
    len: takes(1, '_x', (m, [v = null]) => sizeOf(m.budget, v)),
    repr: takes(1, '_x', (m, [v = null]) => repr(m.budget, v)),
    ascii: takes(1, '_x', (m, [v = null]) => ascii(m.budget, repr(m.budget, v))),
    abs: takes(1, '_x', absolute),
    round: takes(1, 'number ndigits', round),
    divmod: takes(2, '_a _b', divmod),
    pow: takes(2, 'base exp mod', pow),
    sum: takes(1, '_items start', sum),
    any: takes(1, '_items', (m, [items = null]) => quantify(m, items, true)),
    all: takes(1, '_items', (m, [items = null]) => quantify(m, items, false)),
    sorted: takes(1, '_items *key *reverse', function* (m, [items = null, key = null, reverse = false]) {
      return new PyList(yield* sorted(m, yield* toArray(m, items), key, whole(reverse, 0) !== 0))
    }),
    reversed: takes(1, '_x', (m, [v = null]) => reversed(m, v)),
    enumerate: takes(1, 'iterable start', enumerated),
    filter: takes(2, '_function _items', filtered),
    iter: takes(1, '_x', (m, [v = null]) => iterator(m, v)),
    next: takes(1, '_iterator _default', next),
    ord: takes(1, '_x', ordinal),
    chr: takes(1, '_x', (_m, [v]) => character(BigInt(whole(v, 0)))),
    hex: takes(1, '_x', (m, [v = null]) => format(m.budget, needInt(v), '#x')),
    oct: takes(1, '_x', (m, [v = null]) => format(m.budget, needInt(v), '#o')),
    bin: takes(1, '_x', (m, [v = null]) => format(m.budget, needInt(v), '#b')),
    format: takes(1, '_value _spec', (m, [v = null, spec = '']) => format(m.budget, v, text(spec, 'format() argument 2'))),
    isinstance: takes(2, '_x _type', (m, [v = null, type = null]) => isinstance(m, v, type)),
    issubclass: takes(2, '_type _of', (m, [type = null, of = null]) => issubclass(m, type, of)),
    callable: takes(1, '_x', isCallable),
    type: takes(1, '_x', (_m, [v = null]) => typeOf(v)),
    exit: takes(0, 'code', exit),
    quit: takes(0, 'code', exit),
  }),
  ['print', print],
  ['min', (m, args, kwargs) => extreme(m, 'min', '<', args, kwargs)],
  ['max', (m, args, kwargs) => extreme(m, 'max', '>', args, kwargs)],
  ['zip', zipped],
  ['map', mapped],
])

/** These are classes in Python, and are printed as such. */
const CLASSES: ReadonlySet<string> = new Set(['enumerate', 'filter', 'map', 'reversed', 'type', 'zip'])

/** The names that every script has. */
export const BUILTINS: ReadonlyMap<string, Value> = new Map<string, Value>([
  ...[...natives].map(([name, code]): [string, Value] => [
    name,
    CLASSES.has(name) ? new PyType(name, undefined, code) : new PyNative(name, code),
  ]),
  ...CORE_TYPES,
  ...EXCEPTIONS,
  ['__name__', '__main__'],
])

const PRINT = signature(0, '*sep *end *flush')
const EXTREME = signature(0, '*key *default')

function print(m: Machine, args: readonly Value[], kwargs: Kwargs): Value {
  const [sep, end] = fit('print', [], kwargs, PRINT)
  const mark = (v: Value | undefined, fallback: string): string => ((v ?? null) === null ? fallback : text(v, 'sep and end'))
  const out = args.map((a) => str(m.budget, a)).join(mark(sep, ' ')) + mark(end, '\n')
  m.budget.text(out.length)
  m.world.print(m, out)
  return null
}

function absolute(m: Machine, [v = null]: Given): Value {
  if (typeof v === 'number') return Math.abs(v)
  const i = asInt(v)
  if (i === undefined) throw error('TypeError', `bad operand type for abs(): '${typeName(v)}'`)
  return i < 0n ? unary(m.budget, 'USub', i) : i
}

function round(m: Machine, [v = null, digits = null]: Given): Value {
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

function divmod(m: Machine, [a = null, b = null]: Given): Value {
  const x = asInt(a)
  const y = asInt(b)
  if (x !== undefined && y !== undefined) m.budget.arithmetic(2, x, y)
  if (x !== undefined && y !== undefined) return new PyTuple([floorDivide(x, y, 'integer division or modulo by zero'), modulo(x, y)])
  const [p, q] = [x === undefined ? a : Number(x), y === undefined ? b : Number(y)]
  if (typeof p !== 'number' || typeof q !== 'number')
    throw error('TypeError', `unsupported operand type(s) for divmod(): '${typeName(a)}' and '${typeName(b)}'`)
  return new PyTuple(floatDivmod(p, q, 'float divmod()'))
}

function pow(m: Machine, [base = null, exponent = null, mod = null]: Given): Value {
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

function* sum(m: Machine, [items = null, start = 0n]: Given): Steps<Value> {
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
  const [key = null, fallback] = fit(name, [], kwargs, EXTREME)
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

function* next(m: Machine, [it = null, fallback]: Given): Steps<Value> {
  if (!(it instanceof PyIter)) throw error('TypeError', `'${typeName(it)}' object is not an iterator`)
  const item = yield* advance(m, it)
  if (item !== END) return item
  if (fallback !== undefined) return fallback
  throw raise(builtin('StopIteration'))
}

function ordinal(_m: Machine, [v = null]: Given): Value {
  if (typeof v !== 'string') throw error('TypeError', `ord() expected string of length 1, but ${typeName(v)} found`)
  if (length(v) !== 1) throw error('TypeError', `ord() expected a character, but string of length ${length(v)} found`)
  return BigInt(v.codePointAt(0) ?? 0)
}

function isinstance(m: Machine, v: Value, type: Value): boolean {
  m.budget.work(1)
  if (type instanceof PyTuple) return type.items.some((t) => isinstance(m, v, t))
  if (!(type instanceof PyType)) throw error('TypeError', 'isinstance() arg 2 must be a type, a tuple of types, or a union')
  return isInstance(v, type)
}

function issubclass(m: Machine, type: Value, of: Value): boolean {
  m.budget.work(1)
  if (!(type instanceof PyType)) throw error('TypeError', 'issubclass() arg 1 must be a class')
  if (of instanceof PyTuple) return of.items.some((t) => issubclass(m, type, t))
  if (!(of instanceof PyType)) throw error('TypeError', 'issubclass() arg 2 must be a class, a tuple of classes, or a union')
  return of.name === 'object' || isSubtype(type, of)
}

function isCallable(_m: Machine, [v]: Given): boolean {
  return v instanceof PyFunction || v instanceof PyNative || v instanceof PyApi || v instanceof PyType
}

function exit(_m: Machine, [code = null]: Given): never {
  throw raise(builtin('SystemExit'), code)
}
