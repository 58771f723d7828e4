import type { Policy, Setting } from '../policy/policy.ts'
import type { Principal, UiNode, UiTree } from '../model/index.ts'
import { factsOf } from './facts.ts'
import type { LiveTree } from './tree.ts'

/**
 * What a principal may know of. Everything an agent sees (outlines, candidates, near misses, diffs) is made from this and
 * never from the tree itself, so that a denied application, window or document leaks nothing.
 */
export function view(tree: LiveTree, principal: Principal, policy: Policy, setting: Setting): UiTree {
  const apps = new Set(tree.apps.filter((app) => !policy.visible(app, principal, setting)).map((app) => app.id))
  const places = new Set<UiNode>()
  for (const place of tree.places) if (!policy.sees(factsOf(place, SEEN), principal, setting)) places.add(place)
  if (apps.size === 0 && places.size === 0) return tree
  const hidden = (node: UiNode): boolean => apps.has(node.app.id) || places.has(node)
  const reasons = tree.completeness.reasons.filter((r) => r.app === undefined || !apps.has(r.app))
  const shown = tree.roots.filter((r) => !hidden(r))
  // Only a hidden part inside a root that is shown makes copying necessary.
  const roots = places.size > 0 || tree.embeds ? shown.map((r) => without(r, hidden)) : shown
  return { roots, completeness: { complete: tree.completeness.complete || reasons.length === 0, reasons } }
}

const SEEN = { source: 'structure', confidence: 1, why: [] } satisfies Parameters<typeof factsOf>[1]

function without(node: UiNode, hidden: (n: UiNode) => boolean, parent?: UiNode): UiNode {
  const copy: UiNode = { ...node, parent, children: [] }
  copy.children = node.children.filter((c) => !hidden(c)).map((c) => without(c, hidden, copy))
  return copy
}
