import { ROLES, WINDOWS, center, contains, toRole, type AppIdentity, type Rect, type Role } from '../model/index.ts'
import type { UiNode, UiTree, VisualDOMSnapshot } from '../model/index.ts'

export type TextEntry = NonNullable<VisualDOMSnapshot['textIndex']>[number]

/** A tree laid out in document order: the subtree of node i is i … end[i]. Text read from pixels stands behind the nodes, as regions. */
export class Flat {
  readonly nodes: UiNode[] = []
  readonly parent: number[] = []
  /** How many of `nodes` are of the tree; what follows are regions. */
  readonly size: number
  readonly complete: boolean
  #end?: Int32Array
  #window?: Int32Array
  #titled?: Int32Array
  #visible?: Uint8Array

  constructor(tree: UiTree, text: readonly TextEntry[] = []) {
    const stack: UiNode[] = []
    const above: number[] = []
    const later = (nodes: readonly UiNode[], parent: number): void => {
      for (let c = nodes.length - 1; c >= 0; c--) {
        stack.push(nodes[c] as UiNode)
        above.push(parent)
      }
    }
    later(tree.roots, -1)
    for (let node = stack.pop(); node; node = stack.pop()) {
      this.parent.push(above.pop() ?? -1)
      later(node.children, this.nodes.push(node) - 1)
    }
    this.complete = tree.completeness.complete
    this.size = this.nodes.length
    for (const entry of text) if (entry.source === 'ocr' && placed(entry.bounds)) this.#addRegion(entry, entry.bounds)
  }

  /** The last node of the subtree; the node itself when there is nothing below it. */
  end(i: number): number {
    if (!this.#end) {
      const end = new Int32Array(this.nodes.length).map((_, n) => n)
      for (let n = this.size - 1; n >= 0; n--) {
        const p = this.above(n)
        if (p >= 0 && (end[p] ?? 0) < (end[n] ?? 0)) end[p] = end[n] ?? 0
      }
      this.#end = end
    }
    return this.#end[i] ?? i
  }

  /** The place of the parent; -1 for a root. */
  above(i: number): number {
    return this.parent[i] ?? -1
  }

  /** The nearest window around the node, or the node itself; -1 when there is none. */
  window(i: number): number {
    this.#window ??= this.#inherit(new Int32Array(this.nodes.length), (node, n, above) => (WINDOWS.has(node.role) ? n : (above ?? -1)))
    return this.#window[i] ?? -1
  }

  /** The title of the nearest window that has one. */
  title(i: number): string | undefined {
    this.#titled ??= this.#inherit(new Int32Array(this.nodes.length), (node, n, above) =>
      WINDOWS.has(node.role) && node.name?.trim() ? n : (above ?? -1),
    )
    return this.nodes[this.#titled[i] ?? -1]?.name
  }

  /** A node that does not say whether it is visible is as visible as its parent. */
  visible(i: number): boolean {
    this.#visible ??= this.#inherit(new Uint8Array(this.nodes.length), (node, _, above) => Number(node.states?.visible ?? above ?? true))
    return this.#visible[i] === 1
  }

  #inherit<T extends Int32Array | Uint8Array>(into: T, own: (node: UiNode, i: number, above: number | undefined) => number): T {
    for (let i = 0; i < into.length; i++) into[i] = own(this.nodes[i] as UiNode, i, into[this.above(i)])
    return into
  }

  /** A piece of recognised text becomes a nameable place inside the smallest visible node around it. */
  #addRegion(entry: TextEntry, bounds: Rect): void {
    const middle = center(bounds)
    let owner = -1
    let area = Infinity
    for (let i = 0; i < this.size; i++) {
      const box = this.nodes[i]?.bounds
      if (!placed(box) || box.w * box.h > area || !contains(box, middle) || this.nodes[i]?.states?.visible === false) continue
      owner = i
      area = box.w * box.h
    }
    const parent = this.nodes[owner]
    this.parent.push(owner)
    this.nodes.push({
      key: `ocr:${this.nodes.length - this.size}`,
      index: 0,
      app: parent?.app ?? { id: '', name: '' },
      role: 'unknown',
      name: entry.text,
      bounds,
      attributes: { confidence: entry.confidence },
      parent,
      children: [],
    })
  }
}

const CANONICAL = new Map<string, Role>(ROLES.map((r) => [r, r]))

/** The role in its canonical spelling; `unknown` for a word that nobody knows. */
export const roleOf = (node: UiNode): Role => CANONICAL.get(node.role) ?? toRole(node.role) ?? 'unknown'

/** A password's value cannot be read, not even by guessing. */
export const valueOf = (node: UiNode): string | undefined => (node.states?.password ? undefined : node.value)

/** The executable's name without its folder. */
export const basename = (app: AppIdentity): string | undefined => app.executable?.split(/[\\/]/).at(-1)

/** Whether the rectangle is a place on a screen. */
export const placed = (r: Rect | undefined): r is Rect => r !== undefined && r.w > 0 && r.h > 0 && Number.isFinite(r.x + r.y + r.w + r.h)
