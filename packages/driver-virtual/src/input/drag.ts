import { contains, type Point } from '@deskhand/core/model'
import type { Desktop } from '../desktop.ts'
import { innerBox } from '../layout.ts'
import { TITLE } from '../metrics.ts'
import { closest, isEnabled, isInside, type Element } from '../model/element.ts'
import { selectable } from '../values.ts'
import { closeWindow, isClosable, windowOp } from '../windows.ts'

/** Something that follows the pointer while the button is down. */
export interface Drag {
  element: Element
  to(at: Point): void
  moved(): boolean
  /** What happens when the button comes up where it went down. */
  click?: () => void
}

/** The pointer has to travel this far before a press becomes a drag. */
const THRESHOLD = 4
const GRIP = 14

/** The title bar moves a window, its corner resizes it, and the button in its title bar closes it. */
export function windowGrip(desk: Desktop, win: Element, from: Point): Drag | undefined {
  if (!win.frame?.decorated) return undefined
  const { x, y, w, h } = win.rect
  const start = { ...win.rect }
  const corner = from.x > x + w - GRIP && from.y > y + h - GRIP
  if (!corner && from.y > y + TITLE) return undefined
  const closes = !corner && isClosable(win) && from.x > x + w - TITLE
  const drag = track(win, from, (dx, dy) => {
    if (closes) return
    if (corner) windowOp(desk, win, 'resize', { w: start.w + dx, h: start.h + dy })
    else windowOp(desk, win, 'move', { x: start.x + dx, y: start.y + dy })
  })
  return closes ? { ...drag, moved: () => false, click: () => closeWindow(desk, win) } : drag
}

/** Elements with `is_draggable`, or inside one, are carried. */
export function beginDrag(desk: Desktop, el: Element, from: Point): Drag | undefined {
  const carried = closest(el, (e) => e.attributes.is_draggable === true)
  return carried && isEnabled(carried) && desk.elements.has(carried.key) ? track(carried, from, () => {}) : undefined
}

/**
 * Where a carried element goes: a target with rules for `drop` runs them; a list takes an option in; anywhere else in its
 * own parent it stays where it was dropped. The target's `dropped` attribute then names what came.
 */
export function drop(desk: Desktop, drag: Drag, over: Element | undefined, at: Point): void {
  const source = drag.element
  if (source.frame || !over || !desk.elements.has(source.key)) return
  const target = closest(
    over,
    (e) => e !== source && !isInside(e, source) && (e.attributes.on?.['drop'] !== undefined || e.kind === 'list'),
  )
  if (target && isEnabled(target)) {
    target.attributes = { ...target.attributes, dropped: source.id }
    desk.touch(target)
    if (target.attributes.on?.['drop']) return desk.emit(target, 'drop')
    if (source.kind === 'option') return reorder(desk, source, target, at)
  }
  if (source.parent && isInside(over, source.parent)) moveTo(desk, source, source.parent, at)
}

function track(element: Element, from: Point, follow: (dx: number, dy: number) => void): Drag {
  let far = false
  return {
    element,
    moved: () => far,
    to(at) {
      far ||= Math.hypot(at.x - from.x, at.y - from.y) >= THRESHOLD
      if (far) follow(at.x - from.x, at.y - from.y)
    },
  }
}

function reorder(desk: Desktop, source: Element, list: Element, at: Point): void {
  const from = source.parent
  if (!from || from.app !== list.app) return
  const place = selectable(list).find((o) => contains(o.rect, at))
  from.children = from.children.filter((c) => c !== source)
  const index = place && place !== source ? list.children.indexOf(place) : list.children.length
  list.children.splice(index, 0, source)
  source.parent = list
  for (const parent of new Set([from, list])) {
    parent.children.forEach((child, i) => {
      child.index = i
      desk.touch(child)
    })
    desk.touch(parent)
    desk.relayout(parent)
  }
}

/** The middle of the element comes to lie where it was dropped. */
function moveTo(desk: Desktop, el: Element, parent: Element, at: Point): void {
  const box = innerBox(parent)
  if (box.w <= 0 || box.h <= 0 || parent.kind === 'list' || parent.kind === 'row') return
  const w = el.rect.w / box.w
  const h = el.rect.h / box.h
  el.bounds = [(at.x - box.x + parent.scroll.x) / box.w - w / 2, (at.y - box.y + parent.scroll.y) / box.h - h / 2, w, h]
  desk.touch(el)
  desk.relayout(el)
}
