import { DeskhandError } from '../../errors.ts'
import type { ElementRef, Principal, Rect, UiNode } from '../../model/index.ts'
import { clip } from '../../selector/index.ts'
import type { LiveTree } from './live-tree.ts'

/** What a node looked like when a principal was last shown it. */
interface Shown {
  role: string
  name?: string
  bounds?: Rect
}

const KEPT_SNAPSHOTS = 1_000

/** Short ids for nodes, never given twice within an epoch. To each principal an id stands for what that principal was shown. */
export class Refs {
  readonly #ids = new Map<string, string>()
  readonly #keys = new Map<string, string>()
  readonly #shown = new Map<string, Map<string, Shown>>()
  /** The latest snapshots that each principal was given. */
  readonly #snapshots = new Map<string, Set<string>>()
  #next = 1

  /** A principal is given a snapshot; ids may name it from then on. */
  give(snapshotId: string, who: Principal): void {
    const given = this.#snapshots.get(who.id) ?? new Set<string>()
    this.#snapshots.set(who.id, given.add(snapshotId))
    const [oldest] = given
    if (given.size > KEPT_SNAPSHOTS && oldest !== undefined) given.delete(oldest)
  }

  /** The id under which a node is shown to a principal; what it looks like then is what the id stands for. */
  show(node: UiNode, who: Principal): string {
    const { role, name, bounds } = node
    this.tell(node.key, { role, name, bounds }, who)
    return this.id(node)
  }

  /** A principal is told what a node looks like. */
  tell(key: string, face: Shown, who: Principal): void {
    this.#shownTo(who).set(key, face)
  }

  /** The id of a node that a call names. What the principal saw of it stays what the id stands for, until an answer shows it anew. */
  mention(node: UiNode, who: Principal): string {
    return this.#shownTo(who).has(node.key) ? this.id(node) : this.show(node, who)
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

  /** How far a node has moved since this principal last saw it. */
  drift({ key, bounds }: Pick<UiNode, 'key' | 'bounds'>, who: Principal): number {
    const before = this.#shownTo(who).get(key)?.bounds
    if (before === undefined || bounds === undefined) return 0
    return Math.hypot(bounds.x - before.x, bounds.y - before.y)
  }

  /** The node behind an id, for looking at it: the same control under another name is still there. */
  known(ref: ElementRef, see: (key: string) => UiNode | undefined, who: Principal): UiNode | undefined {
    const key = this.#keys.get(ref.elementId)
    const shown = key === undefined || !this.#gave(ref, who) ? undefined : this.#shownTo(who).get(key)
    const node = key === undefined || shown === undefined ? undefined : see(key)
    return node?.role === shown?.role ? node : undefined
  }

  #gave({ snapshotId }: ElementRef, who: Principal): boolean {
    return snapshotId === undefined || this.#snapshots.get(who.id)?.has(snapshotId) === true
  }

  /** The node behind an id, if it is still the one that this principal was shown. */
  node(ref: ElementRef, see: (key: string) => UiNode | undefined, who: Principal): UiNode {
    if (!this.#gave(ref, who)) throw new DeskhandError('STALE_REF', `snapshot ${ref.snapshotId} is none that you were given lately`)
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
