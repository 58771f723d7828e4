import { createHash } from 'node:crypto'
import { error } from '../interp/exceptions.ts'
import { exact } from '../interp/floats.ts'
import { toArray } from '../interp/iterate.ts'
import { needFloat } from '../interp/numbers.ts'
import { getItem, sizeOf } from '../interp/subscripts.ts'
import { asInt, typeName } from '../interp/types.ts'
import { PyList, type Value } from '../interp/values.ts'
import type { Steps } from '../interp/machine.ts'
import { arg, intArg, named, numberArg, parameters, pure, type ApiFunction, type Context } from './function.ts'

export const RANDOM: ReadonlyMap<string, ApiFunction> = new Map<string, ApiFunction>([
  ['random', pure(parameters(''), ({ session }) => session.random.random())],
  ['uniform', pure(parameters('a b'), (c) => numberArg(c, 'a') + (numberArg(c, 'b') - numberArg(c, 'a')) * c.session.random.random())],
  ['randint', pure(parameters('a b'), (c) => between(c, intArg(c, 'a'), intArg(c, 'b') + 1n, 1n))],
  ['randrange', pure(parameters('start', { stop: null, step: 1n }), randrange)],
  ['getrandbits', pure(parameters('k'), getrandbits)],
  ['choice', pure(parameters('seq'), choice)],
  ['seed', pure(parameters('', { a: null }), seed)],
  [
    'shuffle',
    pure(parameters('x'), (c) => {
      const list = arg(c, 'x')
      if (!(list instanceof PyList)) throw error('TypeError', `'${typeName(list)}' object does not support item assignment`)
      c.m.budget.work(list.items.length * 4)
      for (let i = list.items.length - 1; i > 0; i--) {
        const j = Number(c.session.random.below(BigInt(i + 1)))
        const [a = null, b = null] = [list.items[i], list.items[j]]
        list.items[i] = b
        list.items[j] = a
      }
      return null
    }),
  ],
  ['triangular', pure(parameters('', { low: 0, high: 1, mode: null }), triangular)],
  ['gauss', pure(parameters('', { mu: 0, sigma: 1 }), (c) => numberArg(c, 'mu') + c.session.random.gauss() * numberArg(c, 'sigma'))],
  [
    'choices',
    pure({ positional: parameters('population', { weights: null }).positional, keywordOnly: named({ cum_weights: null, k: 1n }) }, choices),
  ],
  ['sample', pure(parameters('population k'), sample)],
])

function between(c: Context, start: bigint, stop: bigint, step: bigint): bigint {
  const span = stop - start
  const count = step > 0n ? (span + step - 1n) / step : (span + step + 1n) / step
  if (count <= 0n) throw error('ValueError', `empty range for randrange() (${start}, ${stop}, ${span})`)
  return start + step * c.session.random.below(count)
}

function randrange(c: Context): Value {
  const stop = arg(c, 'stop')
  const step = intArg(c, 'step')
  if (stop === null) return between(c, 0n, intArg(c, 'start'), 1n)
  if (step === 0n) throw error('ValueError', 'zero step for randrange()')
  return between(c, intArg(c, 'start'), intArg(c, 'stop'), step)
}

function getrandbits(c: Context): Value {
  const count = intArg(c, 'k')
  if (count < 0n) throw error('ValueError', 'number of bits must be non-negative')
  c.m.budget.bits(Number(count))
  return c.session.random.bits(Number(count))
}

function choice(c: Context): Value {
  const from = arg(c, 'seq')
  const size = sizeOf(c.m.budget, from)
  if (size === 0n) throw error('IndexError', 'Cannot choose from an empty sequence')
  return getItem(c.m.budget, from, c.session.random.below(size))
}

function seed(c: Context): Value {
  const value = arg(c, 'a')
  if (typeof value === 'string') c.m.budget.work(value.length)
  c.session.random.seed(value === null ? BigInt(c.session.port.clock.now()) : seedFrom(value))
  return null
}

