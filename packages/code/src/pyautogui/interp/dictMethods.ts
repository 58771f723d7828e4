import type { Budget } from '../budget.ts'
import { hash } from './compare.ts'
import { error } from './exceptions.ts'
import { bare, fit } from './fit.ts'
import { toArray } from './iterate.ts'
import { rest, type Machine, type Steps } from './machine.ts'
import type { Method } from './methods.ts'
import { binary, type BinaryName } from './operators.ts'
import { addItem, keyError, setItem } from './subscripts.ts'
import { PyDict, PySet, PyTuple, PyView, type Kwargs, type Value } from './values.ts'

export const dictMethods: ReadonlyMap<string, Method<PyDict>> = new Map<string, Method<PyDict>>([
  bare('keys', (_m, self) => new PyView('keys', self)),
  bare('values', (_m, self) => new PyView('values', self)),
  bare('items', (_m, self) => new PyView('items', self)),
  [
    'get',
    {
      now: (m, self, args, kwargs) => {
        const [key = null, fallback = null] = fit('get', args, kwargs, 1, ['_key', '_default'])
        const entry = self.entries.get(hash(m.budget, key))
        return entry ? entry.value : fallback
      },
    },
  ],
  [
    'setdefault',
    {
      now: (m, self, args, kwargs) => {
        const [key = null, fallback = null] = fit('setdefault', args, kwargs, 1, ['_key', '_default'])
        const entry = self.entries.get(hash(m.budget, key))
        if (entry) return entry.value
        setItem(m.budget, self, key, fallback)
        return fallback
      },
    },
  ],
  [
    'pop',
    {
      now: (m, self, args, kwargs) => {
        const [key = null, fallback] = fit('pop', args, kwargs, 1, ['_key', '_default'])
        if (self.entries.size === 0 && fallback !== undefined) return fallback
        const hashed = hash(m.budget, key)
        const entry = self.entries.get(hashed)
        self.entries.delete(hashed)
        if (entry) return entry.value
        if (fallback === undefined) throw keyError(key)
        return fallback
      },
    },
  ],
  bare('popitem', (m, self) => {
    m.budget.work(self.entries.size)
    const last = [...self.entries].at(-1)
    if (!last) throw keyError('popitem(): dictionary is empty')
    self.entries.delete(last[0])
    return new PyTuple([last[1].key, last[1].value])
  }),
  [
    'update',
    {
      later: function* (m, self, args, kwargs) {
        const [other] = fit('update', args, new Map(), 0, ['_other'])
        yield* fill(m, self, other, kwargs)
        return null
      },
    },
  ],
  bare('copy', (m, self) => copyOf(m.budget, self)),
  bare('clear', (_m, self) => clear(self)),
  [
    'fromkeys',
    {
      later: function* (m, _self, args, kwargs) {
        const [keys = null, value = null] = fit('fromkeys', args, kwargs, 1, ['_keys', '_value'])
        m.budget.object('mapping')
        const dict = new PyDict()
        for (const key of yield* toArray(m, keys)) {
          setItem(m.budget, dict, key, value)
          if (m.budget.tick()) yield* rest(m)
        }
        return dict
      },
    },
  ],
])

export const setMethods: ReadonlyMap<string, Method<PySet>> = new Map<string, Method<PySet>>([
  ['add', { now: (m, self, args) => add(m, self, args) }],
  ['discard', { now: (m, self, args) => take(m, self, args, false) }],
  ['remove', { now: (m, self, args) => take(m, self, args, true) }],
  bare('clear', (_m, self) => clear(self)),
  bare('copy', (m, self) => binary(m.budget, 'BitOr', self, new PySet())),
  bare('pop', (_m, self) => {
    const [first] = self.entries
    if (!first) throw keyError('pop from an empty set')
    self.entries.delete(first[0])
    return first[1]
  }),
  [
    'update',
    {
      later: function* (m, self, args) {
        for (const other of args) for (const item of yield* toArray(m, other)) addItem(m.budget, self, item)
        return null
      },
    },
  ],
  ['union', { later: (m, self, args) => combine(m, 'BitOr', self, args) }],
  ['intersection', { later: (m, self, args) => combine(m, 'BitAnd', self, args) }],
  ['difference', { later: (m, self, args) => combine(m, 'Sub', self, args) }],
  [
    'symmetric_difference',
    { later: (m, self, args) => combine(m, 'BitXor', self, args.length === 1 ? args : wrongCount('symmetric_difference', args)) },
  ],
  ['difference_update', { later: (m, self, args) => become(m, 'Sub', self, args) }],
  ['intersection_update', { later: (m, self, args) => become(m, 'BitAnd', self, args) }],
  [
    'symmetric_difference_update',
    { later: (m, self, args) => become(m, 'BitXor', self, args.length === 1 ? args : wrongCount('symmetric_difference_update', args)) },
  ],
  compared('issubset', (self, other) => [...self.entries.keys()].every((k) => other.entries.has(k))),
  compared('issuperset', (self, other) => [...other.entries.keys()].every((k) => self.entries.has(k))),
  compared('isdisjoint', (self, other) => ![...other.entries.keys()].some((k) => self.entries.has(k))),
])

