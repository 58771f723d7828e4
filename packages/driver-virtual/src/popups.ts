import type { Desktop } from './desktop.ts'
import { isInside, type Element } from './model/element.ts'

/** Opens a menu or a drop-down list above everything; those it does not lie in are closed. */
export function openPopup(desk: Desktop, el: Element): void {
  if (el.expanded) return
  for (const open of [...desk.popups].reverse()) if (!isInside(el, open)) closePopup(desk, open)
  el.expanded = true
  desk.popups.push(el)
  desk.touch(el)
  desk.relayout(el)
}

export function closePopup(desk: Desktop, el: Element): void {
  for (const open of [...desk.popups].reverse()) {
    if (!isInside(open, el)) continue
    open.expanded = false
    open.popup = undefined
    desk.popups = desk.popups.filter((p) => p !== open)
    desk.touch(open)
    desk.relayout(open)
  }
  if (desk.current && isInside(desk.current, el)) setCurrent(desk, undefined)
}

export function closePopups(desk: Desktop): void {
  for (const open of [...desk.popups].reverse()) closePopup(desk, open)
}

/** Moves the highlight in an open menu. */
export function setCurrent(desk: Desktop, el: Element | undefined): void {
  if (desk.current === el) return
  if (desk.current) desk.touch(desk.current)
  desk.current = el
  if (el) desk.touch(el)
}
