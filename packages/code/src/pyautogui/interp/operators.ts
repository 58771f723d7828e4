import type { Budget } from '../budget.ts'
import { error } from './exceptions.ts'
import { trueDivide, wholePower } from './floats.ts'
import { toFloat } from './numbers.ts'
import { percent } from './percent.ts'
import { asInt, typeName } from './types.ts'
import { isListOrTuple, PyDict, PyList, PySet, PyTuple, type Hash, type PyObject, type Value } from './values.ts'

export type BinaryName = 'Add' | 'Sub' | 'Mult' | 'Div' | 'FloorDiv' | 'Mod' | 'Pow' | 'LShift' | 'RShift' | 'BitOr' | 'BitXor' | 'BitAnd'

/** How `a op b` is computed; a run can be given another table. */
export type Operators = (budget: Budget, op: BinaryName, a: Value, b: Value) => Value

const SIGNS: Record<BinaryName, string> = {
  Add: '+',
  Sub: '-',
  Mult: '*',
  Div: '/',
  FloorDiv: '//',
  Mod: '%',
  Pow: '** or pow()',
  LShift: '<<',
  RShift: '>>',
  BitOr: '|',
  BitXor: '^',
  BitAnd: '&',
}

export const binary: Operators = (budget, op, a, b) => {
  const x = asInt(a)
  const y = asInt(b)
  if (x !== undefined && y !== undefined) {
    if (typeof a === 'boolean' && typeof b === 'boolean' && isBitwise(op)) return intOp(budget, op, x, y) === 1n
    return intOp(budget, op, x, y)
  }
  if ((x !== undefined || typeof a === 'number') && (y !== undefined || typeof b === 'number')) {
    const result = floatOp(op, typeof a === 'number' ? a : toFloat(x ?? 0n), typeof b === 'number' ? b : toFloat(y ?? 0n))
    if (result !== undefined) return result
  }
  if (op === 'Mod' && typeof a === 'string') return percent(budget, a, b)
  if (op === 'Add') return add(budget, a, b)
  if (op === 'Mult' && isSequence(a)) return repeat(budget, a, y ?? wholeNumber(b))
  if (op === 'Mult' && isSequence(b)) return repeat(budget, b, x ?? wholeNumber(a))
  return setOp(budget, op, a, b)
}

/** `a op= b`: a list, dict or set changes in place, everything else is computed anew. */
export function augmented(budget: Budget, operators: Operators, op: BinaryName, a: Value, b: Value): Value {
  const result = operators(budget, op, a, b)
  if (a instanceof PyList && result instanceof PyList) {
    a.items = result.items
    return a
  }
  if (a instanceof PyDict && result instanceof PyDict) return refill(a, result)
  if (a instanceof PySet && result instanceof PySet) return refill(a, result)
  return result
}

function refill<E, C extends PyObject & { entries: Map<Hash, E> }>(into: C, from: C): C {
  const entries = [...from.entries]
  into.entries.clear()
  for (const [k, v] of entries) into.entries.set(k, v)
  return into
}

const isBitwise = (op: BinaryName): boolean => op === 'BitAnd' || op === 'BitOr' || op === 'BitXor'

function intOp(budget: Budget, op: BinaryName, a: bigint, b: bigint): Value {
  budget.arithmetic(op === 'Div' ? 8 : 1, a, b)
  switch (op) {
    case 'Add':
      return sized(budget, a + b)
    case 'Sub':
      return sized(budget, a - b)
    case 'Mult':
      return sized(budget, a * b)
    case 'Div': {
      if (b === 0n) throw error('ZeroDivisionError', 'division by zero')
      const quotient = trueDivide(a, b)
      if (!Number.isFinite(quotient)) throw error('OverflowError', 'integer division result too large for a float')
      return quotient
    }
    case 'FloorDiv':
      return floorDivide(a, b, 'integer division or modulo by zero')
    case 'Mod':
      return modulo(a, b)
    case 'Pow':
      return intPower(budget, a, b)
    case 'LShift':
      if (b < 0n) throw error('ValueError', 'negative shift count')
      if (a !== 0n) budget.bits(bitLength(a) + Number(b))
      return a === 0n ? 0n : a << b
    case 'RShift':
      if (b < 0n) throw error('ValueError', 'negative shift count')
      return a >> (b > 1_000_000n ? 1_000_000n : b)
    case 'BitOr':
      return a | b
    case 'BitXor':
      return a ^ b
    case 'BitAnd':
      return a & b
    default:
      return op satisfies never
  }
}

