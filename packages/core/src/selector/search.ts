import type { UiNode } from '../model/index.ts'
import type { Expr } from './ast.ts'
import { poolOf } from './pool.ts'
import type { Scene, Scope, Test } from './scene.ts'

interface Where {
  scope?: Scope
  isServed?: (node: UiNode) => boolean
}

/** The elements of the tree that pass, in document order: out of what the index knows, or of the scope where that is smaller. */
export function elements(expr: Expr, prefix: string, test: Test, scene: Scene, { scope, isServed }: Where = {}): UiNode[] {
  const passes = (node: UiNode): boolean => (isServed === undefined || isServed(node)) && test(node, scene)
  if (expr.type === 'element') {
    const node = scene.element(expr.id)
    return node !== undefined && passes(node) && (!scope || scope.holds(node)) ? [node] : []
  }
  const hits: UiNode[] = []
  const take = (node: UiNode): void => {
    if (passes(node)) hits.push(node)
  }
  const { index } = scene.tree
  const pool = index && poolOf({ prefix, expr }, index)
  if (!index || !pool || (scope && !scene.isLarge(scope, pool.size))) {
    scene.each(scope, take)
    return hits
  }
  // What lies around a node counts only as far as the caller may see it.
  const isWide = index.seen !== undefined && looksAround(expr)
  if (isWide) hits.push(...pool)
  else for (const node of pool) take(node)
  index.sort(hits)
  if (!index.seen && !scope) return hits
  const seen: UiNode[] = []
  for (const hit of hits) {
    const node = index.seen ? index.seen(hit) : hit
    if (node && (!isWide || passes(node)) && (!scope || scope.holds(node))) seen.push(node)
  }
  return seen
}

/** Whether a node passes by more than what it is itself. */
function looksAround(expr: Expr): boolean {
  switch (expr.type) {
    case 'and':
    case 'or':
      return expr.of.some(looksAround)
    case 'not':
      return looksAround(expr.of)
    case 'has':
      return true
    case 'text':
    case 'regex':
      return expr.key === 'name' || expr.key === 'label'
    default:
      return false
  }
}
