import type { Desktop } from './desktop.ts'
import { innerBox, isScrollable } from './layout.ts'
import type { Element } from './model/element.ts'
import { settleText } from './text-area.ts'

/** Scrolls the nearest pane around the element that still can; false when there is none. */
export function scrollBy(desk: Desktop, from: Element, dx: number, dy: number): boolean {
  for (let el: Element | undefined = from; el; el = el.parent) {
    if (el.text) settleText(el)
    if (isScrollable(el) && scrollTo(desk, el, el.scroll.x + dx, el.scroll.y + dy)) return true
  }
  return false
}

function scrollTo(desk: Desktop, el: Element, x: number, y: number): boolean {
  if (el.text) settleText(el)
  const box = innerBox(el)
  const to = { x: clamp(x, el.extent.w - box.w), y: clamp(y, el.extent.h - box.h) }
  if (to.x === el.scroll.x && to.y === el.scroll.y) return false
  el.scroll = to
  desk.touch(el)
  desk.relayout(el)
  return true
}

/** Scrolls every pane around the element until it can be seen. */
export function reveal(desk: Desktop, el: Element): void {
  for (let pane = el.parent; pane; pane = pane.parent) {
    if (!isScrollable(pane)) continue
    desk.flush()
    const box = innerBox(pane)
    const dx = shift(el.rect.x, el.rect.w, box.x, box.w)
    const dy = shift(el.rect.y, el.rect.h, box.y, box.h)
    if (dx || dy) scrollTo(desk, pane, pane.scroll.x + dx, pane.scroll.y + dy)
  }
  desk.flush()
}

const clamp = (n: number, max: number): number => Math.max(0, Math.min(n, max))

/** How far to move so that a stretch lies inside a view; its start matters most. */
function shift(at: number, length: number, view: number, room: number): number {
  if (at < view || length > room) return at - view
  return Math.max(0, at + length - (view + room))
}
