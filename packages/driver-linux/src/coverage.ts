import { type Rect, intersect } from '@deskhand/core/model'
import { ownText } from './atspi/contents.ts'
import { type MirrorNode, blocksWindow } from './atspi/node.ts'
import { roleOf } from './atspi/roles.ts'
import { hasState } from './atspi/states.ts'

/** A window is compared with its tree in squares of this side. */
export const SQUARE = 16

/** Roles that say where something is and not what is drawn there. */
// oxfmt-ignore
const SILENT: ReadonlySet<string> = new Set([
  'unknown', 'group', 'panel', 'canvas', 'image', 'document', 'window', 'dialog', 'alert', 'scrollpane', 'application', 'form', 'table',
  'list', 'listbox', 'tree', 'toolbar', 'menubar', 'tablist', 'tabpanel', 'radiogroup', 'calendar',
])

/** A node of which no element tells what is drawn in it, or in a part of it. */
export interface Untold {
  host: MirrorNode
  /** What of it is in view. */
  view: Rect
  /** The squares of the window that are its own. */
  squares: Rect[]
}

/** The parts of a window in which no element tells what is drawn there, by the innermost node around each. */
export function untoldIn(frame: MirrorNode, window: Rect): Untold[] {
  const columns = Math.ceil(window.w / SQUARE)
  const rows = Math.ceil(window.h / SQUARE)
  const hosts: { host: MirrorNode; view: Rect }[] = []
  // 0: told; else the host with this number.
  const owner = new Int32Array(columns * rows)
  const fill = ({ x, y, w, h }: Rect, isTold: boolean, by: number): void => {
    // What tells takes every square that it touches; what does not, those whose middle it holds.
    const slack = isTold ? 0 : SQUARE / 2
    const from = { column: Math.floor((x - window.x + slack) / SQUARE), row: Math.floor((y - window.y + slack) / SQUARE) }
    const to = { column: Math.ceil((x + w - window.x - slack) / SQUARE), row: Math.ceil((y + h - window.y - slack) / SQUARE) }
    for (let row = Math.max(0, from.row); row < Math.min(rows, to.row); row++)
      owner.fill(by, row * columns + Math.max(0, from.column), row * columns + Math.min(columns, to.column))
  }
  const paint = (node: MirrorNode, clip: Rect): void => {
    const box = node.isWindow ? (node.place ?? node.bounds) : node.bounds
    const view = node.isShowing && box !== undefined ? intersect(box, clip) : clip
    if (view === undefined) return
    if (node.isShowing && box !== undefined) {
      const isTold = !SILENT.has(roleOf(node.role)) || tells(node)
      fill(view, isTold, isTold ? 0 : hosts.push({ host: node, view }))
    }
    // The page of a tab is in it, though it lies beside it.
    const around = roleOf(node.role) === 'tab' ? clip : view
    if (!node.opensElsewhere) for (const child of node.children) if (!child.isPopover) paint(child, around)
  }
  paint(modalIn(frame) ?? frame, window)
  const squares = hosts.map((): Rect[] => [])
  owner.forEach((by, i) => {
    const [x, y] = [window.x + (i % columns) * SQUARE, window.y + Math.floor(i / columns) * SQUARE]
    if (by > 0) squares[by - 1]?.push({ x, y, w: SQUARE, h: SQUARE })
  })
  return hosts.flatMap(({ host, view }, i) => (squares[i]?.length ? [{ host, view, squares: squares[i] }] : []))
}

/** The dialog that a window shows over all of its contents: what is behind it is drawn, and Chromium leaves it out of its tree. */
function modalIn(node: MirrorNode): MirrorNode | undefined {
  for (const child of node.children) {
    if (!child.isShowing) continue
    const role = roleOf(child.role)
    if (blocksWindow(child) || ((role === 'dialog' || role === 'alert') && hasState(child, 'modal'))) return child
    const inner = modalIn(child)
    if (inner !== undefined) return inner
  }
  return undefined
}

/** A picture that is described, or a part of a page that holds its text itself. */
const tells = (node: MirrorNode): boolean =>
  ownText(node) !== undefined || (roleOf(node.role) === 'image' && (node.name !== '' || node.description !== ''))
