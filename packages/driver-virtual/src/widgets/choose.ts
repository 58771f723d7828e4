import type { Desktop } from '../desktop.ts'
import { groupOf, isDisplayed, setFocus } from '../focus.ts'
import { INDENT, ROW } from '../metrics.ts'
import { isEnabled, type Element } from '../model/element.ts'
import { closePopup, openPopup } from '../popups.ts'
import { reveal } from '../scroll.ts'
import { asText, isHeader, selectable, valueOf } from '../values.ts'
import type { Press, Stroke, Widget } from './widget.ts'

/** Lists, tables, trees and drop-down lists: things of which one, or several, are chosen. */

export const list: Widget = { face: (_desk, el) => ({ value: shownValue(el) }) }

export const select: Widget = {
  face: (_desk, el) => ({ value: shownValue(el), states: { expanded: el.expanded }, actions: ['press', 'expand', 'collapse'] }),
  activate: (desk, el) => (el.expanded ? closePopup(desk, el) : openPopup(desk, el)),
  expand: (desk, el, open) => (open ? openPopup(desk, el) : closePopup(desk, el)),
  key(desk, el, { key, alt }) {
    if (key === 'Escape' && el.expanded) return (closePopup(desk, el), true)
    if (alt && (key === 'ArrowDown' || key === 'ArrowUp')) return (select.activate?.(desk, el), true)
    const options = selectable(el).filter((o) => isEnabled(o) && o.visible)
    const at = options.findIndex((o) => o.selected)
    const next =
      key === 'ArrowDown' ? at + 1 : key === 'ArrowUp' ? Math.max(0, at - 1) : key === 'Home' ? 0 : key === 'End' ? options.length - 1 : -1
    if (next < 0) return false
    const item = options[Math.min(next, options.length - 1)]
    if (item) choose(desk, item)
    return true
  },
}

const item: Widget = {
  face: (_desk, el) => ({ states: { selected: el.selected }, actions: ['select'] }),
  activate: (desk, el) => pick(desk, el, { toggle: false, extend: false }),
  select: (desk, el) => pick(desk, el, { toggle: false, extend: false }),
  down(desk, el, press) {
    if (el.parent?.kind === 'select') return false
    pick(desk, el, { toggle: press.control, extend: press.shift })
    return true
  },
  key: moveInList,
}

export const option: Widget = item
export const row: Widget = {
  ...item,
  face: (_desk, el) => (isHeader(el) ? {} : { states: { selected: el.selected }, actions: ['select'] }),
}

export const treeitem: Widget = {
  ...item,
  face: (_desk, el) => ({
    states: el.children.length ? { selected: el.selected, expanded: el.expanded } : { selected: el.selected },
    actions: el.children.length ? ['select', 'expand', 'collapse'] : ['select'],
  }),
  down(desk, el, press: Press) {
    if (!el.children.length || press.at.x >= el.rect.x + INDENT) return item.down?.(desk, el, press) ?? false
    treeitem.expand?.(desk, el, !el.expanded)
    return true
  },
  expand(desk, el, open) {
    if (el.expanded === open || !el.children.length) return
    el.expanded = open
    desk.touch(el)
    desk.relayout(el)
  },
  key(desk, el, stroke) {
    if (stroke.key === 'ArrowRight' && el.children.length && !el.expanded) return (treeitem.expand?.(desk, el, true), true)
    if (stroke.key === 'ArrowLeft' && el.expanded) return (treeitem.expand?.(desk, el, false), true)
    if (stroke.key === 'ArrowLeft' && el.parent?.kind === 'treeitem') return (go(desk, el.parent, stroke), true)
    return moveInList(desk, el, stroke)
  },
}

function shownValue(el: Element): string | undefined {
  const value = valueOf(el)
  return value === null ? undefined : asText(value)
}

/** Where a selection with Shift started. */
const anchors = new WeakMap<Element, Element>()

function pick(desk: Desktop, el: Element, how: { toggle: boolean; extend: boolean }): void {
  const owner = groupOf(el) ?? el.parent
  if (!owner || (el.kind === 'row' && isHeader(el))) return
  if (!owner.attributes.multi_select || owner.kind === 'select') return choose(desk, el)
  const items = selectable(owner)
  const anchor = anchors.get(owner)
  const [from, to] = [items.indexOf(anchor && how.extend ? anchor : el), items.indexOf(el)].sort((a, b) => a - b)
  if (!how.extend) anchors.set(owner, el)
  mark(desk, owner, el, (other, i) => {
    if (how.toggle) return other === el ? !el.selected : other.selected
    return i >= (from ?? 0) && i <= (to ?? 0)
  })
}

/** Makes it the only chosen one; in a drop-down list this ends the choice. */
function choose(desk: Desktop, el: Element): void {
  const owner = groupOf(el) ?? el.parent
  if (!owner) return
  anchors.set(owner, el)
  mark(desk, owner, el, (other) => other === el)
  if (owner.kind === 'select') closePopup(desk, owner)
}

function mark(desk: Desktop, owner: Element, el: Element, wanted: (other: Element, index: number) => boolean): void {
  let changed = false
  selectable(owner).forEach((other, i) => {
    const selected = wanted(other, i) && (other.selected || isEnabled(other))
    if (other.selected === selected) return
    other.selected = selected
    desk.touch(other)
    changed = true
  })
  if (!changed) return
  desk.touch(owner)
  if (el.selected) desk.emit(el, 'select')
  desk.emit(owner, 'change')
}

function moveInList(desk: Desktop, el: Element, stroke: Stroke): boolean {
  const owner = groupOf(el)
  if (!owner) return false
  const { key, control, char } = stroke
  const items = selectable(owner).filter((i) => isEnabled(i) && isDisplayed(i))
  const at = items.indexOf(el)
  if (key === ' ') return (pick(desk, el, { toggle: control || owner.attributes.multi_select === true, extend: false }), true)
  if (key === 'Enter') return (desk.emit(el, 'double_click'), true)
  if (control && key === 'a' && owner.attributes.multi_select) return (mark(desk, owner, el, () => true), true)
  const page = Math.max(1, Math.floor(owner.rect.h / ROW) - 1)
  const steps: Record<string, number> = {
    ArrowDown: at + 1,
    ArrowUp: at - 1,
    Home: 0,
    End: items.length - 1,
    PageDown: at + page,
    PageUp: at - page,
  }
  const to = steps[key]
  if (to !== undefined) {
    const next = items[Math.max(0, Math.min(to, items.length - 1))]
    if (next) go(desk, next, stroke)
    return true
  }
  if (!char || control) return false
  const later = [...items.slice(at + 1), ...items.slice(0, at + 1)]
  const found = later.find((i) => (i.label ?? i.children[0]?.label ?? '').toLowerCase().startsWith(char.toLowerCase()))
  if (found) go(desk, found, stroke)
  return true
}

function go(desk: Desktop, el: Element, stroke: Stroke): void {
  setFocus(desk, el)
  if (!stroke.control) pick(desk, el, { toggle: false, extend: stroke.shift })
  reveal(desk, el)
}
