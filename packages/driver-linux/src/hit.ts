import { type Point, type Rect, center, contains } from '@deskhand/core/model'
import type { App } from './atspi/app.ts'
import type { MirrorNode } from './atspi/node.ts'
import { TABLE, offers } from './atspi/names.ts'
import { ROLE, roleOf } from './atspi/roles.ts'
import { hasState } from './atspi/states.ts'

/** Where a click belongs that is meant for a node as a whole: in the middle of a spin button may be its minus. */
export function spotOf({ role }: MirrorNode, bounds: Rect): Point {
  const { x, y } = center(bounds)
  return role === ROLE.SPIN_BUTTON ? { x: bounds.x + bounds.w * 0.15, y } : { x, y }
}

/** The innermost shown node at a point of its window; of several, the one drawn last. */
export function deepestAt(node: MirrorNode, at: Point): MirrorNode | undefined {
  const header = headerAt(node, at)
  if (header !== undefined) return deepestAt(header, at)
  for (let i = node.children.length - 1; i >= 0; i--) {
    const child = node.children[i]
    if (child === undefined || child.isPopover) continue
    // Containers without a place of their own, or that do not say that they are shown, are looked through.
    if (child.isShowing && child.bounds !== undefined && !contains(child.bounds, at)) continue
    const inner = child.opensElsewhere ? fieldAt(child, at) : deepestAt(child, at)
    if (inner !== undefined) return inner
    if (child.isShowing && child.bounds !== undefined) return child
  }
  return node.bounds !== undefined && contains(node.bounds, at) ? node : undefined
}

/** The text field of a combobox at a point; what else is in one shows beside it. */
function fieldAt(node: MirrorNode, at: Point): MirrorNode | undefined {
  if (node.role === ROLE.MENU || node.role === ROLE.POPUP_MENU || node.role === ROLE.LIST || node.isPopover) return undefined
  for (const child of node.children) {
    if (!child.isShowing || child.bounds === undefined || !contains(child.bounds, at)) continue
    const field = hasState(child, 'editable') ? child : fieldAt(child, at)
    if (field !== undefined) return field
  }
  return undefined
}

const HEADERS: ReadonlySet<string> = new Set(['columnheader', 'rowheader'])

/** The header of a table at a point: it lies over the cells that are scrolled beneath it. */
export function headerAt(table: MirrorNode, at: Point): MirrorNode | undefined {
  if (!offers(table.interfaces, TABLE)) return undefined
  return table.children.find((c) => HEADERS.has(roleOf(c.role)) && c.isShowing && c.bounds !== undefined && contains(c.bounds, at))
}

/** How many branches of a tree claim a point: more than one where something lies over something else. */
export function layersAt(node: MirrorNode, at: Point): number {
  let layers = 0
  for (const child of node.children) if (!child.opensElsewhere) layers += layersAt(child, at)
  return layers > 0 ? layers : node.isShowing && node.bounds !== undefined && contains(node.bounds, at) ? 1 : 0
}

/** What takes events for what is in it. */
const WHOLES: ReadonlySet<string> = new Set(['button', 'link', 'label', 'menuitem', 'option', 'listitem', 'cell', 'row', 'treeitem', 'tab'])

/** Whether an event that reaches `whole` is meant for the node in it, as with a label around its checkbox. */
export function isPartOf(node: MirrorNode, whole: MirrorNode): boolean {
  if (!WHOLES.has(roleOf(whole.role))) return false
  for (let n = node.parent; n !== undefined; n = n.parent) if (n === whole) return true
  return false
}

/** The innermost shown node at a point of a menu or another window that pops up over the others. */
export function popupAt(app: App, at: Point): MirrorNode | undefined {
  for (const window of [...app.windows].reverse()) {
    const isPopup =
      window.role === ROLE.WINDOW || window.role === ROLE.TOOL_TIP || window.role === ROLE.MENU || window.role === ROLE.POPUP_MENU
    const found = isPopup && window.isShowing ? (deepestAt(window, at) ?? inMenus(window, at)) : inMenus(window, at)
    if (found !== undefined) return found
  }
  return undefined
}

/** The innermost shown entry of an open menu or list at a point, wherever in the window it belongs. */
export function inMenus(node: MirrorNode, at: Point): MirrorNode | undefined {
  for (let i = node.children.length - 1; i >= 0; i--) {
    const child = node.children[i]
    if (child === undefined) continue
    const deeper = inMenus(child, at)
    if (deeper !== undefined) return deeper
    if (insideMenu(child) && child.isShowing && child.bounds !== undefined && contains(child.bounds, at)) return child
  }
  return undefined
}

function insideMenu(node: MirrorNode): boolean {
  for (let n = node.parent; n !== undefined; n = n.parent) if (n.opensElsewhere) return true
  return false
}
