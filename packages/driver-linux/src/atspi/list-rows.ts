import type { App } from './app.ts'
import { COMPONENT } from './names.ts'
import type { MirrorNode } from './node.ts'
import { ROLE } from './roles.ts'

const WINDOW = 1

/** GTK 4 keeps rows of a list that it does not show, and says of them that they are where they were shown last. */
export async function hideUnshownRows(app: App, nodes: Iterable<MirrorNode>): Promise<void> {
  const lists = new Set([...nodes].flatMap((n) => (n.parent !== undefined && isListRow(n) ? [n.parent] : [])))
  await Promise.all([...lists].flatMap((list) => list.children.map((row) => hideIfUnshown(app, list, row).catch(() => {}))))
}

/** The children of a node as they stand on the screen: the lists of GTK 4 name theirs in the order in which they were made. */
export function inOrder(parent: MirrorNode): readonly MirrorNode[] {
  const { children } = parent
  if (!isOrdered(parent)) return children
  const place = ({ area, isUnshown }: MirrorNode): number => (area === undefined || area.h === 0 || isUnshown ? Infinity : area.y)
  return children.every((c, i) => i === 0 || place(children[i - 1] ?? c) <= place(c)) ? children : children.toSorted(byPlace(place))
}

/** Whether the children of a node stand in another order than they are named in. */
export const isOrdered = ({ children: [first] }: MirrorNode): boolean => first !== undefined && isListRow(first)

const byPlace =
  (place: (node: MirrorNode) => number) =>
  (a: MirrorNode, b: MirrorNode): number => {
    const [x, y] = [place(a), place(b)]
    return x === y ? 0 : x - y
  }

/** A row of one of GTK 4's lists that makes its rows as they come into view. */
const isListRow = (node: MirrorNode): boolean =>
  node.app.toolkit.keepsUnshownRows && node.parent?.role === ROLE.LIST && (node.role === ROLE.TABLE_ROW || node.role === ROLE.LIST_ITEM)

async function hideIfUnshown(app: App, list: MirrorNode, row: MirrorNode): Promise<void> {
  const { area } = row
  if (area === undefined || area.w <= 0 || area.h <= 0 || list.area === undefined) return
  // Of a row that is partly in view a point that is.
  const top = Math.max(area.y, list.area.y)
  const bottom = Math.min(area.y + area.h, list.area.y + list.area.h)
  if (bottom <= top) return void (row.isUnshown = false)
  const at = [Math.floor(area.x + area.w / 2), Math.floor((top + bottom) / 2), WINDOW] as const
  const [[, path]] = await app.call(list.path, COMPONENT, 'GetAccessibleAtPoint', 'iiu', at, '(so)')
  if (path === list.path) return void (row.isUnshown = false)
  let hit = app.nodes.get(path)
  // What is not known yet is in a row that is just being read.
  if (hit === undefined) app.stale.addNode(list)
  while (hit !== undefined && hit.parent !== list) hit = hit.parent
  // Kept beside its place, which is told anew meanwhile: readers must not be told of a row between the two answers.
  row.isUnshown = hit !== row
}
