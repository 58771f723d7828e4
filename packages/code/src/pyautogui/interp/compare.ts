import type { Budget } from '../budget.ts'
import { error } from './exceptions.ts'
import { compareText, search } from './text.ts'
import { asInt, typeName } from './types.ts'
import { PyRange, PyTuple, type Hash, type PyObject, type Value } from './values.ts'

/** How deep containers may nest before comparing or showing them raises RecursionError. */
export const NESTING = 200

/** `a == b`. */
export function equal(budget: Budget, a: Value, b: Value, depth = 0): boolean {
  budget.work(1)
  if (a === b) return true
  if (isObject(a) && isObject(b)) return equalObjects(budget, a, b, depth)
  const x = typeof a === 'boolean' ? asInt(a) : a
  const y = typeof b === 'boolean' ? asInt(b) : b
  if ((typeof x === 'bigint' || typeof x === 'number') && (typeof y === 'bigint' || typeof y === 'number')) {
    // The loose form compares int and float by their exact values.
    return x == y
  }
  if (typeof x === 'string' && typeof y === 'string') budget.work(x.length >> 4)
  return x === y
}

const isObject = (v: Value): v is PyObject => typeof v === 'object' && v !== null

function equalObjects(budget: Budget, a: PyObject, b: PyObject, depth: number): boolean {
  if (depth > NESTING) throw error('RecursionError', 'maximum recursion depth exceeded in comparison')
  if (a.kind === 'list' && b.kind === 'list') return equalItems(budget, a.items, b.items, depth)
  if (a.kind === 'tuple' && b.kind === 'tuple') return equalItems(budget, a.items, b.items, depth)
  if (a.kind === 'dict' && b.kind === 'dict') {
    if (a.entries.size !== b.entries.size) return false
    for (const [hashed, entry] of a.entries) {
      const other = b.entries.get(hashed)
      if (!other || !same(budget, entry.value, other.value, depth + 1)) return false
    }
    return true
  }
  if (a.kind === 'set' && b.kind === 'set') {
    budget.work(a.entries.size)
    return a.entries.size === b.entries.size && [...a.entries.keys()].every((k) => b.entries.has(k))
  }
  if (a.kind === 'range' && b.kind === 'range') return equalRanges(a, b)
  if (a.kind === 'api' && b.kind === 'api') return a.module === b.module && a.name === b.name
  return false
}

function equalItems(budget: Budget, a: readonly Value[], b: readonly Value[], depth: number): boolean {
  return a.length === b.length && a.every((item, i) => same(budget, item, b[i] ?? null, depth + 1))
}

/** Identity counts as equality inside collections, so that a nan in a list equals itself. */
export function same(budget: Budget, a: Value, b: Value, depth = 0): boolean {
  if (!Object.is(a, b)) return equal(budget, a, b, depth)
  budget.work(1)
  return true
}

function equalRanges(a: PyRange, b: PyRange): boolean {
  if (a.length !== b.length) return false
  if (a.length === 0n) return true
  return a.start === b.start && (a.length === 1n || a.step === b.step)
}

type Order = '<' | '<=' | '>' | '>='

/** `a < b`, `a <= b`, `a > b`, `a >= b`. */
export function ordered(budget: Budget, op: Order, a: Value, b: Value, depth = 0): boolean {
  budget.work(1)
  const x = typeof a === 'boolean' ? asInt(a) : a
  const y = typeof b === 'boolean' ? asInt(b) : b
  if ((typeof x === 'bigint' || typeof x === 'number') && (typeof y === 'bigint' || typeof y === 'number')) {
    if (op === '<') return x < y
    if (op === '<=') return x <= y
    return op === '>' ? x > y : x >= y
  }
  if (typeof x === 'string' && typeof y === 'string') {
    budget.work(Math.min(x.length, y.length) >> 4)
    return holds(op, compareText(x, y))
  }
  if (isObject(a) && isObject(b)) {
    if ((a.kind === 'list' && b.kind === 'list') || (a.kind === 'tuple' && b.kind === 'tuple'))
      return orderedItems(budget, op, a.items, b.items, depth)
    if (a.kind === 'set' && b.kind === 'set') return orderedSets(budget, op, a.entries, b.entries)
  }
  throw error('TypeError', `'${op}' not supported between instances of '${typeName(a)}' and '${typeName(b)}'`)
}

