import { error } from '../interp/exceptions.ts'
import { toArray } from '../interp/iterate.ts'
import { getItem, sizeOf } from '../interp/subscripts.ts'
import { asInt, typeName } from '../interp/types.ts'
import { PyList, type Value } from '../interp/values.ts'
import { arg, intArg, numberArg, parameters, pure, type ApiFunction, type Context } from './function.ts'

export const RANDOM: ReadonlyMap<string, ApiFunction> = new Map<string, ApiFunction>([
  ['random', pure(parameters(''), ({ desk }) => desk.random.random())],
  ['uniform', pure(parameters('a b'), (c) => numberArg(c, 'a') + (numberArg(c, 'b') - numberArg(c, 'a')) * c.desk.random.random())],
  ['randint', pure(parameters('a b'), (c) => between(c, intArg(c, 'a'), intArg(c, 'b') + 1n, 1n))],
  ['randrange', pure(parameters('start', { stop: null, step: 1n }), randrange)],
  ['getrandbits', pure(parameters('k'), getrandbits)],
  ['choice', pure(parameters('seq'), choice)],
  ['seed', pure(parameters('', { a: null }), seed)],
  [
    'shuffle',
    pure(parameters('x'), (c) => {
      const list = arg(c, 'x')
      if (typeof list !== 'object' || list?.kind !== 'list')
        throw error('TypeError', `'${typeName(list)}' object does not support item assignment`)
      c.m.budget.work(list.items.length * 4)
      for (let i = list.items.length - 1; i > 0; i--) {
        const j = Number(c.desk.random.below(BigInt(i + 1)))
        const [a = null, b = null] = [list.items[i], list.items[j]]
        list.items[i] = b
        list.items[j] = a
      }
      return null
    }),
  ],
  ['sample', { parameters: parameters('population k'), pure: true, run: sample }],
])

function between(c: Context, start: bigint, stop: bigint, step: bigint): bigint {
  const span = stop - start
  const count = step > 0n ? (span + step - 1n) / step : (span + step + 1n) / step
  if (count <= 0n) throw error('ValueError', `empty range for randrange() (${start}, ${stop}, ${span})`)
  return start + step * c.desk.random.below(count)
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
  return c.desk.random.bits(Number(count))
}

function choice(c: Context): Value {
  const from = arg(c, 'seq')
  const size = sizeOf(c.m.budget, from)
  if (size === 0n) throw error('IndexError', 'Cannot choose from an empty sequence')
  return getItem(c.m.budget, from, c.desk.random.below(size))
}

function seed(c: Context): Value {
  const value = arg(c, 'a')
  const whole = asInt(value)
  if (value !== null && whole === undefined) throw error('TypeError', 'random.seed() takes a whole number here')
  c.desk.random.seed(whole ?? BigInt(c.desk.hands.clock.now()))
  return null
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
      const j = Number(c.desk.random.below(BigInt(pool.length - i)))
      chosen.push(pool[j] ?? null)
      pool[j] = pool[pool.length - i - 1] ?? null
      continue
    }
    let j = Number(c.desk.random.below(BigInt(pool.length)))
    while (taken.has(j)) j = Number(c.desk.random.below(BigInt(pool.length)))
    taken.add(j)
    chosen.push(pool[j] ?? null)
  }
  return new PyList(chosen)
}
