import { call } from './calls.ts'
import { error } from './exceptions.ts'
import { fit } from './fit.ts'
import { advance, iterator } from './iterate.ts'
import type { Machine, Steps } from './machine.ts'
import { characters } from './text.ts'
import { asInt, truthy, typeName } from './types.ts'
import { END, PyIter, PyTuple, type Kwargs, type Value } from './values.ts'

/** The built-ins that give items one by one, asking their sources only when they are asked. */

export function enumerated(m: Machine, args: readonly Value[], kwargs: Kwargs): PyIter {
  const [items = null, start = 0n] = fit('enumerate', args, kwargs, 1, ['iterable', 'start'])
  let i = asInt(start)
  if (i === undefined) throw error('TypeError', `'${typeName(start)}' object cannot be interpreted as an integer`)
  const it = iterator(m, items)
  m.budget.object('iterator')
  return lazy('enumerate', function* () {
    const item = yield* advance(m, it)
    if (item === END || i === undefined) return END
    return new PyTuple([i++, item])
  })
}

export function zipped(m: Machine, args: readonly Value[], kwargs: Kwargs): PyIter {
  const [strict = false] = fit('zip', [], kwargs, 0, ['strict'])
  const sources = args.map((a) => iterator(m, a))
  m.budget.object('iterator')
  return lazy('zip', function* () {
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
  fit('map', [], kwargs, 0, [])
  const [fn = null, ...rest] = args
  if (rest.length === 0) throw error('TypeError', 'map() must have at least two arguments.')
  const sources = rest.map((a) => iterator(m, a))
  m.budget.object('iterator')
  return lazy('map', function* () {
    const items: Value[] = []
    for (const it of sources) {
      const item = yield* advance(m, it)
      if (item === END) return END
      items.push(item)
    }
    return yield* call(m, fn, items)
  })
}

export function filtered(m: Machine, args: readonly Value[], kwargs: Kwargs): PyIter {
  const [fn = null, items = null] = fit('filter', args, kwargs, 2, ['_function', '_items'])
  const it = iterator(m, items)
  m.budget.object('iterator')
  return lazy('filter', function* () {
    for (;;) {
      const item = yield* advance(m, it)
      if (item === END || truthy(fn === null ? item : yield* call(m, fn, [item]))) return item
    }
  })
}

export function reversed(m: Machine, v: Value): PyIter {
  if (typeof v === 'object' && v?.kind === 'range') {
    let i = v.length
    return new PyIter('range_iterator', { now: () => (i > 0n ? v.start + v.step * --i : END) })
  }
  const items = itemsOf(m, v)
  let i = items.length
  return new PyIter(typeof v === 'object' && v?.kind === 'list' ? 'list_reverseiterator' : 'reversed', {
    now: () => (--i >= 0 ? (items[i] ?? null) : END),
  })
}

function itemsOf(m: Machine, v: Value): readonly Value[] {
  if (typeof v === 'string') {
    m.budget.items(v.length)
    return characters(v)
  }
  if (typeof v === 'object' && (v?.kind === 'list' || v?.kind === 'tuple')) return v.items
  if (typeof v === 'object' && (v?.kind === 'dict' || v?.kind === 'view')) {
    const it = iterator(m, v)
    const items: Value[] = []
    if ('now' in it.next) for (let item = it.next.now(); item !== END; item = it.next.now()) m.budget.grow(items.push(item))
    return items
  }
  throw error('TypeError', `'${typeName(v)}' object is not reversible`)
}

/** Depth counts while an iterator asks an iterator that asks an iterator. */
function lazy(name: string, later: () => Steps<Value | typeof END>): PyIter {
  return new PyIter(name, { later })
}
