import type { NodeIndex, Rect, UiNode } from '../../model/index.ts'
import { topOf } from './changes.ts'
import type { KnownPart } from './same-parts.ts'
import type { Sight } from './see.ts'
import { unreadKind } from './unread.ts'

/** A place that tells nothing of what is in it, by its key, and what was made out there. */
export interface MadeOut {
  place: string
  parts: readonly KnownPart[]
  /** It changes all the time, so that the parts are those of a moment ago. */
  changing?: boolean
}

/** A tree in which places that tell nothing of themselves have the parts that were made out in their pixels. */
export function withParts(seen: Sight, found: readonly MadeOut[], generation: () => number): Sight {
  let made: { generation: number; now: Joined } | undefined
  const now = (): Joined => {
    if (made?.generation !== generation()) made = { generation: generation(), now: new Joined(seen, found) }
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
    see: (key) => now().see(key),
  }
}

/** Whether only pixels tell what is in it. */
export const isUnread = (node: UiNode): boolean => unreadKind(node) !== undefined && node.children.length === 0

/**
 * A tree with parts, until the tree changes. Below a root with parts all nodes are copies, made when first asked for, so that links lead to
 * the parts from everywhere; everything else is the tree's own.
 */
class Joined {
  readonly roots: readonly UiNode[]
  readonly index: NodeIndex | undefined
  readonly #seen: Sight
  readonly #parts = new Map<string, UiNode>()
  /** By the place that they lie in. */
  readonly #inside = new Map<UiNode, readonly UiNode[]>()
  readonly #copied = new Set<UiNode>()
  readonly #changing = new Set<UiNode>()
  readonly #copies = new Map<UiNode, UiNode>()

  constructor(seen: Sight, found: readonly MadeOut[]) {
    this.#seen = seen
    for (const { place, parts, changing } of found) {
      const node = seen.see(place)
      if (node?.bounds === undefined || !isUnread(node)) continue
      this.#copied.add(topOf(node))
      if (changing) this.#changing.add(node)
      const { bounds } = node
      this.#inside.set(
        node,
        parts.map((part, i) => this.#nodeOf(part, i, this.#copy(node), bounds)),
      )
    }
    this.roots = seen.roots.map((root) => this.#own(root))
    this.index = seen.index && this.#indexOver(seen.index)
  }

  see(key: string | undefined): UiNode | undefined {
    const known = this.#parts.get(key ?? '')
    if (known !== undefined) return known
    const node = this.#seen.see(key)
    return node && this.#own(node)
  }

  #own(node: UiNode): UiNode {
    return this.#copied.has(topOf(node)) ? this.#copy(node) : node
  }

  #copy(node: UiNode): UiNode {
    const made = this.#copies.get(node)
    if (made !== undefined) return made
    const above = (): UiNode | undefined => node.parent && this.#copy(node.parent)
    const below = (): UiNode[] => [...(this.#inside.get(node) ?? node.children.map((child) => this.#copy(child)))]
    let children: UiNode[] | undefined
    const copy = {
      ...node,
      ...(this.#changing.has(node) && { attributes: { ...node.attributes, changing: true } }),
      get parent() {
        return above()
      },
      get children() {
        return (children ??= below())
      },
    }
    this.#copies.set(node, copy)
    return copy
  }

  #nodeOf(part: KnownPart, index: number, parent: UiNode, corner: Rect): UiNode {
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
    this.#parts.set(key, node)
    node.children = part.children.map((child, i) => this.#nodeOf(child, i, node, corner))
    return node
  }

  /** The index of the tree, with the parts after everything else. */
  #indexOver(index: NodeIndex): NodeIndex {
    const parts = [...this.#parts.values()]
    const order = new Map(parts.map((part, i) => [part, i]))
    return {
      byRole: (role) => new Set([...index.byRole(role), ...parts.filter((p) => p.role === role)]),
      byText: (text) => {
        const found = index.byText(text)
        return found && new Set([...found, ...parts])
      },
      sort: (found) => {
        const [added, others] = [found.filter((n) => order.has(n)), found.filter((n) => !order.has(n))]
        index.sort(others)
        added.sort((a, b) => (order.get(a) ?? 0) - (order.get(b) ?? 0))
        found.splice(0, found.length, ...others, ...added)
      },
      seen: (node) => {
        if (order.has(node)) return node
        const known = index.seen === undefined ? node : index.seen(node)
        return known && this.#own(known)
      },
    }
  }
}

const EDITABLE: ReadonlySet<string> = new Set(['textbox', 'spinbutton'])