function orderedItems(budget: Budget, op: Order, a: readonly Value[], b: readonly Value[], depth: number): boolean {
  if (depth > NESTING) throw error('RecursionError', 'maximum recursion depth exceeded in comparison')
  for (let i = 0; i < a.length && i < b.length; i++) {
    const x = a[i] ?? null
    const y = b[i] ?? null
    if (!same(budget, x, y, depth + 1)) return ordered(budget, op, x, y, depth + 1)
  }
  return holds(op, a.length - b.length)
}

function orderedSets(budget: Budget, op: Order, a: ReadonlyMap<Hash, Value>, b: ReadonlyMap<Hash, Value>): boolean {
  budget.work(a.size + b.size)
  const [small, large] = op === '<' || op === '<=' ? [a, b] : [b, a]
  const proper = op === '<' || op === '>'
  return (proper ? small.size < large.size : small.size <= large.size) && [...small.keys()].every((k) => large.has(k))
}

function holds(op: Order, difference: number): boolean {
  if (op === '<') return difference < 0
  if (op === '<=') return difference <= 0
  return op === '>' ? difference > 0 : difference >= 0
}

/** `a is b`. */
export function identical(a: Value, b: Value): boolean {
  if (isObject(a) && isObject(b) && a.kind === 'api' && b.kind === 'api') return a.module === b.module && a.name === b.name
  return Object.is(a, b)
}

/** `item in container`, for containers that need no code of the script. */
export function contains(budget: Budget, container: Value, item: Value): boolean | undefined {
  if (typeof container === 'string') {
    if (typeof item !== 'string') throw error('TypeError', `'in <string>' requires string as left operand, not ${typeName(item)}`)
    budget.work((container.length + item.length) >> 2)
    return search(container, item) >= 0
  }
  if (!isObject(container)) throw error('TypeError', `argument of type '${typeName(container)}' is not iterable`)
  switch (container.kind) {
    case 'list':
    case 'tuple':
      return container.items.some((x) => same(budget, x, item))
    case 'dict':
    case 'set':
      return container.entries.has(hash(budget, item))
    case 'range':
      return inRange(container, item)
    case 'view':
      if (container.of === 'keys') return container.dict.entries.has(hash(budget, item))
      for (const { key, value } of container.dict.entries.values()) {
        if (same(budget, container.of === 'values' ? value : new PyTuple([key, value]), item)) return true
      }
      return false
    case 'iterator':
      return undefined
    default:
      throw error('TypeError', `argument of type '${typeName(container)}' is not iterable`)
  }
}

function inRange(range: PyRange, item: Value): boolean {
  const whole = typeof item === 'number' && Number.isInteger(item) ? BigInt(item) : asInt(item)
  if (whole === undefined) return false
  const offset = whole - range.start
  return offset % range.step === 0n && offset / range.step >= 0n && offset / range.step < range.length
}

/** The key under which a dict or set keeps a value. Strings are their own key; encoded keys start with `\0`. */
export function hash(budget: Budget, v: Value, depth = 0): Hash {
  budget.work(1)
  if (v === null) return null
  switch (typeof v) {
    case 'string':
      return v.startsWith('\0') ? `\0s${v}` : v
    case 'boolean':
      return v ? 1n : 0n
    case 'bigint':
      return v
    case 'number':
      return Number.isInteger(v) ? BigInt(v) : v
    default:
  }
  switch (v.kind) {
    case 'tuple': {
      if (depth > NESTING) throw error('RecursionError', 'maximum recursion depth exceeded')
      const parts = v.items.map((item) => encode(hash(budget, item, depth + 1)))
      const size = parts.reduce((sum, part) => sum + part.length, 0)
      budget.work(size >> 3)
      budget.text(size)
      return `\0t${parts.map((part) => `${part.length}:${part}`).join('')}`
    }
    case 'list':
    case 'dict':
    case 'set':
    case 'view':
      throw error('TypeError', `unhashable type: '${typeName(v)}'`)
    case 'api':
      return `\0a${v.module}.${v.name}`
    case 'range':
      return `\0r${v.length}:${v.length > 0n ? v.start : ''}:${v.length > 1n ? v.step : ''}`
    default:
      return v
  }
}

const identities = new WeakMap<object, number>()
let lastIdentity = 0

function encode(hashed: Hash): string {
  if (hashed === null) return 'N'
  switch (typeof hashed) {
    case 'string':
      return `s${hashed}`
    case 'bigint':
      return `i${hashed}`
    case 'number':
      return `f${hashed}`
    default: {
      const known = identities.get(hashed) ?? ++lastIdentity
      identities.set(hashed, known)
      return `o${known}`
    }
  }
}
