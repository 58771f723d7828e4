import type { Principal, UiNode } from '../../model/index.ts'
import type { Refs } from './refs.ts'
import type { Sight } from './see.ts'

/** What a caller calls the nodes. */
export interface NodeIds {
  /** The short id of a node. */
  id(node: UiNode): string
  /** The id of a node that has one. */
  knownId?(node: UiNode): string | undefined
  /** What an id stands for now, if that is in view. */
  known?(id: string): UiNode | undefined
  /** Whether a node is still there, in view of this look or not. */
  isThere(key: string): boolean
  /** The text shows this node. */
  show?(node: UiNode): void
}

/** What one caller calls the nodes that it sees. */
export class CallerIds implements NodeIds {
  readonly #refs: Refs
  readonly #seen: Sight
  readonly #who: Principal

  constructor(refs: Refs, seen: Sight, who: Principal) {
    this.#refs = refs
    this.#seen = seen
    this.#who = who
  }

  id(node: UiNode): string {
    return this.#refs.id(node)
  }

  knownId(node: UiNode): string | undefined {
    return this.#refs.knownId(node)
  }

  known(id: string): UiNode | undefined {
    const node = this.#seen.see(this.#refs.key(id))
    return isThere(node) ? node : undefined
  }

  isThere(key: string): boolean {
    return isThere(this.#seen.see(key))
  }

  show(node: UiNode): void {
    this.#refs.show(node, this.#who)
  }
}

/** A window that is minimized is there all the same. */
export const isThere = (node: UiNode | undefined): boolean =>
  node !== undefined && (node.states?.visible !== false || node.attributes?.['minimized'] === true)
