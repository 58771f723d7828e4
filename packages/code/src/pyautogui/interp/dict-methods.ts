import { hash } from './compare.ts'
import { error } from './exceptions.ts'
import { fit, methods, signature, takes, type Given } from './fit.ts'
import { toArray } from './iterate.ts'
import { rest, type Machine, type Steps } from './machine.ts'
import type { Method } from './methods.ts'
import { binary, type BinaryName } from './operators.ts'
import { addItem, keyError, setItem } from './subscripts.ts'
import { NO_KWARGS, PyDict, PySet, PyTuple, PyView, type Kwargs, type Value } from './values.ts'

export const dictMethods = new Map<string, Method<PyDict>>([
  ...methods<PyDict>({
    keys: takes(0, '', (_m, _given, self) => new PyView('keys', self)),
    values: takes(0, '', (_m, _given, self) => new PyView('values', self)),
    items: takes(0, '', (_m, _given, self) => new PyView('items', self)),
    get: takes(1, '_key _default', (m, [key = null, fallback = null], self) => {
      const entry = self.entries.get(hash(m.budget, key))
      return entry ? entry.value : fallback
    }),
    setdefault: takes(1, '_key _default', (m, [key = null, fallback = null], self) => {
      const entry = self.entries.get(hash(m.budget, key))
      if (entry) return entry.value
      setItem(m.budget, self, key, fallback)
      return fallback
    }),
    pop: takes(1, '_key _default', (m, [key = null, fallback], self) => {
      if (self.entries.size === 0 && fallback !== undefined) return fallback
      const hashed = hash(m.budget, key)
      const entry = self.entries.get(hashed)
      self.entries.delete(hashed)
      if (entry) return entry.value
      if (fallback === undefined) throw keyError(key)
      return fallback
    }),
    popitem: takes(0, '', (m, _given, self) => {
      m.budget.work(self.entries.size)
      const last = [...self.entries].at(-1)
      if (!last) throw keyError('popitem(): dictionary is empty')
      self.entries.delete(last[0])
      return new PyTuple([last[1].key, last[1].value])
    }),
    copy: takes(0, '', (m, _given, self) => {
      m.budget.items(self.entries.size)
      m.budget.work(2 * self.entries.size)
      m.budget.object('mapping')
      const copy = new PyDict()
      for (const [k, entry] of self.entries) copy.entries.set(k, { ...entry })
      return copy
    }),
    clear: takes(0, '', clear),
    fromkeys: takes(1, '_keys _value', function* (m, [keys = null, value = null]) {
      m.budget.object('mapping')
      const dict = new PyDict()
      for (const key of yield* toArray(m, keys)) {
        setItem(m.budget, dict, key, value)
        if (m.budget.tick()) yield* rest(m)
      }
      return dict
    }),
  }),
  [
    'update',
    function* (m, self, args, kwargs) {
      yield* fill(m, self, fit('update', args, NO_KWARGS, signature(0, '_other'))[0], kwargs)
      return null
    },
  ],
])

export const setMethods = new Map<string, Method<PySet>>([
  ...methods<PySet>({
    add: takes(1, '_item', (m, [item = null], self) => {
      addItem(m.budget, self, item)
      return null
    }),
    discard: takes(1, '_item', (m, [item = null], self) => {
      self.entries.delete(hash(m.budget, item))
      return null
    }),
    remove: takes(1, '_item', (m, [item = null], self) => {
      if (!self.entries.delete(hash(m.budget, item))) throw keyError(item)
      return null
    }),
    clear: takes(0, '', clear),
    copy: takes(0, '', (m, _given, self) => binary(m.budget, 'BitOr', self, new PySet())),
    pop: takes(0, '', (_m, _given, self) => {
      const [first] = self.entries
      if (!first) throw keyError('pop from an empty set')
      self.entries.delete(first[0])
      return first[1]
    }),
    symmetric_difference: takes(1, '_other', (m, [other = null], self) => combine(m, 'BitXor', self, [other])),
    symmetric_difference_update: takes(1, '_other', (m, [other = null], self) => become(m, 'BitXor', self, [other])),
    issubset: compared((self, other) => [...self.keys()].every((k) => other.has(k))),
    issuperset: compared((self, other) => [...other.keys()].every((k) => self.has(k))),
    isdisjoint: compared((self, other) => ![...other.keys()].some((k) => self.has(k))),
  }),
  [
    'update',
    function* (m, self, args) {
      for (const other of args) for (const item of yield* toArray(m, other)) addItem(m.budget, self, item)
      return null
    },
  ],
  ['union', (m, self, args) => combine(m, 'BitOr', self, args)],
  ['intersection', (m, self, args) => combine(m, 'BitAnd', self, args)],
  ['difference', (m, self, args) => combine(m, 'Sub', self, args)],
  ['intersection_update', (m, self, args) => become(m, 'BitAnd', self, args)],
  ['difference_update', (m, self, args) => become(m, 'Sub', self, args)],
])

type Entries = PySet['entries']

function compared(test: (self: Entries, other: Entries) => boolean) {
  return takes<PySet>(1, '_other', function* (m, [other = null], self) {
    m.budget.work(self.entries.size)
    return test(self.entries, (yield* setFrom(m, other)).entries)
  })
}

/** Puts a mapping, or pairs, and keywords into a dict. */
export function* fill(m: Machine, dict: PyDict, other: Value | undefined, kwargs: Kwargs): Steps<void> {
  if (other instanceof PyDict) {
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

/** A set of the items of an iterable. */
export function* setFrom(m: Machine, v: Value): Steps<PySet> {
  m.budget.object('mapping')
  const set = new PySet()
  for (const item of yield* toArray(m, v)) {
    addItem(m.budget, set, item)
    if (m.budget.tick()) yield* rest(m)
  }
  return set
}

function clear(_m: Machine, _given: Given, self: PyDict | PySet): null {
  self.entries.clear()
  return null
}

function* become(m: Machine, op: BinaryName, self: PySet, others: readonly Value[]): Steps<null> {
  const result = yield* combine(m, op, self, others)
  self.entries.clear()
  if (result instanceof PySet) for (const [k, v] of result.entries) self.entries.set(k, v)
  return null
}

function* combine(m: Machine, op: BinaryName, self: PySet, others: readonly Value[]): Steps<Value> {
  let result = binary(m.budget, 'BitOr', self, new PySet())
  for (const other of others) result = binary(m.budget, op, result, yield* setFrom(m, other))
  return result
}
