import { isPartOf, isValueControl } from '../../model/index.ts'
import type { Guard } from '../driver.ts'

interface Nested<N> {
  readonly parent?: N | undefined
}

/**
 * Whether what lies at a point is the wanted node or a part of it; a control of its own inside it is not. For a wheel only controls count
 * whose value it changes, and for a mere move none does.
 */
export function belongsTo<N extends Nested<N>>(
  node: N | undefined,
  wanted: N,
  by: NonNullable<Guard['hit']>['by'],
  roleOf: (node: N) => string,
): boolean {
  const outer = roleOf(wanted)
  for (let n = node; n !== undefined; n = n.parent) {
    if (n === wanted) return true
    const role = roleOf(n)
    if (by !== 'move' && !isPartOf(role, outer) && (by !== 'wheel' || isValueControl(role))) return false
  }
  return false
}
