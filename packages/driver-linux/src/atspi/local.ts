import type { Point, Rect } from '@deskhand/core/model'
import type { App } from './app.ts'
import { COMPONENT } from './names.ts'
import { type MirrorNode, topOf } from './node.ts'
import { ROLE } from './roles.ts'

const SCREEN = 0
const WINDOW = 1

/** On Wayland no application knows where its windows are: what it tells as places on the screen counts from its window. */
export async function loadLocalArea(app: App, node: MirrorNode): Promise<void> {
  const ask = async (from: number): Promise<Rect> => {
    const [[x, y, w, h]] = await app.call(node.path, COMPONENT, 'GetExtents', 'u', [from], '(iiii)')
    return { x, y, w, h }
  }
  const [area, inSurface] = await Promise.all([ask(SCREEN), isInMenu(node) ? ask(WINDOW) : undefined])
  node.area = area
  node.inSurface = inSurface
}

/** Where a node is on the screen; undefined while it is not known where its window is. */
export function localBounds(node: MirrorNode): Rect | undefined {
  const { area } = node
  const origin = originOf(node)
  if (area === undefined || origin === undefined) return undefined
  const shadow = shadowOf(node)
  return { ...area, x: area.x + origin.x - shadow.x, y: area.y + origin.y - shadow.y }
}

/** What the application counts from in a window at this place: its contents, or, where it draws shadow or title bar itself, their corner. */
export function originIn(window: MirrorNode, place: Rect): Point {
  const { area } = window
  if (area === undefined || (area.w === place.w && area.h === place.h)) return place
  if (area.w > place.w) {
    const whole = asLarge(window, place, INNERMOST)
    if (whole?.area !== undefined) return { x: place.x - whole.area.x, y: place.y - whole.area.y }
    // GTK 3 counts a window with its shadow, as Chromium does; what is in it has none.
    const [x, y] = [Math.min(...window.children.map(leftOf)), Math.min(...window.children.map(topEdge))]
    return Number.isFinite(x) && Number.isFinite(y) ? { x: place.x - x, y: place.y - y } : place
  }
  // Qt does not count the title bar that it draws; its border is as wide on the left as on the right and below.
  const border = (place.w - area.w) / 2
  return { x: place.x + border, y: place.y + place.h - area.h - border }
}

/** How far down in a window a part may be that fills it. */
const INNERMOST = 5

/** The part of a window that is as large as the window without its shadow. */
function asLarge(node: MirrorNode, place: Pick<Rect, 'w' | 'h'>, depth: number): MirrorNode | undefined {
  if (node.area?.w === place.w && node.area.h === place.h) return node
  for (const child of depth === 0 ? [] : node.children) {
    const found = asLarge(child, place, depth - 1)
    if (found !== undefined) return found
  }
  return undefined
}

/** A point of the screen as the application of a node counts it. */
export function toLocal(node: MirrorNode, { x, y }: Point): Point {
  const origin = node.app.isLocal ? originOf(node) : undefined
  return { x: (x - (origin?.x ?? 0)) / node.scale, y: (y - (origin?.y ?? 0)) / node.scale }
}

/** Menus and other popups count from the window that they belong to, which is the one with the keyboard. */
function originOf(node: MirrorNode): Point | undefined {
  const own = topOf(node)?.origin
  if (own !== undefined) return own
  const windows = node.app.windows.filter((w) => w.origin !== undefined)
  return (windows.find((w) => w.active) ?? windows[0])?.origin
}

/** GTK 3 adds the shadow of a menu to the places of what is in it. All that lies in one surface has the same corner. */
function shadowOf(node: MirrorNode): Point {
  const corner = cornerOf(node)
  if (corner === undefined || node.parent === undefined || node.app.toolkit.silent === 'all') return { x: 0, y: 0 }
  const beside = [node.parent, ...node.parent.children].filter((n) => {
    const other = cornerOf(n)
    return other?.x === corner.x && other.y === corner.y
  })
  return { x: Math.min(...beside.map((n) => n.inSurface?.x ?? 0)), y: Math.min(...beside.map((n) => n.inSurface?.y ?? 0)) }
}

const cornerOf = ({ area, inSurface }: MirrorNode): Point | undefined =>
  area === undefined || inSurface === undefined ? undefined : { x: area.x - inSurface.x, y: area.y - inSurface.y }

function isInMenu(node: MirrorNode): boolean {
  for (let n = node.parent; n !== undefined; n = n.parent)
    if (n.role === ROLE.MENU || n.role === ROLE.COMBO_BOX || n.role === ROLE.POPUP_MENU) return true
  return node.role === ROLE.MENU && node.parent?.role === ROLE.WINDOW
}

const leftOf = (n: MirrorNode): number => (n.area !== undefined && n.isShowing ? n.area.x : Infinity)
const topEdge = (n: MirrorNode): number => (n.area !== undefined && n.isShowing ? n.area.y : Infinity)
