import type { NodeKey } from '../../driver/driver.ts'
import type { FlatNode } from '../../model/index.ts'

/** Nodes that a driver told before their parents. They wait until the parent is told, at most to the end of the batch. */
export class Orphans {
  readonly #byParent = new Map<NodeKey, Map<NodeKey, FlatNode>>()
  readonly #parents = new Map<NodeKey, NodeKey>()
  /** Parents whose children were left out, and nodes whose own children were: they are read again once they are in the tree. */
  readonly #unread = new Set<NodeKey>()

  /** Whether no node waits, and none has to be read again. */
  get isEmpty(): boolean {
    return this.#parents.size === 0 && this.#unread.size === 0
  }

  hold(flat: FlatNode, parent: NodeKey): void {
    this.drop(flat.key)
    const waiting = this.#byParent.get(parent) ?? new Map<NodeKey, FlatNode>()
    this.#byParent.set(parent, waiting.set(flat.key, flat))
    this.#parents.set(flat.key, parent)
  }

  /** Those that wait for this parent, in the order of their places; they wait no longer. */
  take(parent: NodeKey): FlatNode[] {
    const waiting = this.#byParent.get(parent)
    if (waiting === undefined) return []
    this.#byParent.delete(parent)
    for (const key of waiting.keys()) this.#parents.delete(key)
    return [...waiting.values()].toSorted((a, b) => a.index - b.index)
  }

  /** Whether this node waits for a parent. */
  has(key: NodeKey): boolean {
    return this.#parents.has(key)
  }

  /** The driver says where the node is, or that it is gone. */
  drop(key: NodeKey): void {
    const parent = this.#parents.get(key)
    if (parent === undefined) return
    this.#parents.delete(key)
    this.#byParent.get(parent)?.delete(key)
  }

  /** What is below this node is not known. */
  mustRead(key: NodeKey): void {
    this.#unread.add(key)
  }

  /** Whether the node, which is in the tree now, has to be read again; says so once. */
  isUnread(key: NodeKey): boolean {
    return this.#unread.delete(key)
  }

  /** Ends the batch: those that still wait are left out, and named. */
  leaveOut(): NodeKey[] {
    const left = [...this.#parents.keys()]
    for (const [parent, waiting] of this.#byParent) if (waiting.size > 0) this.#unread.add(parent)
    this.#byParent.clear()
    this.#parents.clear()
    return left
  }

  clear(): void {
    this.leaveOut()
    this.#unread.clear()
  }
}