function compared(name: string, test: (self: PySet, other: PySet) => boolean): [string, Method<PySet>] {
  return [
    name,
    {
      later: function* (m, self, args) {
        const [other = null] = fit(name, args, new Map(), 1, ['_other'])
        m.budget.work(self.entries.size)
        return test(self, yield* setFrom(m, other))
      },
    },
  ]
}

function wrongCount(name: string, args: readonly Value[]): never {
  throw error('TypeError', `set.${name}() takes exactly one argument (${args.length} given)`)
}

function* become(m: Machine, op: BinaryName, self: PySet, others: readonly Value[]): Steps<null> {
  const result = yield* combine(m, op, self, others)
  self.entries.clear()
  if (typeof result === 'object' && result?.kind === 'set') for (const [k, v] of result.entries) self.entries.set(k, v)
  return null
}

/** Puts a mapping, or pairs, and keywords into a dict. */
export function* fill(m: Machine, dict: PyDict, other: Value | undefined, kwargs: Kwargs): Steps<void> {
  if (typeof other === 'object' && other?.kind === 'dict') {
    m.budget.items(other.entries.size)
    for (const { key, value } of [...other.entries.values()]) {
      setItem(m.budget, dict, key, value)
      if (m.budget.tick()) yield* rest(m)
    }
  } else if (other !== undefined) {
    for (const [i, pair] of (yield* toArray(m, other)).entries()) {
      const items = yield* toArray(m, pair)
      if (items.length !== 2)
        throw error('ValueError', `dictionary update sequence element #${i} has length ${items.length}; 2 is required`)
      setItem(m.budget, dict, items[0] ?? null, items[1] ?? null)
    }
  }
  for (const [key, value] of kwargs) setItem(m.budget, dict, key, value)
}

/** A set of whatever an iterable gives. */
export function* setFrom(m: Machine, v: Value): Steps<PySet> {
  m.budget.object('mapping')
  const set = new PySet()
  for (const item of yield* toArray(m, v)) {
    addItem(m.budget, set, item)
    if (m.budget.tick()) yield* rest(m)
  }
  return set
}

function copyOf(budget: Budget, self: PyDict): PyDict {
  budget.items(self.entries.size)
  budget.work(2 * self.entries.size)
  budget.object('mapping')
  const copy = new PyDict()
  for (const [k, entry] of self.entries) copy.entries.set(k, { ...entry })
  return copy
}

function clear(self: PyDict | PySet): null {
  self.entries.clear()
  return null
}

function add(m: Machine, set: PySet, args: readonly Value[]): null {
  const [item = null] = fit('add', args, new Map(), 1, ['_item'])
  addItem(m.budget, set, item)
  return null
}

function take(m: Machine, set: PySet, args: readonly Value[], must: boolean): null {
  const [item = null] = fit('remove', args, new Map(), 1, ['_item'])
  if (!set.entries.delete(hash(m.budget, item)) && must) throw keyError(item)
  return null
}

function* combine(m: Machine, op: BinaryName, self: PySet, others: readonly Value[]): Steps<Value> {
  let result = binary(m.budget, 'BitOr', self, new PySet())
  for (const other of others) result = binary(m.budget, op, result, yield* setFrom(m, other))
  return result
}
