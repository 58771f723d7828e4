import { setFocus } from '../focus.ts'
import { isEnabled, type Element } from '../model/element.ts'
import { uncheckOthers } from '../values.ts'
import type { Desktop } from '../desktop.ts'
import type { Widget } from './widget.ts'

export const check: Widget = {
  face: (_desk, el) => ({ states: { checked: el.checked }, actions: ['toggle'] }),
  activate(desk, el) {
    el.checked = !el.checked
    desk.touch(el)
    desk.emit(el, 'change')
  },
}

export const radio: Widget = {
  face: (_desk, el) => ({ states: { checked: el.checked }, actions: ['select'] }),
  activate: choose,
  select: choose,
  key(desk, el, { key }) {
    const step = key === 'ArrowDown' || key === 'ArrowRight' ? 1 : key === 'ArrowUp' || key === 'ArrowLeft' ? -1 : 0
    if (!step) return false
    const group = (el.parent?.children ?? []).filter((e) => e.kind === 'radio' && isEnabled(e) && e.visible)
    const next = group[(group.indexOf(el) + step + group.length) % group.length]
    if (next && setFocus(desk, next)) choose(desk, next)
    return true
  },
}

function choose(desk: Desktop, el: Element): void {
  if (el.checked) return
  el.checked = true
  uncheckOthers(desk, el)
  desk.touch(el)
  desk.emit(el, 'change')
  if (el.parent?.role === 'radiogroup') desk.emit(el.parent, 'change')
}
