import type { Budget } from '../budget.ts'
import { truncate } from '../interp/convert.ts'
import { error } from '../interp/exceptions.ts'
import { toArray } from '../interp/iterate.ts'
import { binary, floatPower } from '../interp/operators.ts'
import { asInt } from '../interp/types.ts'
import type { Value } from '../interp/values.ts'
import { arg, intArg, named, numberArg, parameters, pure, toNumber, type ApiFunction } from './function.ts'

export const MATH_CONSTANTS: ReadonlyMap<string, Value> = new Map<string, Value>([
  ['pi', Math.PI],
  ['e', Math.E],
  ['tau', 2 * Math.PI],
  ['inf', Infinity],
  ['nan', NaN],
])

const one = (name: string, code: (x: number) => number): [string, ApiFunction] => [
  name,
  pure(parameters('x'), (c) => checked(code(numberArg(c, 'x')), numberArg(c, 'x'))),
]
const two = (name: string, code: (x: number, y: number) => number): [string, ApiFunction] => [
  name,
  pure(parameters('x y'), (c) => checked(code(numberArg(c, 'x'), numberArg(c, 'y')), numberArg(c, 'x'), numberArg(c, 'y'))),
]
const test = (name: string, code: (x: number) => boolean): [string, ApiFunction] => [
  name,
  pure(parameters('x'), (c) => code(numberArg(c, 'x'))),
]
const toInt = (name: string, code: (x: number) => number): [string, ApiFunction] => [
  name,
  pure(parameters('x'), (c) => asInt(arg(c, 'x')) ?? truncate(code(numberArg(c, 'x')))),
]

export const MATH: ReadonlyMap<string, ApiFunction> = new Map<string, ApiFunction>([
  toInt('floor', Math.floor),
  toInt('ceil', Math.ceil),
  toInt('trunc', Math.trunc),
  one('sqrt', Math.sqrt),
  one('sin', Math.sin),
  one('cos', Math.cos),
  one('tan', Math.tan),
  one('asin', Math.asin),
  one('acos', Math.acos),
  one('atan', Math.atan),
  one('sinh', Math.sinh),
  one('cosh', Math.cosh),
  one('tanh', Math.tanh),
  one('exp', Math.exp),
  one('log2', (x) => logarithm(x, Math.log2)),
  one('log10', (x) => logarithm(x, Math.log10)),
  one('fabs', Math.abs),
  one('radians', (x) => x * (Math.PI / 180)),
  one('degrees', (x) => x * (180 / Math.PI)),
  two('atan2', Math.atan2),
  two('pow', (x, y) => floatPower(x, y)),
  two('fmod', (x, y) => x % y),
  two('copysign', (x, y) => (y < 0 || Object.is(y, -0) ? -Math.abs(x) : Math.abs(x))),
  test('isnan', Number.isNaN),
  test('isinf', (x) => !Number.isFinite(x) && !Number.isNaN(x)),
  test('isfinite', Number.isFinite),
  [
    'log',
    pure(parameters('x', { base: null }), (c) =>
      arg(c, 'base') === null
        ? logarithm(numberArg(c, 'x'), Math.log)
        : logarithm(numberArg(c, 'x'), Math.log) / logarithm(numberArg(c, 'base'), Math.log),
    ),
  ],
  ['hypot', pure({ positional: [], rest: 'all' }, (c) => norm(numbers(arg(c, 'all'))))],
  ['gcd', pure({ positional: [], rest: 'all' }, (c) => wholes(arg(c, 'all')).reduce((a, b) => gcd(c.m.budget, a, b), 0n))],
  ['factorial', pure(parameters('x'), (c) => factorial(c.m.budget, intArg(c, 'x')))],
  [
    'isclose',
    pure({ positional: parameters('a b').positional, keywordOnly: named({ rel_tol: 1e-9, abs_tol: 0 }) }, (c) =>
      close(numberArg(c, 'a'), numberArg(c, 'b'), numberArg(c, 'rel_tol'), numberArg(c, 'abs_tol')),
    ),
  ],
  ['dist', pure(parameters('p q'), (c) => distance(numbers(arg(c, 'p')), numbers(arg(c, 'q'))))],
  [
    'prod',
    {
      parameters: { positional: parameters('iterable').positional, keywordOnly: named({ start: 1n }) },
      pure: true,
      run: function* (c) {
        let product = arg(c, 'start')
        for (const item of yield* toArray(c.m, arg(c, 'iterable'))) product = binary(c.m.budget, 'Mult', product, item)
        return product
      },
    },
  ],
])

/** A result that is none for arguments that are numbers is an error in Python. */
function checked(result: number, ...from: number[]): number {
  if (from.some((x) => !Number.isFinite(x)) && !Number.isNaN(result)) return result
  if (Number.isNaN(result) && !from.some(Number.isNaN)) throw error('ValueError', 'math domain error')
  if (!Number.isFinite(result) && !Number.isNaN(result)) throw error('OverflowError', 'math range error')
  return result
}

function logarithm(x: number, log: (x: number) => number): number {
  if (x <= 0) throw error('ValueError', 'math domain error')
  return log(x)
}

function numbers(v: Value): number[] {
  if (typeof v === 'object' && (v?.kind === 'tuple' || v?.kind === 'list')) return v.items.map(toNumber)
  throw error('TypeError', 'expected a tuple or a list of numbers')
}

function wholes(v: Value): bigint[] {
  const items = typeof v === 'object' && v?.kind === 'tuple' ? v.items : []
  return items.map((item) => {
    const i = asInt(item)
    if (i === undefined) throw error('TypeError', 'gcd() takes whole numbers')
    return i
  })
}

function gcd(budget: Budget, a: bigint, b: bigint): bigint {
  let [x, y] = [a < 0n ? -a : a, b < 0n ? -b : b]
  while (y > 0n) {
    budget.work(1)
    budget.arithmetic(1, x)
    ;[x, y] = [y, x % y]
  }
  return x
}

function factorial(budget: Budget, n: bigint): bigint {
  if (n < 0n) throw error('ValueError', 'factorial() not defined for negative values')
  let product = 1n
  for (let i = 2n; i <= n; i++) {
    product *= i
    budget.work(16)
    if (i % 64n === 0n) budget.bits(product.toString(16).length * 4)
  }
  return product
}

function close(a: number, b: number, relative: number, absolute: number): boolean {
  if (a === b) return true
  if (!Number.isFinite(a) || !Number.isFinite(b)) return false
  return Math.abs(a - b) <= Math.max(relative * Math.max(Math.abs(a), Math.abs(b)), absolute)
}

/** Math.hypot is only for sizes that a plain sum of squares cannot hold: it rounds worse. */
function norm(parts: readonly number[]): number {
  const sum = parts.reduce((total, x) => total + x * x, 0)
  return sum > 1e-280 && sum < 1e300 ? Math.sqrt(sum) : Math.hypot(...parts)
}

function distance(p: readonly number[], q: readonly number[]): number {
  if (p.length !== q.length) throw error('ValueError', 'both points must have the same number of dimensions')
  return norm(p.map((x, i) => x - (q[i] ?? 0)))
}
