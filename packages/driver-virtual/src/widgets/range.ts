import { fieldBox } from '../boxes.ts'
import type { Desktop } from '../desktop.ts'
import { newText } from '../input/editing.ts'
import { FIELD } from '../metrics.ts'
import type { Element } from '../model/element.ts'
import { clampRange, maxOf, minOf, stepOf } from '../values.ts'
import { text } from './text.ts'
import type { Stroke, Widget } from './widget.ts'

/** Sliders, spin buttons, progress and scroll bars: a number between two others. */
export const range: Widget = {
  face: (_desk, el) => ({
    value: el.text?.text ?? String(el.value),
    actions: el.role === 'progressbar' ? [] : ['increment', 'decrement'],
    states: el.role === 'progressbar' ? {} : { editable: el.role === 'spinbutton' },
  }),
  down(desk, el, { at }) {
    if (el.role === 'slider' || el.role === 'scrollbar') change(desk, el, valueAt(el, at.x))
    if (el.role !== 'spinbutton') return true
    const { x, w } = fieldBox(el)
    if (at.x > x + w - FIELD / 2) change(desk, el, numberOf(el) + stepOf(el))
    else if (at.x > x + w - FIELD) change(desk, el, numberOf(el) - stepOf(el))
    return true
  },
  drag(desk, el, at) {
    if (el.role === 'slider' || el.role === 'scrollbar') change(desk, el, valueAt(el, at.x))
  },
  key(desk, el, stroke) {
    const { key } = stroke
    if (el.role === 'progressbar') return false
    if (el.role === 'spinbutton' && !SPIN_KEYS.has(key)) return typeNumber(desk, el, stroke)
    const page = (maxOf(el) - minOf(el)) / 10
    const number = numberOf(el)
    const steps: Record<string, number> = {
      ArrowUp: number + stepOf(el),
      ArrowRight: number + stepOf(el),
      ArrowDown: number - stepOf(el),
      ArrowLeft: number - stepOf(el),
      PageUp: number + page,
      PageDown: number - page,
      Home: minOf(el),
      End: maxOf(el),
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
  return minOf(el) + Math.max(0, Math.min(1, (x - t.x) / Math.max(1, t.w - 1))) * (maxOf(el) - minOf(el))
}

const SPIN_KEYS = new Set(['ArrowUp', 'ArrowDown', 'PageUp', 'PageDown'])

/** A spin button is typed into like a field; its value follows whenever the text is a number within its limits. */
function typeNumber(desk: Desktop, el: Element, stroke: Stroke): boolean {
  if (stroke.char !== undefined && !stroke.control && !/[-+.\deE]/.test(stroke.char)) return stroke.key !== ' '
  if (!text.key?.(desk, el, stroke)) return false
  const typed = el.text?.text ?? ''
  const number = Number(typed)
  if (typed.trim() !== '' && number === clampRange(el, number) && number !== el.value) {
    el.value = number
    desk.emit(el, 'change')
  }
  return true
}

function change(desk: Desktop, el: Element, to: number): void {
  const value = clampRange(el, to)
  if (value === el.value) return
  el.value = value
  if (el.text) el.text = newText(String(value))
  desk.touch(el)
  desk.emit(el, 'change')
}
