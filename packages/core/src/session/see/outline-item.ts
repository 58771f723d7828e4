import type { UiNode } from '../../model/index.ts'
import type { Counts } from './out-of-view.ts'

/** A node that is worth a line, with those below it. */
export interface Item {
  node: UiNode
  kind: 'control' | 'text' | 'context'
  /** Without its id. */
  line: string
  children: Item[]
  /** What stands on the same line: the cells of a row. */
  cells?: Item[]
  /** Items in the subtree, itself among them. */
  size: number
  /** What is in it and scrolled out of view. */
  unseen?: Counts
}

/** Everything below an item, on its own line or on others. */
export const partsOf = (item: Item): readonly Item[] => (item.cells === undefined ? item.children : [...item.cells, ...item.children])
