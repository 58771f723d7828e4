import { contains, equal, ordered } from './compare.ts'
import { call } from './calls.ts'
import { error } from './exceptions.ts'
import { bare, fit, whole } from './fit.ts'
import { toArray } from './iterate.ts'
import { rest, type Machine, type Steps } from './machine.ts'
import type { Method } from './methods.ts'
import { repr } from './repr.ts'
import { PyList, type Kwargs, type PyTuple, type Value } from './values.ts'

export const listMethods: ReadonlyMap<string, Method<PyList>> = new Map<string, Method<PyList>>([
  [
    'append',
    {
      now: (m, self, args, kwargs) => {
        const [item = null] = fit('append', args, kwargs, 1, ['_item'])
        m.budget.grow(self.items.push(item))
        return null
      },
    },
  ],
  [
    'extend',
    {
      later: function* (m, self, args, kwargs) {
        const [items = null] = fit('extend', args, kwargs, 1, ['_items'])
        for (const item of yield* toArray(m, items)) m.budget.grow(self.items.push(item))
        return null
      },
    },
  ],
  [
    'insert',
    {
      now: (m, self, args, kwargs) => {
        const [at, item = null] = fit('insert', args, kwargs, 2, ['_at', '_item'])
        m.budget.work(self.items.length >> 3)
        m.budget.grow(self.items.length + 1)
        self.items.splice(whole(at, 0), 0, item)
        return null
      },
    },
  ],
  [
    'pop',
    {
      now: (m, self, args, kwargs) => {
        const [at] = fit('pop', args, kwargs, 0, ['_at'])
        const i = whole(at, -1)
        if (self.items.length === 0) throw error('IndexError', 'pop from empty list')
        const from = i < 0 ? i + self.items.length : i
        if (from < 0 || from >= self.items.length) throw error('IndexError', 'pop index out of range')
        m.budget.work((self.items.length - from) >> 3)
        return self.items.splice(from, 1)[0] ?? null
      },
    },
  ],
  [
    'remove',
    {
      now: (m, self, args, kwargs) => {
        const [item = null] = fit('remove', args, kwargs, 1, ['_item'])
        const i = self.items.findIndex((x) => contains(m.budget, new PyList([x]), item))
        if (i < 0) throw error('ValueError', 'list.remove(x): x not in list')
        self.items.splice(i, 1)
        return null
      },
    },
  ],
  bare('clear', (_m, self) => empty(self)),
  bare('copy', (m, self) => new PyList(copyOf(m, self))),
  bare('reverse', (m, self) => {
    m.budget.work(self.items.length)
    self.items.reverse()
    return null
  }),
  [
    'sort',
    {
      later: function* (m, self, args, kwargs) {
        if (args.length > 0) throw error('TypeError', 'sort() takes no positional arguments')
        const [key = null, reverse = false] = fit('sort', args, kwargs, 0, ['key', 'reverse'])
        const items = copyOf(m, self)
        const during: Value[] = []
        self.items = during
        try {
          self.items = yield* sorted(m, items, key, whole(reverse, 0) !== 0)
        } catch (thrown) {
          self.items = items
          throw thrown
        }
        if (during.length > 0) throw error('ValueError', 'list modified during sort')
        return null
      },
    },
  ],
  ['index', { now: (m, self, args, kwargs) => indexIn(m, self, args, kwargs, 'is not in list') }],
  ['count', { now: countIn }],
])

export const tupleMethods: ReadonlyMap<string, Method<PyTuple>> = new Map<string, Method<PyTuple>>([
  ['index', { now: (m, self, args, kwargs) => indexIn(m, self, args, kwargs, 'tuple.index(x): x not in tuple') }],
  ['count', { now: countIn }],
])

function empty(list: PyList): null {
  list.items = []
  return null
}

function copyOf(m: Machine, list: PyList): Value[] {
  m.budget.items(list.items.length)
  return [...list.items]
}

function indexIn(m: Machine, self: PyList | PyTuple, args: readonly Value[], kwargs: Kwargs, message: string): Value {
  const [item = null, start, stop] = fit('index', args, kwargs, 1, ['_item', '_start', '_stop'])
  const size = self.items.length
  const bound = (v: number): number => Math.max(0, v < 0 ? v + size : v)
  const to = bound(whole(stop, size))
  for (let i = bound(whole(start, 0)); i < to && i < size; i++) if (equal(m.budget, self.items[i] ?? null, item)) return BigInt(i)
  throw error('ValueError', self.kind === 'list' ? `${repr(m.budget, item)} ${message}` : message)
}

function countIn(m: Machine, self: PyList | PyTuple, args: readonly Value[], kwargs: Kwargs): Value {
  const [item = null] = fit('count', args, kwargs, 1, ['_item'])
  return BigInt(self.items.filter((x) => contains(m.budget, new PyList([x]), item)).length)
}

/** A stable merge sort; a key function of the script runs in steps, and so does the sort itself. */
export function* sorted(m: Machine, items: Value[], key: Value, reverse: boolean): Steps<Value[]> {
  const keyed: { key: Value; item: Value }[] = []
  for (const item of items) keyed.push({ item, key: key === null ? item : yield* call(m, key, [item]) })
  if (reverse) keyed.reverse()
  const done = yield* keyed.length < SHORT ? insertionSort(m, keyed) : mergeSort(m, keyed)
  if (reverse) done.reverse()
  return done.map((x) => x.item)
}

/** Up to here CPython compares in the order below, which shows when two items cannot be compared. */
const SHORT = 64

function* insertionSort<T extends { key: Value }>(m: Machine, items: readonly T[]): Steps<T[]> {
  const [first, second] = items
  if (!first || !second) return [...items]
  const isLess = (a: T, b: T): boolean => ordered(m.budget, '<', a.key, b.key)
  const falling = isLess(second, first)
  const out: T[] = [first, second]
  if (falling) out.reverse()
  let inRun = true
  for (const item of items.slice(2)) {
    if (m.budget.tick()) yield* rest(m)
    const [top] = falling ? out : out.slice(-1)
    inRun &&= top !== undefined && isLess(item, top) === falling
    if (inRun) {
      if (falling) out.unshift(item)
      else out.push(item)
      continue
    }
    let [low, high] = [0, out.length]
    while (low < high) {
      const middle = (low + high) >> 1
      const other = out[middle]
      if (other && isLess(item, other)) high = middle
      else low = middle + 1
    }
    out.splice(low, 0, item)
  }
  return out
}

function* mergeSort<T extends { key: Value }>(m: Machine, items: readonly T[]): Steps<T[]> {
  if (items.length < 2) return [...items]
  const middle = items.length >> 1
  const left = yield* mergeSort(m, items.slice(0, middle))
  const right = yield* mergeSort(m, items.slice(middle))
  const out: T[] = []
  let l = 0
  let r = 0
  for (;;) {
    const a = left[l]
    const b = right[r]
    if (!a || !b) break
    if (m.budget.tick()) yield* rest(m)
    if (ordered(m.budget, '<', b.key, a.key)) {
      out.push(b)
      r++
    } else {
      out.push(a)
      l++
    }
  }
  return out.concat(left.slice(l), right.slice(r))
}
