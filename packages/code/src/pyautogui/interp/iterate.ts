import { error } from './exceptions.ts'
import { isSteps, rest, type Machine, type Steps } from './machine.ts'
import { characters } from './text.ts'
import { typeName } from './types.ts'
import { END, isListOrTuple, PyIter, PyTuple, type PyView, type Value } from './values.ts'

/** `iter(v)`. */
export function iterator(m: Machine, v: Value, complaint = ''): PyIter {
  if (!(v instanceof PyIter)) m.budget.object('iterator')
  if (typeof v === 'string') {
    m.budget.items(v.length)
    // oxlint-disable-next-line no-control-regex
    return overArray(/^[\x00-\x7f]*$/.test(v) ? 'str_ascii_iterator' : 'str_iterator', characters(v))
  }
  if (typeof v !== 'object' || v === null) throw error('TypeError', complaint || `'${typeName(v)}' object is not iterable`)
  switch (v.kind) {
    case 'iterator':
      return v
    case 'list': {
      let i = 0
      return new PyIter('list_iterator', () => v.items[i++] ?? absent(v.items, i - 1))
    }
    case 'tuple':
      return overArray('tuple_iterator', v.items)
    case 'range': {
      let i = 0n
      return new PyIter('range_iterator', () => (i < v.length ? v.start + v.step * i++ : END))
    }
    case 'dict':
      return overEntries('dict_keyiterator', 'dictionary', v.entries, PICK.keys)
    case 'set':
      return overEntries('set_iterator', 'Set', v.entries, (item) => item)
    case 'view':
      return overEntries(`dict_${v.of.slice(0, -1)}iterator`, 'dictionary', v.dict.entries, PICK[v.of])
    default:
      throw error('TypeError', complaint || `'${typeName(v)}' object is not iterable`)
  }
}

/** What a view of a dict shows of an entry. */
export const PICK: Record<PyView['of'], (entry: { key: Value; value: Value }) => Value> = {
  keys: ({ key }) => key,
  values: ({ value }) => value,
  items: ({ key, value }) => new PyTuple([key, value]),
}

/** Tells None in a list, which is null, from the end of the list. */
function absent(items: readonly Value[], i: number): Value | typeof END {
  return i < items.length ? null : END
}

function overArray(name: string, items: readonly Value[]): PyIter {
  let i = 0
  return new PyIter(name, () => items[i++] ?? absent(items, i - 1))
}

function overEntries<K, E>(name: string, what: string, entries: ReadonlyMap<K, E>, pick: (entry: E) => Value): PyIter {
  const size = entries.size
  const walk = entries.values()
  return new PyIter(name, () => {
    if (entries.size !== size) throw error('RuntimeError', `${what} changed size during iteration`)
    const turn = walk.next()
    return turn.done ? END : pick(turn.value)
  })
}

/** `next(it)`, or END. Each one counts as a step. */
export function* advance(m: Machine, it: PyIter): Steps<Value | typeof END> {
  if (m.budget.tick()) yield* rest(m)
  const answer = it.next()
  return isSteps(answer) ? yield* answer : answer
}

/** Everything an iterable gives, as an array. */
export function* toArray(m: Machine, v: Value, complaint?: string): Steps<Value[]> {
  if (isListOrTuple(v)) {
    m.budget.items(v.items.length)
    return [...v.items]
  }
  const it = iterator(m, v, complaint)
  const items: Value[] = []
  for (;;) {
    const item = yield* advance(m, it)
    if (item === END) return items
    items.push(item)
    m.budget.grow(items.length)
  }
}