/** The seed that CPython derives from a value: a string by its digest, a float by its hash. */
function seedFrom(value: Value): bigint {
  if (typeof value === 'string') return BigInt(`0x${Buffer.from(value).toString('hex')}${createHash('sha512').update(value).digest('hex')}`)
  if (typeof value === 'number') return BigInt.asUintN(64, floatHash(value))
  const whole = asInt(value)
  if (whole === undefined) throw error('TypeError', 'The only supported seed types are: None,\nint, float, str, bytes, and bytearray.')
  return whole
}

function floatHash(x: number): bigint {
  if (!Number.isFinite(x)) return Number.isNaN(x) ? 0n : x > 0 ? 314159n : -314159n
  const { numerator, power } = exact(x)
  const size = ((numerator % HASH_PRIME) << (61n - (power % 61n))) % HASH_PRIME
  return x < 0 ? -size : size
}

/** CPython hashes numbers modulo this prime, in which 2 ** 61 is 1. */
const HASH_PRIME = (1n << 61n) - 1n

function triangular(c: Context): Value {
  const [low, high] = [numberArg(c, 'low'), numberArg(c, 'high')]
  const chance = c.session.random.random()
  if (high === low) return low
  const middle = arg(c, 'mode') === null ? 0.5 : (numberArg(c, 'mode') - low) / (high - low)
  const [from, to, u, at] = chance > middle ? [high, low, 1 - chance, 1 - middle] : [low, high, chance, middle]
  return from + (to - from) * Math.sqrt(u * at)
}

function* choices(c: Context): Steps<Value> {
  const pool = yield* toArray(c.m, arg(c, 'population'))
  const count = Number(intArg(c, 'k'))
  const sums = yield* runningSums(c, pool.length)
  c.m.budget.items(Math.max(0, count))
  c.m.budget.work(Math.max(0, count) * 16)
  const total = sums?.at(-1) ?? pool.length
  if (count > 0 && pool.length === 0) throw error('IndexError', 'list index out of range')
  if (sums && !(total > 0 && Number.isFinite(total))) throw error('ValueError', 'Total of weights must be greater than zero')
  return new PyList(
    Array.from({ length: Math.max(0, count) }, () => pool[pick(sums, c.session.random.random() * total, pool.length - 1)] ?? null),
  )
}

/** The cumulative weights; undefined when all items weigh the same. */
function* runningSums(c: Context, size: number): Steps<number[] | undefined> {
  const [weights, given] = [arg(c, 'weights'), arg(c, 'cum_weights')]
  if (weights === null && given === null) return undefined
  if (weights !== null && given !== null) throw error('TypeError', 'Cannot specify both weights and cumulative weights')
  let total = 0
  const sums = (yield* toArray(c.m, weights ?? given)).map((v) => (given === null ? (total += needFloat(v)) : needFloat(v)))
  if (sums.length !== size) throw error('ValueError', 'The number of weights does not match the population')
  return sums
}

/** The index of the item into whose share of the total `at` falls. */
function pick(sums: readonly number[] | undefined, at: number, last: number): number {
  if (!sums) return Math.floor(at)
  let [low, high] = [0, last]
  while (low < high) {
    const middle = (low + high) >> 1
    if (at < (sums[middle] ?? 0)) high = middle
    else low = middle + 1
  }
  return low
}

function* sample(c: Context) {
  const pool = yield* toArray(c.m, arg(c, 'population'))
  const k = Number(intArg(c, 'k'))
  if (k < 0 || k > pool.length) throw error('ValueError', 'Sample larger than population or is negative')
  const size = k > 5 ? 21 + 4 ** Math.ceil(Math.log(k * 3) / Math.log(4)) : 21
  const chosen: Value[] = []
  const taken = new Set<number>()
  for (let i = 0; i < k; i++) {
    if (pool.length <= size) {
      const j = Number(c.session.random.below(BigInt(pool.length - i)))
      chosen.push(pool[j] ?? null)
      pool[j] = pool[pool.length - i - 1] ?? null
      continue
    }
    let j = Number(c.session.random.below(BigInt(pool.length)))
    while (taken.has(j)) j = Number(c.session.random.below(BigInt(pool.length)))
    taken.add(j)
    chosen.push(pool[j] ?? null)
  }
  return new PyList(chosen)
}
