import { PRESSED, type TargetFacts, type UiNode } from '../../model/index.ts'
import { windowOf } from './live-tree.ts'

/** What policy, people and the journal see of a node. */
export function factsOf(node: UiNode, found: Pick<TargetFacts, 'source' | 'confidence' | 'why'> & Partial<TargetFacts>): TargetFacts {
  const window = windowOf(node)
  const path: string[] = []
  for (let n: UiNode | undefined = node; n !== undefined; n = n.parent) if (n.name) path.unshift(n.name)
  return {
    key: node.key,
    role: node.role,
    name: node.name,
    says: saysOf(node),
    bounds: node.bounds,
    states: node.states,
    app: node.app,
    window: window && { key: window.key, title: window.name, role: window.role, bounds: window.bounds },
    url: urlOf(node),
    path,
    ...found,
  }
}

/** A press on the picture in a button presses the button, and a button without a name is known by what stands on it. */
export function saysOf(node: UiNode): string[] | undefined {
  const around = PRESSED.has(node.role) ? undefined : controlAround(node)
  const outer = around === undefined ? [] : [around.name ?? '', ...writtenOn(around)]
  const says = [...outer, ...writtenOn(node)].filter((text) => text !== '')
  return says.length > 0 ? says.slice(0, MOST_TEXTS) : undefined
}

const MOST_TEXTS = 8
const LEVELS = 3

function controlAround(node: UiNode): UiNode | undefined {
  let at = node.parent
  for (let level = 0; at !== undefined && level < LEVELS; level++, at = at.parent) if (PRESSED.has(at.role)) return at
  return undefined
}

/** What stands for a name where there is none; of anything larger than a control, what lies in it is not its name. */
function writtenOn(node: UiNode): string[] {
  if (node.name) return []
  const hint = node.description ?? ''
  return PRESSED.has(node.role) ? [...textsBelow(node, LEVELS), node.value ?? '', hint] : [hint]
}

function* textsBelow(node: UiNode, levels: number): Generator<string> {
  for (const child of node.children) {
    if (child.name) yield child.name
    if (levels > 1) yield* textsBelow(child, levels - 1)
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
