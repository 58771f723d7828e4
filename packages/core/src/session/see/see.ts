import type { Principal, UiNode, UiTree } from '../../model/index.ts'

/** A tree as a principal may see it. */
export interface Sight extends UiTree {
  /** The node with this key, without what is hidden inside it; undefined when the principal must not know of it. */
  see(key: string | undefined): UiNode | undefined
}

/** The tree as this principal may know it, as it is now. */
export type See = (who: Principal) => Sight
