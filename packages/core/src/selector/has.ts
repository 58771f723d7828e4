import type { UiNode } from '../model/index.ts'
import type { Expr } from './ast.ts'
import type { Scene, Test } from './scene.ts'
import { elements } from './search.ts'

/** The keys of all nodes around those that an expression matches; found once in each scene. */
export function holders(expr: Expr, test: Test): (scene: Scene) => ReadonlySet<string> {
  const known = new WeakMap<Scene, ReadonlySet<string>>()
  return (scene) => {
    let keys = known.get(scene)
    if (keys === undefined) known.set(scene, (keys = around(elements(expr, 'any', test, scene))))
    return keys
  }
}

function around(nodes: readonly UiNode[]): Set<string> {
  const keys = new Set<string>()
  for (const node of nodes) for (let n = node.parent; n !== undefined && !keys.has(n.key); n = n.parent) keys.add(n.key)
  return keys
}
