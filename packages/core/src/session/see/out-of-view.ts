import { INTERACTIVE, type Rect, type UiNode } from '../../model/index.ts'
import { roleOf } from '../../selector/index.ts'

/** How many elements of each role. */
export type Counts = Map<string, number>

/** Whether something hidden is hidden because it is scrolled out of what holds it, and not because its page or menu is closed. */
export function isScrolledOut(node: UiNode, view: Rect | undefined): boolean {
  const { bounds } = node
  if (bounds === undefined || bounds.w <= 0 || bounds.h <= 0 || view === undefined) return false
  return bounds.x >= view.x + view.w || bounds.y >= view.y + view.h || bounds.x + bounds.w <= view.x || bounds.y + bounds.h <= view.y
}

/** Whether something is shown by its window, which lies partly beyond the edge of the screen. Drivers tell it so. */
export const isOffScreen = ({ attributes }: Pick<UiNode, 'attributes'>): boolean => attributes?.['offScreen'] === true

/** Qt tells of every column of an entry as an entry of its own, though a list shows one of them: each visible one is so many places after the one before it. */
export function isOtherColumn({ key, parent }: UiNode): boolean {
  const siblings = parent?.children ?? []
  const shown = siblings.flatMap((n, i) => (n.states?.visible === false ? [] : [i]))
  const [first = 0, second = 1] = shown
  const columns = second - first
  if (columns < 2 || shown.some((i) => (i - first) % columns !== 0)) return false
  return (siblings.findIndex((n) => n.key === key) - first) % columns !== 0
}

/** Adds what can be operated in a part of the tree. */
export function countInto(counts: Counts, node: UiNode): void {
  const role = roleOf(node)
  if (INTERACTIVE.has(role)) counts.set(role, (counts.get(role) ?? 0) + 1)
  // An entry counts once, whatever it consists of.
  if (!ENTRIES.has(role)) for (const child of node.children) countInto(counts, child)
}

/** Entries of lists and tables. */
export const ENTRIES: ReadonlySet<string> = new Set(['listitem', 'option', 'treeitem', 'row', 'cell'])

/** How many are out of view, and how to get to them. */
export function told(counts: Counts): string {
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0)
  const [only, ...others] = counts.keys()
  if (others.length === 0) return `… ${total} more out of view; scroll, or query role=${only ?? 'unknown'}`
  const each = [...counts].map(([role, count]) => `${count} ${role}`).join(', ')
  return `… ${total} more out of view (${each}); scroll, or all=true`
}
