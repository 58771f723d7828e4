import type { UiNode } from '../../model/index.ts'
import type { LiveTree } from './live-tree.ts'
import type { Sight } from './see.ts'

/** The modal dialog of the same application that keeps a node from taking input: the one that came last, unless the node lies in it. */
export function modalOver(node: UiNode, tree: LiveTree, { see }: Pick<Sight, 'see'>): UiNode | undefined {
  const modal = [...tree.places].findLast((n) => n.states?.modal === true && n.states.visible !== false && n.app.id === node.app.id)
  for (let at: UiNode | undefined = node; at !== undefined; at = at.parent) if (at.key === modal?.key) return undefined
  return see(modal?.key)
}