const SMALL = 1n << 62n
const MAX_INDEX = 1n << 63n

function sized(budget: Budget, v: bigint): bigint {
  if (v > SMALL || v < -SMALL) budget.bits(bitLength(v))
  return v
}

function bitLength(v: bigint): number {
  return v.toString(16).replace('-', '').length * 4
}

export function floorDivide(a: bigint, b: bigint, message: string): bigint {
  if (b === 0n) throw error('ZeroDivisionError', message)
  const quotient = a / b
  return a % b !== 0n && a < 0n !== b < 0n ? quotient - 1n : quotient
}

export function modulo(a: bigint, b: bigint): bigint {
  if (b === 0n) throw error('ZeroDivisionError', 'integer modulo by zero')
  const rest = a % b
  return rest !== 0n && rest < 0n !== b < 0n ? rest + b : rest
}

function intPower(budget: Budget, base: bigint, exponent: bigint): Value {
  if (exponent < 0n) return floatPower(toFloat(base), toFloat(exponent))
  if (base > 1n || base < -1n) budget.bits((bitLength(base) - 3) * Math.min(Number(exponent), 1e9))
  else if (exponent > 2n) return base === -1n ? (exponent % 2n === 0n ? 1n : -1n) : base
  return sized(budget, base ** exponent)
}

function floatOp(op: BinaryName, a: number, b: number): number | undefined {
  switch (op) {
    case 'Add':
      return a + b
    case 'Sub':
      return a - b
    case 'Mult':
      return a * b
    case 'Div':
      if (b === 0) throw error('ZeroDivisionError', 'float division by zero')
      return a / b
    case 'FloorDiv':
      return floatDivmod(a, b, 'float floor division by zero')[0]
    case 'Mod':
      return floatDivmod(a, b, 'float modulo')[1]
    case 'Pow':
      return floatPower(a, b)
    default:
      return undefined
  }
}

/** Quotient and remainder with the sign of the divisor, as CPython computes them. */
export function floatDivmod(a: number, b: number, message: string): [number, number] {
  if (b === 0) throw error('ZeroDivisionError', message)
  let rest = a % b
  let quotient = (a - rest) / b
  if (rest !== 0 && b < 0 !== rest < 0) {
    rest += b
    quotient -= 1
  } else if (rest === 0) {
    rest = b < 0 ? -0 : 0
  }
  if (quotient === 0) return [Object.is(Math.sign(a / b), -0) || a / b < 0 ? -0 : 0, rest]
  const floor = Math.floor(quotient)
  return [quotient - floor > 0.5 ? floor + 1 : floor, rest]
}

function floatPower(a: number, b: number): number {
  if (a === 1 || b === 0) return 1
  if (a === 0 && b < 0) throw error('ZeroDivisionError', '0.0 cannot be raised to a negative power')
  if (a < 0 && Number.isFinite(b) && !Number.isInteger(b)) throw error('ValueError', 'complex numbers are not available here')
  if (a === -1 && !Number.isFinite(b) && !Number.isNaN(b)) return 1
  const result = rawPower(a, b)
  if (!Number.isFinite(result) && Number.isFinite(a) && Number.isFinite(b))
    throw error('OverflowError', "(34, 'Numerical result out of range')")
  return result
}

/** a ** b as C computes it: Infinity on overflow, NaN where it is undefined. */
export function rawPower(a: number, b: number): number {
  if (a === 1 || b === 0) return 1
  if (b === 0.5 && a > 0) return Math.sqrt(a)
  return (Number.isFinite(a) && Number.isInteger(b) ? wholePower(a, b) : undefined) ?? a ** b
}

