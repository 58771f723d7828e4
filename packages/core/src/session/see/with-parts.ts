import type { NodeIndex, Rect, UiNode } from '../../model/index.ts'
import type { KnownPart } from './same-parts.ts'
import type { Sight } from './see.ts'

/** What was made out in a window; undefined for one that was not looked at. */
export type PartsOf = (window: UiNode) => readonly KnownPart[] | undefined

/** A tree in which windows that tell nothing of themselves have the parts that were made out in their pixels. */
export function withParts(seen: Sight, of: PartsOf, generation: () => number): Sight {
  let made: { generation: number; now: Joined } | undefined
  const now = (): Joined => {
    if (made?.generation !== generation()) made = { generation: generation(), now: joined(seen, of) }
    return made.now
  }
  return {
    get roots() {
      return now().roots
    },
    get completeness() {
      return seen.completeness
    },
    get index() {
      return now().index
    },
    see: (key) => now().nodes.get(key ?? '') ?? seen.see(key),
  }
}

interface Joined {
  roots: readonly UiNode[]
  /** Windows with parts, and the parts. */
  nodes: ReadonlyMap<string, UiNode>
  index: NodeIndex | undefined
}

function joined(seen: Sight, of: PartsOf): Joined {
  const nodes = new Map<string, UiNode>()
  const roots = seen.roots.map((root) => {
    const parts = of(root)
    if (parts === undefined || root.bounds === undefined) return root
    const window = { ...root, children: new Array<UiNode>() }
    nodes.set(window.key, window)
    const { bounds } = root
    window.children = parts.map((part, i) => nodeOf(part, i, window, bounds, nodes))
    return window
  })
  const { index } = seen
  return { roots, nodes, index: index && withNodes(index, nodes) }
}

function nodeOf(part: KnownPart, index: number, parent: UiNode, corner: Rect, into: Map<string, UiNode>): UiNode {
  const { key, role, name, value, checked, rect, confidence } = part
  const node: UiNode & { children: UiNode[] } = {
    key,
    index,
    role,
    name,
    value,
    bounds: { x: Math.round(corner.x + rect.x), y: Math.round(corner.y + rect.y), w: Math.round(rect.w), h: Math.round(rect.h) },
    states: { visible: true, ...(checked !== undefined && { checked }), ...(EDITABLE.has(role) && { editable: true }) },
    attributes: { source: 'ocr', confidence: Math.round(confidence * 100) / 100 },
    app: parent.app,
    parent,
    children: [],
  }
  into.set(key, node)
  node.children = part.children.map((child, i) => nodeOf(child, i, node, corner, into))
  return node
}

const EDITABLE: ReadonlySet<string> = new Set(['textbox', 'spinbutton'])

/** The index of a tree, with these nodes in place of those of the same key or after all others. */
function withNodes(index: NodeIndex, nodes: ReadonlyMap<string, UiNode>): NodeIndex {
  const order = new Map([...nodes.values()].map((node, i) => [node, i]))
  const isAdded = (node: UiNode): boolean => order.has(node)
  return {
    byRole: (role) => new Set([...index.byRole(role), ...[...nodes.values()].filter((n) => n.role === role && n.parent !== undefined)]),
    byText: (text) => {
      const found = index.byText(text)
      return found && new Set([...found, ...[...nodes.values()].filter((n) => n.parent !== undefined)])
    },
    sort: (found) => {
      const [added, others] = [found.filter(isAdded), found.filter((n) => !isAdded(n))]
      index.sort(others)
      added.sort((a, b) => (order.get(a) ?? 0) - (order.get(b) ?? 0))
      found.splice(0, found.length, ...others, ...added)
    },
    seen: (node) => {
      if (isAdded(node)) return node
      const known = index.seen === undefined ? node : index.seen(node)
      return known && (nodes.get(known.key) ?? known)
    },
  }
}
