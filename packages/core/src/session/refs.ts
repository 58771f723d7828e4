import { DeskhandError } from '../errors.ts'
import type { ElementRef, Principal, Rect, UiNode } from '../model/index.ts'
import { clip } from '../selector/index.ts'
import type { LiveTree } from './tree.ts'

/** What a node looked like when somebody was last shown it. */
interface Shown {
  role: string
  name?: string
  bounds?: Rect
}

/** Short ids for nodes, never given twice within an epoch. To each principal an id stands for what that principal was shown. */
export class Refs {
  readonly #ids = new Map<string, string>()
  readonly #keys = new Map<string, string>()
  readonly #shown = new Map<string, Map<string, Shown>>()
  #next = 1

  /** The id under which a node is shown to somebody; what it looks like then is what the id stands for. */
  show(node: UiNode, who: Principal): string {
    const { role, name, bounds } = node
    this.#shownTo(who).set(node.key, { role, name, bounds })
    return this.id(node)
  }

  /** The id of a node, without showing it. */
  id(node: UiNode): string {
    let id = this.#ids.get(node.key)
    if (id === undefined) {
      id = `e${this.#next++}`
      this.#ids.set(node.key, id)
      this.#keys.set(id, node.key)
    }
    return id
  }

  /** How far a node has moved since somebody last saw it. */
  drift(key: string | undefined, bounds: Rect | undefined, who: Principal): number {
    const before = key === undefined ? undefined : this.#shownTo(who).get(key)?.bounds
    if (before === undefined || bounds === undefined) return 0
    return Math.hypot(bounds.x - before.x, bounds.y - before.y)
  }

  /** The node behind an id, if it is still the one that this principal was shown. */
  node(ref: ElementRef, see: (key: string) => UiNode | undefined, who: Principal): UiNode {
    const key = this.#keys.get(ref.elementId)
    const shown = key === undefined ? undefined : this.#shownTo(who).get(key)
    if (key === undefined || shown === undefined)
      throw new DeskhandError('STALE_REF', `${ref.elementId} was never shown to you on this desktop`)
    const node = see(key)
    if (node === undefined) throw new DeskhandError('STALE_REF', `${ref.elementId} (${shown.role}) is gone`)
    if (node.role !== shown.role || node.name !== shown.name) {
      throw new DeskhandError('STALE_REF', `${ref.elementId} was ${label(shown)} when you saw it and is ${label(node)} now`)
    }
    return node
  }

  /** Forgets nodes that are gone, so that a long session does not grow. */
  prune(tree: LiveTree): void {
    for (const [key, id] of this.#ids) {
      if (tree.node(key) !== undefined) continue
      this.#ids.delete(key)
      this.#keys.delete(id)
      for (const shown of this.#shown.values()) shown.delete(key)
    }
  }

  #shownTo(who: Principal): Map<string, Shown> {
    let shown = this.#shown.get(who.id)
    if (shown === undefined) this.#shown.set(who.id, (shown = new Map()))
    return shown
  }
}

const label = (n: { role: string; name?: string }): string => (n.name === undefined ? n.role : `${n.role} ${clip(n.name)}`)
