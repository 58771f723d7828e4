import { PRESSED, type TargetFacts, type UiNode } from '../../model/index.ts'
import { isWeb } from '../../policy/index.ts'
import { labelOf } from '../../selector/index.ts'
import { windowOf } from './live-tree.ts'
import { unreadKind } from './unread.ts'

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
    ...(unreadKind(node) !== undefined && { unread: true }),
    path,
    ...found,
  }
}

/**
 * What a person reads on it beside its name. A press on the picture in a button presses the button; a control without a name is known by what
 * stands on it, and one with a name may show another text than that, or stand behind a label that says something else.
 */
export function saysOf(node: UiNode): string[] | undefined {
  const around = PRESSED.has(node.role) ? undefined : controlAround(node)
  const outer = around === undefined ? [] : [around.name ?? '', ...writtenOn(around)]
  const label = labelOf(node, (n) => n.states?.visible !== false)?.name ?? ''
  const says = [...outer, ...writtenOn(node), label].filter((text) => text !== '' && text !== node.name)
  return says.length > 0 ? [...new Set(says)].slice(0, MOST_TEXTS) : undefined
}

const MOST_TEXTS = 8
const LEVELS = 3

function controlAround(node: UiNode): UiNode | undefined {
  let at = node.parent
  for (let level = 0; at !== undefined && level < LEVELS; level++, at = at.parent) if (PRESSED.has(at.role)) return at
  return undefined
}

/** What stands on a control, and for a name where there is none; of anything larger than a control, what lies in it is not its name. */
function writtenOn(node: UiNode): string[] {
  const isControl = PRESSED.has(node.role)
  if (node.name) return isControl ? [...textsBelow(node, LEVELS, (child) => !PRESSED.has(child.role) && child.role !== 'menu')] : []
  const hint = node.description ?? ''
  return isControl ? [...textsBelow(node, LEVELS), node.value ?? '', hint] : [hint]
}

function* textsBelow(node: UiNode, levels: number, counts: (child: UiNode) => boolean = () => true): Generator<string> {
  for (const child of node.children) {
    if (!counts(child)) continue
    if (child.name) yield child.name
    if (levels > 1) yield* textsBelow(child, levels - 1, counts)
  }
}

/** The address of the document a node lies in; empty where it is a page whose address the toolkit does not tell. */
export function urlOf(node: UiNode): string | undefined {
  let isPage = false
  for (let n: UiNode | undefined = node; n !== undefined; n = n.parent) {
    const url = n.attributes?.['url'] ?? n.attributes?.['DocURL']
    if (typeof url === 'string') return url
    isPage ||= n.role === 'document'
  }
  return isPage && isWeb(node.app) ? '' : undefined
}
