import { fieldBox } from '../boxes.ts'
import type { Desktop } from '../desktop.ts'
import { FIELD } from '../metrics.ts'
import type { Element } from '../model/element.ts'
import { clampRange, maxOf, minOf, stepOf } from '../values.ts'
import type { Widget } from './widget.ts'

/** Sliders, spin buttons, progress and scroll bars: a number between two others. */
export const range: Widget = {
  face: (_desk, el) => ({
    value: String(el.value),
    actions: el.role === 'progressbar' ? [] : ['increment', 'decrement'],
    states: el.role === 'progressbar' ? {} : { editable: el.role === 'spinbutton' },
  }),
  down(desk, el, { at }) {
    if (el.role === 'slider' || el.role === 'scrollbar') return change(desk, el, valueAt(el, at.x))
    if (el.role !== 'spinbutton') return
    const { x, w } = fieldBox(el)
    if (at.x > x + w - FIELD / 2) change(desk, el, numberOf(el) + stepOf(el))
    else if (at.x > x + w - FIELD) change(desk, el, numberOf(el) - stepOf(el))
  },
  drag(desk, el, at) {
    if (el.role === 'slider' || el.role === 'scrollbar') change(desk, el, valueAt(el, at.x))
  },
  key(desk, el, { key }) {
    if (el.role === 'progressbar') return false
    const page = (maxOf(el) - minOf(el)) / 10
    const number = numberOf(el)
    const steps: Record<string, number> = {
      ArrowUp: number + stepOf(el), ArrowRight: number + stepOf(el), ArrowDown: number - stepOf(el), ArrowLeft: number - stepOf(el),
      PageUp: number + page, PageDown: number - page, Home: minOf(el), End: maxOf(el),
    }
    const to = steps[key]
    if (to === undefined) return false
    change(desk, el, to)
    return true
  },
  setValue: change,
}

const numberOf = (el: Element): number => (typeof el.value === 'number' ? el.value : minOf(el))

function valueAt(el: Element, x: number): number {
  const t = fieldBox(el)
  return minOf(el) + (Math.max(0, Math.min(1, (x - t.x) / Math.max(1, t.w - 1))) * (maxOf(el) - minOf(el)))
}

function change(desk: Desktop, el: Element, to: number): void {
  const value = clampRange(el, to)
  if (value === el.value) return
  el.value = value
  desk.touch(el)
  desk.emit(el, 'change')
}
