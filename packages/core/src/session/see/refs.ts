import { DeskhandError } from '../../errors.ts'
import { PRESSED, type ElementRef, type Principal, type Rect, type UiNode } from '../../model/index.ts'
import { label } from '../words.ts'
import { Identities } from './identities.ts'
import type { LiveTree } from './live-tree.ts'

/** What a node looked like when a principal was last shown it. */
interface Shown {
  role: string
  name?: string
  bounds?: Rect
  /** The driver that tells of it, where several serve the desktop. */
  driver?: string
}

const KEPT_SNAPSHOTS = 1_000

/** Short ids for elements, never given twice within an epoch. To each principal an id stands for what that principal was shown. */
export class Refs {
  readonly #identities: Identities
  readonly #onShown: (node: UiNode) => void
  readonly #shown = new Map<string, Map<string, Shown>>()
  /** The latest snapshots that each principal was given. */
  readonly #snapshots = new Map<string, Set<string>>()

  /** `onShown` is told of every node that some principal gets to see; `lives` says whether a key that the tree does not have can still be seen. */
  constructor(tree: LiveTree, { onShown = () => {}, lives }: { onShown?(node: UiNode): void; lives?(key: string): boolean } = {}) {
    this.#identities = new Identities(tree, lives)
    this.#onShown = onShown
  }

  /** The key of what an id stands for now. */
  key(id: string): string | undefined {
    return this.#identities.key(id)
  }

  /** A principal is given a snapshot; ids may name it from then on. */
  give(snapshotId: string, who: Principal): void {
    const given = this.#snapshots.get(who.id) ?? new Set<string>()
    this.#snapshots.set(who.id, given.add(snapshotId))
    const [oldest] = given
    if (given.size > KEPT_SNAPSHOTS && oldest !== undefined) given.delete(oldest)
  }

  /** The id under which a node is shown to a principal; what it looks like then is what the id stands for. */
  show(node: UiNode, who: Principal): string {
    this.#onShown(node)
    return this.#remember(node, who)
  }

  #remember(node: UiNode, who: Principal): string {
    const { role, name, bounds, driver } = node
    const id = this.id(node)
    this.tell(id, { role, name, bounds, driver }, who)
    return id
  }

  /** A principal is told what an element looks like. */
  tell(id: string, face: Shown, who: Principal): void {
    const shown = this.#shownTo(who)
    shown.set(id, { ...face, driver: face.driver ?? shown.get(id)?.driver })
  }

  /** The id of a node that a call names. What the principal saw of it stays what the id stands for, until an answer shows it anew. */
  mention(node: UiNode, who: Principal): string {
    const id = this.id(node)
    return this.#shownTo(who).has(id) ? id : this.#remember(node, who)
  }

  /** The id of a node, without showing it. */
  id(node: UiNode): string {
    return this.#identities.id(node)
  }

  /** The id of a node that has one. */
  knownId(node: UiNode): string | undefined {
    return this.#identities.known(node)
  }

  /** Whether an id still stands for this node. */
  names(id: string, key: string): boolean {
    return this.#identities.key(id) === key
  }

  /** How far a node has moved since this principal last saw it. */
  drift(node: UiNode, who: Principal): number {
    const before = this.#shownTo(who).get(this.id(node))?.bounds
    const { bounds } = node
    if (before === undefined || bounds === undefined) return 0
    return Math.hypot(bounds.x - before.x, bounds.y - before.y)
  }

  /** The driver that told of what an id stands for. */
  driverOf({ elementId }: ElementRef, who: Principal): string | undefined {
    return this.#shownTo(who).get(elementId)?.driver
  }

  /** The node behind an id, for looking at it: the same element under another name is still there. */
  known(ref: ElementRef, see: (key: string) => UiNode | undefined, who: Principal): UiNode | undefined {
    try {
      const node = this.#find(ref, see, who)
      return kindOf(node.role) === kindOf(this.#shownTo(who).get(ref.elementId)?.role ?? '') ? node : undefined
    } catch {
      return undefined
    }
  }

  /** The node behind an id, if it is still the one that this principal was shown. */
  node(ref: ElementRef, see: (key: string) => UiNode | undefined, who: Principal): UiNode {
    const node = this.#find(ref, see, who)
    const shown = this.#shownTo(who).get(ref.elementId)
    if (shown !== undefined && isAnother(shown, node))
      throw new DeskhandError('STALE_REF', `${ref.elementId} was ${label(shown)} when you saw it and is ${label(node)} now`)
    return node
  }

  /** The node behind an id, whatever it is called by now. */
  #find(ref: ElementRef, see: (key: string) => UiNode | undefined, who: Principal): UiNode {
    if (ref.snapshotId !== undefined && this.#snapshots.get(who.id)?.has(ref.snapshotId) !== true)
      throw new DeskhandError('STALE_REF', `snapshot ${ref.snapshotId} is none that you were given lately`)
    const shown = this.#shownTo(who).get(ref.elementId)
    if (shown === undefined)
      throw new DeskhandError('STALE_REF', `${ref.elementId} was never shown to you on this desktop`, {
        next: 'Use an id from an answer that you were given, or a selector.',
      })
    const key = this.#identities.key(ref.elementId)
    const node = key === undefined ? undefined : see(key)
    if (node === undefined) throw new DeskhandError('STALE_REF', `${ref.elementId} (${label(shown)}) is gone`)
    return node
  }

  /** Forgets elements that are gone, so that a long session does not grow. */
  prune(): void {
    for (const id of this.#identities.prune()) for (const shown of this.#shown.values()) shown.delete(id)
  }

  #shownTo(who: Principal): Map<string, Shown> {
    let shown = this.#shown.get(who.id)
    if (shown === undefined) this.#shown.set(who.id, (shown = new Map()))
    return shown
  }
}

/** Roles whose name says what they are for; that of others may be what they show. */
const NAMED: ReadonlySet<string> = new Set([...PRESSED, 'textbox', 'searchbox', 'spinbutton', 'slider'])

/** Whether what a node is by now is something else than what it was: a changed name alone is not, where the name is what it shows. */
export function isAnother(was: Pick<UiNode, 'role' | 'name'>, is: Pick<UiNode, 'role' | 'name'>): boolean {
  return kindOf(was.role) !== kindOf(is.role) || (was.name !== is.name && NAMED.has(is.role))
}

/** A paragraph that was given the style of a heading is the same text. */
const kindOf = (role: string): string => (role === 'heading' ? 'paragraph' : role)
