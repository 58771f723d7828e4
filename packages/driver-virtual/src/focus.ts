import type { Desktop } from './desktop.ts'
import { newText } from './input/editing.ts'
import { FOCUSABLE, closest, descendants, isEnabled, type Element } from './model/element.ts'

/** Can have the focus now: it takes one, is seen and enabled. Scrolled out of sight still counts. */
export function isFocusable(el: Element): boolean {
  return FOCUSABLE.has(el.kind) && isEnabled(el) && isDisplayed(el)
}

/** Whether nothing hides it, on an open window; it may lie outside what its scroll pane shows. */
export function isDisplayed(el: Element): boolean {
  for (let at: Element | undefined = el; at; at = at.parent) {
    if (at.frame) return at.frame.open && at.frame.mode !== 'minimized'
    if (!at.visible) return false
    const parent: Element | undefined = at.parent
    if (parent?.kind === 'tab' && !parent.selected) return false
    if ((parent?.kind === 'menu' || parent?.kind === 'menuitem' || parent?.kind === 'select') && !parent.expanded) return false
    if (parent?.kind === 'treeitem' && !parent.expanded) return false
    if (at.kind === 'menu' && parent && parent.kind !== 'menubar' && parent.kind !== 'menu' && !at.expanded) return false
  }
  return false
}

/** Gives the focus away; false when the element cannot take it. */
export function setFocus(desk: Desktop, el: Element | undefined): boolean {
  if (el && !isFocusable(el)) return false
  const before = desk.focus
  if (before === el) return true
  desk.focus = el
  if (before?.kind === 'range' && before.text) before.text = newText(String(before.value))
  if (before && desk.elements.has(before.key)) desk.emit(before, 'blur')
  if (el) desk.emit(el, 'focus')
  return true
}

/** Where the focus goes when a window opens. */
export function firstFocus(win: Element): Element | undefined {
  const stops = tabStops(win)
  return stops.find((el) => el.attributes['autofocus'] === true) ?? stops[0]
}

/** The next tab stop in the active window, round and round. */
export function moveFocus(desk: Desktop, backwards: boolean): void {
  const win = desk.active
  if (!win) return
  const stops = tabStops(win)
  const group = desk.focus && groupOf(desk.focus)
  const at = desk.focus ? stops.findIndex((el) => el === desk.focus || (group !== undefined && groupOf(el) === group)) : -1
  const next = at === -1 ? (backwards ? stops.length - 1 : 0) : (at + (backwards ? -1 : 1) + stops.length) % stops.length
  setFocus(desk, stops[next])
}

/** In document order, one for each group of radio buttons, options, rows, items or tabs: its chosen one, or its first. */
function tabStops(win: Element): Element[] {
  const stops: Element[] = []
  const groups = new Map<Element, number>()
  for (const el of descendants(win)) {
    if (el.kind === 'menu' || el.kind === 'menuitem' || !isFocusable(el)) continue
    const group = groupOf(el)
    const place = group && groups.get(group)
    if (group && place !== undefined) {
      if ((el.selected || el.checked) && !(stops[place]?.selected || stops[place]?.checked)) stops[place] = el
      continue
    }
    if (group) groups.set(group, stops.length)
    stops.push(el)
  }
  return stops
}

/** The set in which arrows, not Tab, move the focus. */
export function groupOf(el: Element): Element | undefined {
  switch (el.kind) {
    case 'radio':
    case 'option':
    case 'tab':
    case 'row':
      return el.parent
    case 'treeitem':
      return closest(el, (e) => e.kind === 'tree') ?? el.parent
    default:
      return undefined
  }
}
