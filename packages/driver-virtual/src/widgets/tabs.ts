import type { Desktop } from '../desktop.ts'
import { setFocus } from '../focus.ts'
import { isEnabled, type Element } from '../model/element.ts'
import type { Widget } from './widget.ts'

/** A row of tabs; the children of a tab are what it shows. */
export const tab: Widget = {
  face: (_desk, el) => ({ states: { selected: el.selected }, actions: ['select'] }),
  activate: choose,
  select: choose,
  key(desk, el, { key }) {
    const step = key === 'ArrowRight' ? 1 : key === 'ArrowLeft' ? -1 : 0
    if (!step) return false
    const all = (el.parent?.children ?? []).filter((t) => isEnabled(t) && t.visible)
    const next = all[(all.indexOf(el) + step + all.length) % all.length]
    if (next && setFocus(desk, next)) choose(desk, next)
    return true
  },
}

function choose(desk: Desktop, el: Element): void {
  const owner = el.parent
  if (el.selected || !owner) return
  for (const other of owner.children) {
    if (other.selected === (other === el)) continue
    other.selected = other === el
    desk.touch(other)
  }
  desk.relayout(el)
  desk.emit(el, 'select')
  desk.emit(owner, 'change')
}
