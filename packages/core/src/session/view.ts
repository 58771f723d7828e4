import type { Policy, Setting } from '../policy/policy.ts'
import type { Principal, UiNode, UiTree } from '../model/index.ts'
import type { LiveTree } from './tree.ts'

/**
 * What a principal may know of. Everything an agent sees (outlines, candidates, near misses, diffs) is made from this and
 * never from the tree itself, so that a denied application leaks nothing.
 */
export function view(tree: LiveTree, principal: Principal, policy: Policy, setting: Setting): UiTree {
  const hidden = new Set<string>()
  for (const app of tree.apps) if (!policy.visible(app, principal, setting)) hidden.add(app.id)
  if (hidden.size === 0) return tree
  const reasons = tree.completeness.reasons.filter((r) => r.app === undefined || !hidden.has(r.app))
  const shown = tree.roots.filter((r) => !hidden.has(r.app.id))
  // An application can embed another one's nodes, as a socket does a plug.
  const roots = tree.embeds ? shown.map((r) => without(r, hidden)) : shown
  return { roots, completeness: { complete: tree.completeness.complete || reasons.length === 0, reasons } }
}

function without(node: UiNode, hidden: ReadonlySet<string>, parent?: UiNode): UiNode {
  const copy: UiNode = { ...node, parent, children: [] }
  copy.children = node.children.filter((c) => !hidden.has(c.app.id)).map((c) => without(c, hidden, copy))
  return copy
}
