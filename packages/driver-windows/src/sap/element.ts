import type { Rect, Role, States } from '@deskhand/core/model'

/** A component of SAP GUI, or an entry of one that has entries instead of components. */
export interface SapElement {
  /** As scripts write it, from the session on: `wnd[0]/usr/txtVBELN`. */
  id: string
  /** Which of the elements before it holds it; -1 for a window. */
  parent: number
  /** Of an entry: what its component calls it. */
  entry?: string
  role: Role
  name?: string
  value?: string
  description?: string
  bounds?: Rect
  states: States
  actions: string[]
  type: string
  /** Where a cell is: row, column and the heading of the column. How many rows a table has beside those that it shows. */
  attributes?: Record<string, string | number>
}
