import type { TargetFacts, UiNode } from '../model/index.ts'
import { windowOf } from './tree.ts'

/** What policy, people and the journal see of a node. */
export function factsOf(node: UiNode, found: Pick<TargetFacts, 'source' | 'confidence' | 'why'> & Partial<TargetFacts>): TargetFacts {
  const window = windowOf(node)
  const path: string[] = []
  for (let n: UiNode | undefined = node; n !== undefined; n = n.parent) if (n.name) path.unshift(n.name)
  return {
    key: node.key,
    role: node.role,
    name: node.name,
    bounds: node.bounds,
    states: node.states,
    app: node.app,
    window: window && { key: window.key, title: window.name, role: window.role, bounds: window.bounds },
    url: urlOf(node),
    path,
    ...found,
  }
}

/** The address of the document a node lies in, where the toolkit tells it. */
function urlOf(node: UiNode): string | undefined {
  for (let n: UiNode | undefined = node; n !== undefined; n = n.parent) {
    const url = n.attributes?.['url'] ?? n.attributes?.['DocURL']
    if (typeof url === 'string') return url
  }
  return undefined
}
