import { call } from './calls.ts'
import { error } from './exceptions.ts'
import { fit, signature, type Given } from './fit.ts'
import { advance, iterator, PICK } from './iterate.ts'
import type { Machine } from './machine.ts'
import { needInt } from './numbers.ts'
import { characters } from './text.ts'
import { truthy, typeName } from './types.ts'
import { END, isListOrTuple, PyDict, PyIter, PyList, PyRange, PyTuple, PyView, type Kwargs, type Value } from './values.ts'

/** The built-ins that answer with a lazy iterator. */

export function enumerated(m: Machine, [items = null, start = 0n]: Given): PyIter {
  let i = needInt(start)
  const it = iterator(m, items)
  m.budget.object('iterator')
  return new PyIter('enumerate', function* () {
    const item = yield* advance(m, it)
    return item === END ? END : new PyTuple([i++, item])
  })
}

const ZIP = signature(0, '*strict')

export function zipped(m: Machine, args: readonly Value[], kwargs: Kwargs): PyIter {
  const [strict = false] = fit('zip', [], kwargs, ZIP)
  const sources = args.map((a) => iterator(m, a))
  m.budget.object('iterator')
  return new PyIter('zip', function* () {
    const items: Value[] = []
    for (const [i, it] of sources.entries()) {
      const item = yield* advance(m, it)
      if (item !== END) {
        items.push(item)
        continue
      }
      if (!truthy(strict)) return END
      if (i > 0) throw error('ValueError', `zip() argument ${i + 1} is shorter than argument${i > 1 ? `s 1-${i}` : ' 1'}`)
      for (const [k, other] of sources.entries()) {
        if (k > 0 && (yield* advance(m, other)) !== END)
          throw error('ValueError', `zip() argument ${k + 1} is longer than argument${k > 1 ? `s 1-${k}` : ' 1'}`)
      }
      return END
    }
    return sources.length === 0 ? END : new PyTuple(items)
  })
}

export function mapped(m: Machine, args: readonly Value[], kwargs: Kwargs): PyIter {
  fit('map', [], kwargs, signature(0, ''))
  const [fn = null, ...rest] = args
  if (rest.length === 0) throw error('TypeError', 'map() must have at least two arguments.')
  const sources = rest.map((a) => iterator(m, a))
  m.budget.object('iterator')
  return new PyIter('map', function* () {
    const items: Value[] = []
    for (const it of sources) {
      const item = yield* advance(m, it)
      if (item === END) return END
      items.push(item)
    }
    return yield* call(m, fn, items)
  })
}

export function filtered(m: Machine, [fn = null, items = null]: Given): PyIter {
  const it = iterator(m, items)
  m.budget.object('iterator')
  return new PyIter('filter', function* () {
    for (;;) {
      const item = yield* advance(m, it)
      if (item === END || truthy(fn === null ? item : yield* call(m, fn, [item]))) return item
    }
  })
}

export function reversed(m: Machine, v: Value): PyIter {
  if (v instanceof PyRange) {
    let i = v.length
    return new PyIter('range_iterator', () => (i > 0n ? v.start + v.step * --i : END))
  }
  const items = itemsOf(m, v)
  let i = items.length
  return new PyIter(v instanceof PyList ? 'list_reverseiterator' : 'reversed', () => (--i >= 0 ? (items[i] ?? null) : END))
}

function itemsOf(m: Machine, v: Value): readonly Value[] {
  if (isListOrTuple(v)) return v.items
  if (typeof v === 'string') {
    m.budget.items(v.length)
    return characters(v)
  }
  if (!(v instanceof PyDict || v instanceof PyView)) throw error('TypeError', `'${typeName(v)}' object is not reversible`)
  const [{ entries }, pick] = v instanceof PyView ? [v.dict, PICK[v.of]] : [v, PICK.keys]
  m.budget.items(entries.size)
  return Array.from(entries.values(), pick)
}
