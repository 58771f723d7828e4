import type { LiveNode } from './live-node.ts'

/** From how many removals on it pays to go through whole lists of siblings. */
const MANY = 16

/** Keeps lists of siblings in the driver's order, also while siblings that belong before a node are not told yet. */
export class Siblings {
  /** Nodes that stand before their place, as siblings that belong before them are not told yet. */
  readonly #early = new Set<LiveNode>()
  /** Nodes among whose children some were moved one after the other, which may leave others between them out of place. */
  readonly #shuffled = new Set<LiveNode>()

  /** A sibling that was inserted before the node has moved it to its new place already. */
  static standsAt(siblings: readonly LiveNode[], node: LiveNode, index: number): boolean {
    return node.index === index || siblings[index] === node
  }

  /** Returns the place where the node stands now. */
  insert(siblings: LiveNode[], node: LiveNode, index: number): number {
    let at = Math.min(index, siblings.length)
    for (let before = siblings[at - 1]; before !== undefined && before.index > index && this.#early.has(before);)
      before = siblings[--at - 1]
    if (at < index) this.#early.add(node)
    siblings.splice(at, 0, node)
    return at
  }

  /** A child of this node was moved. */
  moved(parent: LiveNode): void {
    this.#shuffled.add(parent)
  }

  remove(nodes: readonly LiveNode[], roots: LiveNode[]): void {
    if (nodes.length <= MANY) {
      for (const node of nodes) this.take(node, roots)
      return
    }
    // Each list once: taking thousands out of one by one would move the rest thousands of times.
    const gone = new Set(nodes)
    for (const parent of new Set(nodes.map((node) => node.parent))) {
      const siblings = parent?.children ?? roots
      const left = siblings.filter((node) => !gone.has(node))
      siblings.length = 0
      for (const node of left) siblings.push(node)
    }
  }

  take(node: LiveNode, roots: LiveNode[]): void {
    const siblings = node.parent?.children ?? roots
    // Most nodes stand where the driver last said, so that a list of any length need not be searched.
    const at = siblings[node.index] === node ? node.index : siblings.indexOf(node)
    if (at >= 0) siblings.splice(at, 1)
  }

  /** Everything of a batch is told; returns whether a list had to be sorted. */
  settle(): boolean {
    this.#early.clear()
    let isSorted = false
    for (const { children } of this.#shuffled) {
      if (children.every((child, i) => i === 0 || (children[i - 1]?.index ?? 0) <= child.index)) continue
      children.sort((a, b) => a.index - b.index)
      isSorted = true
    }
    this.#shuffled.clear()
    return isSorted
  }
}