function add(budget: Budget, a: Value, b: Value): Value {
  if (typeof a === 'string') {
    if (typeof b !== 'string') throw error('TypeError', `can only concatenate str (not "${typeName(b)}") to str`)
    budget.text(a.length + b.length)
    return a + b
  }
  if (isListOrTuple(a)) {
    if (!isListOrTuple(b) || b.kind !== a.kind)
      throw error('TypeError', `can only concatenate ${a.kind} (not "${typeName(b)}") to ${a.kind}`)
    budget.items(a.items.length + b.items.length)
    const items = [...a.items, ...b.items]
    return a.kind === 'list' ? new PyList(items) : new PyTuple(items)
  }
  throw unsupported('Add', a, b)
}

type Sequence = string | PyList | PyTuple

function isSequence(v: Value): v is Sequence {
  return typeof v === 'string' || isListOrTuple(v)
}

function wholeNumber(v: Value): never {
  throw error('TypeError', `can't multiply sequence by non-int of type '${typeName(v)}'`)
}

function repeat(budget: Budget, v: Sequence, count: bigint): Value {
  if (count > MAX_INDEX || count < -MAX_INDEX) throw error('OverflowError', "cannot fit 'int' into an index-sized integer")
  const times = count < 0n ? 0 : Number(count)
  if (typeof v === 'string') {
    if (v === '') return ''
    budget.text(v.length * times)
    return v.repeat(times)
  }
  const size = v.items.length === 0 ? 0 : v.items.length * times
  budget.items(size)
  const items: Value[] = []
  for (let i = 0; i < size; i++) items.push(v.items[i % v.items.length] ?? null)
  return v.kind === 'list' ? new PyList(items) : new PyTuple(items)
}

function setOp(budget: Budget, op: BinaryName, a: Value, b: Value): Value {
  if (op === 'BitOr' && a instanceof PyDict && b instanceof PyDict) {
    budget.items(a.entries.size + b.entries.size)
    budget.work(2 * (a.entries.size + b.entries.size))
    budget.object('mapping')
    const merged = new PyDict()
    for (const [k, e] of [...a.entries, ...b.entries]) merged.entries.set(k, { key: merged.entries.get(k)?.key ?? e.key, value: e.value })
    return merged
  }
  if (!(a instanceof PySet && b instanceof PySet)) throw unsupported(op, a, b)
  budget.items(a.entries.size + b.entries.size)
  budget.work(a.entries.size + b.entries.size)
  const [x, y] = [a.entries, b.entries]
  const [left, right] = SIDES[op] ?? []
  if (left === undefined) throw unsupported(op, a, b)
  budget.object('mapping')
  const set = new PySet()
  for (const [k, v] of x) if (left === 'all' || y.has(k) === (left === 'common')) set.entries.set(k, v)
  if (right) for (const [k, v] of y) if (!x.has(k)) set.entries.set(k, v)
  return set
}

/** Which members of the left set stay, and whether those only in the right set are added. */
const SIDES: Partial<Record<BinaryName, ['all' | 'common' | 'own', boolean]>> = {
  BitOr: ['all', true],
  BitAnd: ['common', false],
  Sub: ['own', false],
  BitXor: ['own', true],
}

function unsupported(op: BinaryName, a: Value, b: Value): Error {
  return error('TypeError', `unsupported operand type(s) for ${SIGNS[op]}: '${typeName(a)}' and '${typeName(b)}'`)
}

/** `-v`, `+v`, `~v`. */
export function unary(budget: Budget, op: 'USub' | 'UAdd' | 'Invert', v: Value): Value {
  const whole = asInt(v)
  if (whole !== undefined) budget.arithmetic(1, whole)
  if (whole !== undefined) return op === 'USub' ? -whole : op === 'UAdd' ? whole : sized(budget, ~whole)
  if (typeof v === 'number' && op !== 'Invert') return op === 'USub' ? -v : v
  const sign = { USub: '-', UAdd: '+', Invert: '~' }[op]
  throw error('TypeError', `bad operand type for unary ${sign}: '${typeName(v)}'`)
}
