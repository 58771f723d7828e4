import type { Desktop } from '../desktop.ts'
import { isEnabled, type Element } from '../model/element.ts'
import { closePopup, closePopups, openPopup, setCurrent } from '../popups.ts'
import { uncheckOthers } from '../values.ts'
import type { Stroke, Widget } from './widget.ts'

/** A menu of a menu bar, a submenu, or one that waits for a right click. */
export const menu: Widget = {
  face: (_desk, el) => ({ states: { expanded: el.expanded }, actions: ['press', 'expand', 'collapse'] }),
  activate: (desk, el) => (el.expanded ? closePopup(desk, el) : openPopup(desk, el)),
  expand: (desk, el, open) => (open ? openPopup(desk, el) : closePopup(desk, el)),
}

export const menuitem: Widget = {
  face(desk, el) {
    const selected = desk.current === el
    if (el.children.length) return { states: { expanded: el.expanded, selected }, actions: ['press', 'expand', 'collapse'] }
    return { states: el.role === 'menuitem' ? { selected } : { checked: el.checked, selected }, actions: ['press'] }
  },
  activate(desk, el) {
    if (el.children.length) return menu.activate?.(desk, el)
    closePopups(desk)
    if (el.role === 'menuitem') return
    const checked = el.role === 'menuitemradio' ? true : !el.checked
    if (checked === el.checked) return
    el.checked = checked
    if (el.role === 'menuitemradio') uncheckOthers(desk, el)
    desk.touch(el)
    desk.emit(el, 'change')
  },
  expand: menu.expand,
}

/** Keys while a menu is open are the menu's. True when one was. */
export function menuKey(desk: Desktop, stroke: Stroke, press: (el: Element) => void): boolean {
  const open = desk.popups.at(-1)
  if (!open || open.kind === 'select') return false
  const items = open.children.filter((c) => isEnabled(c) && c.visible && c.role !== 'separator')
  const at = desk.current ? items.indexOf(desk.current) : -1
  switch (stroke.key) {
    case 'ArrowDown':
      return (setCurrent(desk, items[(at + 1) % items.length]), true)
    case 'ArrowUp':
      return (setCurrent(desk, items[(Math.max(at, 0) - 1 + items.length) % items.length]), true)
    case 'ArrowRight':
      if (desk.current?.children.length) return (enter(desk, desk.current), true)
      return (neighbour(desk, 1), true)
    case 'ArrowLeft':
      if (open.parent?.kind === 'menubar') return (neighbour(desk, -1), true)
      return (closePopup(desk, open), setCurrent(desk, open), true)
    case 'Enter':
    case ' ':
      if (desk.current) press(desk.current)
      return true
    case 'Escape':
      return (closePopup(desk, open), setCurrent(desk, desk.popups.length ? open : undefined), true)
    default:
      return !stroke.control && !stroke.alt
  }
}

function enter(desk: Desktop, el: Element): void {
  openPopup(desk, el)
  setCurrent(
    desk,
    el.children.find((c) => isEnabled(c) && c.visible),
  )
}

/** The next menu of the same bar. */
function neighbour(desk: Desktop, step: number): void {
  const top = desk.popups[0]
  const bar = top?.parent
  if (!top || bar?.kind !== 'menubar') return
  const menus = bar.children.filter((m) => isEnabled(m) && m.visible)
  const next = menus[(menus.indexOf(top) + step + menus.length) % menus.length]
  if (next) enter(desk, next)
}
