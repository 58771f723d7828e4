import { fill, setFrom } from './dict-methods.ts'
import { error } from './exceptions.ts'
import { fit, functions, signature, takes, whole, type Given } from './fit.ts'
import { toArray } from './iterate.ts'
import type { Machine } from './machine.ts'
import { needInt, toFloat, truncate } from './numbers.ts'
import { quote, str } from './repr.ts'
import { trim } from './text.ts'
import { asInt, CORE_TYPES, truthy, typeName } from './types.ts'
import { NO_KWARGS, PyDict, PyList, PyRange, PyTuple, type NativeCode, type PyType, type Value } from './values.ts'

const DICT = signature(0, '_items')

const code: ReadonlyMap<string, NativeCode> = new Map([
  ...functions({
    int: takes(0, '_x base', toInt),
    float: takes(0, '_x', floatOf),
    bool: takes(0, '_x', (_m, [v = null]) => truthy(v)),
    str: takes(0, 'object', (m, [v = '']) => str(m.budget, v)),
    list: takes(0, '_items', function* (m, [v]) {
      m.budget.object('sequence')
      return new PyList(v === undefined ? [] : yield* toArray(m, v))
    }),
    tuple: takes(0, '_items', function* (m, [v]) {
      m.budget.object('sequence')
      return new PyTuple(v === undefined ? [] : yield* toArray(m, v))
    }),
    set: takes(0, '_items', (m, [v = new PyTuple([])]) => setFrom(m, v)),
    range: takes(1, '_start _stop _step', toRange),
  }),
  [
    'dict',
    function* (m, args, kwargs) {
      m.budget.object('mapping')
      const dict = new PyDict()
      yield* fill(m, dict, fit('dict', args, NO_KWARGS, DICT)[0], kwargs)
      return dict
    },
  ],
])

/** The code that runs when a type is called. */
export const CONVERTERS: ReadonlyMap<PyType, NativeCode> = new Map(
  [...CORE_TYPES].flatMap(([name, type]) => {
    const convert = code.get(name)
    return convert ? [[type, convert]] : []
  }),
)

function toRange(_m: Machine, given: Given): Value {
  const [a = 0n, b, step = 1n] = given.filter((v) => v !== undefined).map(needInt)
  if (step === 0n) throw error('ValueError', 'range() arg 3 must not be zero')
  return b === undefined ? new PyRange(0n, a, 1n) : new PyRange(a, b, step)
}

function toInt(m: Machine, [v, base]: Given): Value {
  if (v === undefined) {
    if (base !== undefined) throw error('TypeError', 'int() missing string argument')
    return 0n
  }
  if (base !== undefined && typeof v !== 'string') throw error('TypeError', "int() can't convert non-string with explicit base")
  if (typeof v === 'string') {
    m.budget.work(v.length)
    return parseInt(v, whole(base, 10))
  }
  if (typeof v === 'number') return truncate(v)
  const i = asInt(v)
  if (i === undefined)
    throw error('TypeError', `int() argument must be a string, a bytes-like object or a real number, not '${typeName(v)}'`)
  return i
}

const PREFIXES: Record<string, number> = { '0b': 2, '0o': 8, '0x': 16 }

/** `int(text, base)`. */
export function parseInt(text: string, base: number): bigint {
  if (base !== 0 && (base < 2 || base > 36)) throw error('ValueError', 'int() base must be >= 2 and <= 36, or 0')
  const bad = error('ValueError', `invalid literal for int() with base ${base}: ${quote(text.slice(0, 200))}`)
  const [, sign = '', rest = ''] = /^([+-]?)([\s\S]*)$/.exec(trim(text)) ?? []
  const prefix = PREFIXES[rest.slice(0, 2).toLowerCase()]
  const prefixed = prefix !== undefined && (base === 0 || base === prefix)
  const radix = prefixed ? prefix : base === 0 ? 10 : base
  const body = prefixed ? rest.slice(2).replace(/^_/, '') : rest
  if (!/^[0-9a-z]+(?:_[0-9a-z]+)*$/i.test(body)) throw bad
  const digits = body.replaceAll('_', '').toLowerCase()
  if (base === 0 && !prefixed && /^0+[1-9]/.test(digits)) throw bad
  if (digits.length > 4300) {
    throw error('ValueError', `Exceeds the limit (4300 digits) for integer string conversion: value has ${digits.length} digits`)
  }
  if ([...digits].some((c) => Number.parseInt(c, 36) >= radix)) throw bad
  const value = fromDigits(digits, radix)
  return sign === '-' ? -value : value
}

/** Splits the digits in half: reading them one by one would take quadratic time. */
function fromDigits(digits: string, radix: number): bigint {
  if (radix === 10) return BigInt(digits)
  if (digits.length <= 10) return BigInt(Number.parseInt(digits, radix))
  const half = digits.length >> 1
  return fromDigits(digits.slice(0, -half), radix) * BigInt(radix) ** BigInt(half) + fromDigits(digits.slice(-half), radix)
}

function floatOf(_m: Machine, [v = 0]: Given): Value {
  if (typeof v === 'number') return v
  if (typeof v === 'string') return parseFloat(v)
  const i = asInt(v)
  if (i === undefined) throw error('TypeError', `float() argument must be a string or a real number, not '${typeName(v)}'`)
  return toFloat(i)
}

function parseFloat(text: string): number {
  const trimmed = trim(text)
  const word = /^([+-]?)(inf|infinity|nan)$/i.exec(trimmed)
  if (word) return word[2]?.toLowerCase() === 'nan' ? NaN : word[1] === '-' ? -Infinity : Infinity
  if (!/^[+-]?(?:\d+(?:_\d+)*(?:\.(?:\d+(?:_\d+)*)?)?|\.\d+(?:_\d+)*)(?:e[+-]?\d+(?:_\d+)*)?$/i.test(trimmed)) {
    throw error('ValueError', `could not convert string to float: ${quote(text.slice(0, 200))}`)
  }
  return Number(trimmed.replaceAll('_', ''))
}
