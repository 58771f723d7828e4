import { DeskhandError } from '../errors.ts'
import type { ElementRef, Rect, UiNode } from '../model/index.ts'
import { clip } from '../selector/index.ts'
import type { LiveNode, LiveTree } from './tree.ts'

interface Shown {
  id: string
  key: string
  role: string
  name?: string
  /** Where it was when an agent last saw it. */
  bounds?: Rect
}

/** Short ids for nodes, given when a node is first shown and never given again within an epoch. */
export class Refs {
  readonly #byKey = new Map<string, Shown>()
  readonly #byId = new Map<string, Shown>()
  #next = 1

  /** The id under which a node is shown to an agent; what it looks like then is what the id stands for. */
  show(node: UiNode): string {
    const shown = this.#entry(node)
    shown.role = node.role
    shown.name = node.name
    shown.bounds = node.bounds
    return shown.id
  }

  /** The id of a node, without showing it. */
  id(node: UiNode): string {
    return this.#entry(node).id
  }

  /** How far a node has moved since an agent last saw it. */
  drift(key: string | undefined, bounds: Rect | undefined): number {
    const before = key === undefined ? undefined : this.#byKey.get(key)?.bounds
    if (before === undefined || bounds === undefined) return 0
    return Math.hypot(bounds.x - before.x, bounds.y - before.y)
  }

  /** The node behind an id, if it is still the one that was shown. */
  node(ref: ElementRef, tree: LiveTree): LiveNode {
    const shown = this.#byId.get(ref.elementId)
    if (shown === undefined) throw new DeskhandError('STALE_REF', `${ref.elementId} was never shown on this desktop`)
    const node = tree.node(shown.key)
    if (node === undefined) throw new DeskhandError('STALE_REF', `${ref.elementId} (${shown.role}) is gone`)
    if (node.role !== shown.role || node.name !== shown.name) {
      throw new DeskhandError('STALE_REF', `${ref.elementId} was ${label(shown)} when you saw it and is ${label(node)} now`)
    }
    return node
  }

  #entry(node: UiNode): Shown {
    let shown = this.#byKey.get(node.key)
    if (shown === undefined) {
      shown = { id: `e${this.#next++}`, key: node.key, role: node.role, name: node.name }
      this.#byKey.set(node.key, shown)
      this.#byId.set(shown.id, shown)
    }
    return shown
  }

  /** Forgets ids of nodes that are gone, so that a long session does not grow. */
  prune(tree: LiveTree): void {
    for (const shown of this.#byKey.values()) {
      if (tree.node(shown.key) !== undefined) continue
      this.#byKey.delete(shown.key)
      this.#byId.delete(shown.id)
    }
  }
}

const label = (n: { role: string; name?: string }): string => (n.name === undefined ? n.role : `${n.role} ${clip(n.name)}`)
