import type { ExprNode } from 'py-ast'
import { error } from './exceptions.ts'
import { evaluate, moduleOf, slice } from './expressions.ts'
import { toArray } from './iterate.ts'
import type { Frame, Machine, Steps } from './machine.ts'
import { deleteItem, deleteSlice, setItem, setSlice } from './subscripts.ts'
import { typeName } from './types.ts'
import { assign, remove } from './variables.ts'
import { PyList, type Value } from './values.ts'

/** Assigns a value to an assignment target. */
export function* store(m: Machine, target: ExprNode, value: Value, frame: Frame): Steps<void> {
  switch (target.nodeType) {
    case 'Name':
      return assign(m, frame, target.id, value)
    case 'Tuple':
    case 'List':
      return yield* unpack(m, target.elts, value, frame)
    case 'Subscript': {
      const container = yield* evaluate(m, target.value, frame)
      if (target.slice.nodeType === 'Slice') {
        const bounds = yield* slice(m, target.slice, frame)
        return setSlice(m.budget, container, bounds, yield* toArray(m, value, 'can only assign an iterable'))
      }
      const key = yield* evaluate(m, target.slice, frame)
      m.at = target
      return setItem(m.budget, container, key, value)
    }
    case 'Attribute': {
      const module = moduleOf(m, target.value)
      if (module) return m.world.write(m, module, target.attr, value)
      throw error('AttributeError', `attribute '${target.attr}' cannot be set`)
    }
    default:
      throw error('RuntimeError', `cannot assign to ${target.nodeType}`)
  }
}

function* unpack(m: Machine, targets: readonly ExprNode[], value: Value, frame: Frame): Steps<void> {
  if (typeof value !== 'object' && typeof value !== 'string')
    throw error('TypeError', `cannot unpack non-iterable ${typeName(value)} object`)
  if (value === null) throw error('TypeError', 'cannot unpack non-iterable NoneType object')
  const items = yield* toArray(m, value)
  const star = targets.findIndex((t) => t.nodeType === 'Starred')
  const need = star < 0 ? targets.length : targets.length - 1
  if (items.length < need) {
    const least = star < 0 ? '' : 'at least '
    throw error('ValueError', `not enough values to unpack (expected ${least}${need}, got ${items.length})`)
  }
  if (star < 0 && items.length > need) throw error('ValueError', `too many values to unpack (expected ${need})`)
  const extra = items.length - need
  for (const [i, target] of targets.entries()) {
    if (target.nodeType === 'Starred') yield* store(m, target.value, new PyList(items.slice(i, i + extra)), frame)
    else yield* store(m, target, items[star >= 0 && i > star ? i + extra - 1 : i] ?? null, frame)
  }
}

/** `del target`. */
export function* discard(m: Machine, target: ExprNode, frame: Frame): Steps<void> {
  switch (target.nodeType) {
    case 'Name':
      return remove(m, frame, target.id)
    case 'Tuple':
    case 'List':
      for (const t of target.elts) yield* discard(m, t, frame)
      return
    case 'Subscript': {
      const container = yield* evaluate(m, target.value, frame)
      if (target.slice.nodeType === 'Slice') return deleteSlice(m.budget, container, yield* slice(m, target.slice, frame))
      const key = yield* evaluate(m, target.slice, frame)
      m.at = target
      return deleteItem(m.budget, container, key)
    }
    default:
      throw error('RuntimeError', `cannot delete ${target.nodeType}`)
  }
}
