import { equal, ordered, same } from './compare.ts'
import { call } from './calls.ts'
import { error } from './exceptions.ts'
import { methods, takes, whole, type Given } from './fit.ts'
import { toArray } from './iterate.ts'
import { rest, type Machine, type Steps } from './machine.ts'
import { repr } from './repr.ts'
import { PyList, type PyTuple, type Value } from './values.ts'

export const listMethods = methods<PyList>({
  append: takes(1, '_item', (m, [item = null], self) => {
    m.budget.grow(self.items.push(item))
    return null
  }),
  extend: takes(1, '_items', function* (m, [items = null], self) {
    for (const item of yield* toArray(m, items)) m.budget.grow(self.items.push(item))
    return null
  }),
  insert: takes(2, '_at _item', (m, [at, item = null], self) => {
    m.budget.work(self.items.length >> 3)
    m.budget.grow(self.items.length + 1)
    self.items.splice(whole(at, 0), 0, item)
    return null
  }),
  pop: takes(0, '_at', (m, [at], self) => {
    const i = whole(at, -1)
    if (self.items.length === 0) throw error('IndexError', 'pop from empty list')
    const from = i < 0 ? i + self.items.length : i
    if (from < 0 || from >= self.items.length) throw error('IndexError', 'pop index out of range')
    m.budget.work((self.items.length - from) >> 3)
    return self.items.splice(from, 1)[0] ?? null
  }),
  remove: takes(1, '_item', (m, [item = null], self) => {
    const i = self.items.findIndex((x) => same(m.budget, x, item))
    if (i < 0) throw error('ValueError', 'list.remove(x): x not in list')
    self.items.splice(i, 1)
    return null
  }),
  clear: takes(0, '', (_m, _given, self) => {
    self.items = []
    return null
  }),
  copy: takes(0, '', (m, _given, self) => new PyList(copyOf(m, self))),
  reverse: takes(0, '', (m, _given, self) => {
    m.budget.work(self.items.length)
    self.items.reverse()
    return null
  }),
  sort: takes(0, '*key *reverse', function* (m, [key = null, reverse = false], self) {
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
  }),
  index: takes(1, '_item _start _stop', indexIn),
  count: takes(1, '_item', countIn),
})

export const tupleMethods = methods<PyTuple>({
  index: takes(1, '_item _start _stop', indexIn),
  count: takes(1, '_item', countIn),
})

function copyOf(m: Machine, list: PyList): Value[] {
  m.budget.items(list.items.length)
  return [...list.items]
}

function indexIn(m: Machine, [item = null, start, stop]: Given, self: PyList | PyTuple): Value {
  const size = self.items.length
  const bound = (v: number): number => Math.max(0, v < 0 ? v + size : v)
  const to = bound(whole(stop, size))
  for (let i = bound(whole(start, 0)); i < to && i < size; i++) if (equal(m.budget, self.items[i] ?? null, item)) return BigInt(i)
  throw error('ValueError', self.kind === 'list' ? `${repr(m.budget, item)} is not in list` : 'tuple.index(x): x not in tuple')
}

function countIn(m: Machine, [item = null]: Given, self: PyList | PyTuple): Value {
  return BigInt(self.items.filter((x) => same(m.budget, x, item)).length)
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

/** Below this size items are compared in CPython's order, which shows when two of them cannot be compared. */
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
