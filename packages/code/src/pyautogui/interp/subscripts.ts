import type { Budget } from '../budget.ts'
import { hash } from './compare.ts'
import { builtin, error, raise } from './exceptions.ts'
import { characterAt, characters, isWide, length } from './text.ts'
import { asInt, typeName } from './types.ts'
import { isListOrTuple, PyDict, PyList, PyRange, PySet, PyTuple, PyView, type Value } from './values.ts'

/** The bounds of `[start:stop:step]`; null for a part left out. */
export interface Slice {
  start: Value
  stop: Value
  step: Value
}

/** `container[key]`. */
export function getItem(budget: Budget, container: Value, key: Value): Value {
  if (typeof container === 'string') {
    budget.work(isWide(container) ? container.length : container.length >> 6)
    return characterAt(container, Number(position(key, 'string', BigInt(length(container)))))
  }
  if (isListOrTuple(container)) return container.items[Number(position(key, container.kind, BigInt(container.items.length)))] ?? null
  if (container instanceof PyRange) return container.start + container.step * position(key, 'range', container.length)
  if (container instanceof PyDict) {
    const entry = container.entries.get(hash(budget, key))
    if (entry) return entry.value
    throw keyError(key)
  }
  throw error('TypeError', `'${typeName(container)}' object is not subscriptable`)
}

/** `container[slice]`. */
export function getSlice(budget: Budget, container: Value, slice: Slice): Value {
  if (typeof container === 'string') {
    const all = characters(container)
    budget.items(all.length)
    return take(all, slice).join('')
  }
  if (isListOrTuple(container)) {
    budget.items(container.items.length)
    const items = take(container.items, slice)
    return container.kind === 'list' ? new PyList(items) : new PyTuple(items)
  }
  if (container instanceof PyRange) {
    const { first, last, step } = bounds(slice, container.length)
    return new PyRange(container.start + first * container.step, container.start + last * container.step, container.step * step)
  }
  if (container instanceof PyDict) throw error('TypeError', "unhashable type: 'slice'")
  throw error('TypeError', `'${typeName(container)}' object is not subscriptable`)
}

/** `container[key] = value`. */
export function setItem(budget: Budget, container: Value, key: Value, value: Value): void {
  if (container instanceof PyList) {
    container.items[Number(position(key, 'list assignment', BigInt(container.items.length)))] = value
  } else if (container instanceof PyDict) {
    const hashed = hash(budget, key)
    container.entries.set(hashed, { key: container.entries.get(hashed)?.key ?? key, value })
    budget.grow(container.entries.size)
  } else {
    throw error('TypeError', `'${typeName(container)}' object does not support item assignment`)
  }
}

/** `set.add(item)`. */
export function addItem(budget: Budget, set: PySet, item: Value): void {
  const hashed = hash(budget, item)
  if (!set.entries.has(hashed)) set.entries.set(hashed, item)
  budget.grow(set.entries.size)
}

/** `container[slice] = values`. */
export function setSlice(budget: Budget, container: Value, slice: Slice, values: readonly Value[]): void {
  if (!(container instanceof PyList)) throw error('TypeError', `'${typeName(container)}' object does not support item assignment`)
  const items = container.items
  const { first, last, step, count } = bounds(slice, BigInt(items.length))
  if (step === 1n) {
    budget.items(items.length - count + values.length)
    container.items = [...items.slice(0, Number(first)), ...values, ...items.slice(Math.max(Number(first), Number(last)))]
    return
  }
  if (values.length !== count)
    throw error('ValueError', `attempt to assign sequence of size ${values.length} to extended slice of size ${count}`)
  values.forEach((v, i) => (items[Number(first) + i * Number(step)] = v))
}

/** `del container[key]`. */
export function deleteItem(budget: Budget, container: Value, key: Value): void {
  if (container instanceof PyList) {
    budget.work(container.items.length >> 3)
    container.items.splice(Number(position(key, 'list assignment', BigInt(container.items.length))), 1)
  } else if (container instanceof PyDict) {
    if (!container.entries.delete(hash(budget, key))) throw keyError(key)
  } else {
    throw error('TypeError', `'${typeName(container)}' object doesn't support item deletion`)
  }
}

/** `del container[slice]`. */
export function deleteSlice(budget: Budget, container: Value, slice: Slice): void {
  if (!(container instanceof PyList)) throw error('TypeError', `'${typeName(container)}' object does not support item deletion`)
  budget.items(container.items.length)
  const { first, step, count } = bounds(slice, BigInt(container.items.length))
  const gone = new Set(Array.from({ length: count }, (_, i) => Number(first) + i * Number(step)))
  container.items = container.items.filter((_, i) => !gone.has(i))
}

export function keyError(key: Value): Error {
  return raise(builtin('KeyError'), key)
}

function position(key: Value, what: string, size: bigint): bigint {
  const i = asInt(key)
  const [noun = what] = what.split(' ')
  if (i === undefined)
    throw error(
      'TypeError',
      `${noun} indices must be integers${noun === 'string' ? '' : ' or slices'}, not ${noun === 'string' ? `'${typeName(key)}'` : typeName(key)}`,
    )
  const from = i < 0n ? i + size : i
  if (from < 0n || from >= size) throw error('IndexError', `${what === 'range' ? 'range object' : what} index out of range`)
  return from
}

function take<T>(items: readonly T[], slice: Slice): T[] {
  const { first, step, count } = bounds(slice, BigInt(items.length))
  if (step === 1n) return items.slice(Number(first), Number(first) + count)
  const out: T[] = []
  for (let i = 0; i < count; i++) {
    const item = items[Number(first) + i * Number(step)]
    if (item !== undefined) out.push(item)
  }
  return out
}

function bounds({ start, stop, step: stepValue }: Slice, size: bigint): { first: bigint; last: bigint; step: bigint; count: number } {
  const step = stepValue === null ? 1n : sliceIndex(stepValue)
  if (step === 0n) throw error('ValueError', 'slice step cannot be zero')
  const [low, high] = step > 0n ? [0n, size] : [-1n, size - 1n]
  const clamp = (v: Value, whenAbsent: bigint): bigint => {
    if (v === null) return whenAbsent
    const i = sliceIndex(v)
    const from = i < 0n ? i + size : i
    return from < low ? low : from > high ? high : from
  }
  const first = clamp(start, step > 0n ? low : high)
  const last = clamp(stop, step > 0n ? high : low)
  return { first, last, step, count: Number(new PyRange(first, last, step).length) }
}

function sliceIndex(v: Value): bigint {
  const i = asInt(v)
  if (i === undefined) throw error('TypeError', 'slice indices must be integers or None or have an __index__ method')
  return i
}

/** `len(v)`. */
export function sizeOf(budget: Budget, v: Value): bigint {
  if (typeof v === 'string') {
    budget.work(isWide(v) ? v.length >> 2 : v.length >> 5)
    return BigInt(length(v))
  }
  if (isListOrTuple(v)) return BigInt(v.items.length)
  if (v instanceof PyDict || v instanceof PySet) return BigInt(v.entries.size)
  if (v instanceof PyView) return BigInt(v.dict.entries.size)
  if (v instanceof PyRange) return v.length
  throw error('TypeError', `object of type '${typeName(v)}' has no len()`)
}
