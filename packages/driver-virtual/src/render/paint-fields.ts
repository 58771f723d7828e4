import type { Point, Rect } from '@deskhand/core/model'
import { fieldBox } from '../boxes.ts'
import type { Desktop } from '../desktop.ts'
import { selection } from '../input/editing.ts'
import { FONT, LINE, PAD, textAdvance } from '../metrics.ts'
import { isEnabled, isMultiline, isPassword, type Element } from '../model/element.ts'
import { maxOf, minOf } from '../values.ts'
import { INSET, settleText, shownText } from '../text-area.ts'
import type { Canvas } from './canvas.ts'
import { drawText, fitText, line } from './text.ts'
import { RADIUS } from './theme.ts'

export function paintCheck(canvas: Canvas, el: Element, ink: number): void {
  const { rect, clip } = el
  const { theme } = canvas
  const middle = { x: rect.x + 11, y: Math.round(rect.y + rect.h / 2) }
  const box = { x: middle.x - 9, y: middle.y - 9, w: 18, h: 18 }
  const radius = el.kind === 'radio' ? 9 : 4
  const fill = isEnabled(el) ? theme.accent : theme.muted
  canvas.round(box, radius, el.checked ? fill : theme.field, clip)
  if (!el.checked) canvas.outline(box, radius, 1.5, isEnabled(el) ? theme.muted : theme.edge, clip)
  else if (el.kind === 'radio') canvas.disc(middle, 4, theme.onAccent, clip)
  else canvas.stroke([at(middle, -4.5, 0.5), at(middle, -1.5, 3.5), at(middle, 4.5, -3.5)], 2, theme.onAccent, clip)
  line(canvas, el.label ?? '', { ...rect, x: rect.x + 26 }, ink, clip)
}

export function paintSelect(canvas: Canvas, desk: Desktop, el: Element, ink: number): void {
  const { rect, clip } = el
  const box = fieldBox(el)
  if (box.x > rect.x) line(canvas, el.label ?? '', rect, ink, clip)
  field(canvas, box, clip, desk.focus === el || el.expanded === true)
  const chosen = el.children.find((c) => c.selected)?.label ?? ''
  line(canvas, fitText(chosen, box.w - 40), { ...box, x: box.x + 8 }, ink, clip)
  canvas.chevron('down', { x: box.x + box.w - 16, y: box.y + box.h / 2 }, ink, clip)
}

export function paintRange(canvas: Canvas, desk: Desktop, el: Element, ink: number): void {
  const { rect, clip } = el
  const { theme } = canvas
  const { x, w } = fieldBox(el)
  if (x > rect.x) line(canvas, el.label ?? '', rect, ink, clip)
  const value = Number(el.value)
  if (el.role === 'spinbutton') {
    field(canvas, { ...rect, x, w }, clip, desk.focus === el)
    canvas.fill({ x: x + w - 42, y: rect.y + 6, w: 1, h: rect.h - 12 }, theme.border, clip)
    line(canvas, el.text?.text ?? String(value), { ...rect, x: x + INSET.x }, ink, clip)
    return line(canvas, '− +', { ...rect, x: x + w - 34 }, ink, clip)
  }
  const share = maxOf(el) > minOf(el) ? (value - minOf(el)) / (maxOf(el) - minOf(el)) : 0
  const middle = Math.round(rect.y + rect.h / 2)
  canvas.round({ x, y: middle - 3, w, h: 6 }, 3, theme.track, clip)
  if (share > 0) canvas.round({ x, y: middle - 3, w: Math.max(6, w * share), h: 6 }, 3, theme.accent, clip)
  if (el.role === 'progressbar') return
  const knob = { x: x + 8 + (w - 16) * share, y: middle }
  canvas.disc(knob, 9, theme.accent, clip)
  canvas.disc(knob, 4, theme.onAccent, clip)
}

export function paintText(canvas: Canvas, desk: Desktop, el: Element, ink: number): void {
  const { rect, clip, text: state } = el
  const box = fieldBox(el)
  const focused = desk.focus === el
  if (box.x > rect.x) line(canvas, el.label ?? '', rect, ink, clip)
  else if (box.y > rect.y) line(canvas, el.label ?? '', { ...rect, h: LINE }, ink, clip)
  field(canvas, box, clip, focused)
  if (!state) return
  const inner = clipTo(clip, { x: box.x + 2, y: box.y + 2, w: box.w - 4, h: box.h - 4 })
  const shown = shownText(el)
  if (shown === '') {
    const hint = el.attributes.placeholder ?? (box === rect && box.w > 0 ? (el.label ?? '') : '')
    line(canvas, fitText(hint, box.w - 2 * PAD), { ...box, x: box.x + 8, h: Math.min(box.h, LINE + 12) }, canvas.theme.muted, inner)
  }
  const lines = settleText(el)
  const [from, to] = selection(state)
  const top = isMultiline(el) ? box.y + INSET.y - el.scroll.y : box.y + (box.h - LINE) / 2
  const shift = isMultiline(el) ? 0 : Math.max(0, textAdvance(shown.slice(0, caretIn(el, state.caret))) - (box.w - 24))
  lines.forEach((l, i) => {
    const y = top + i * LINE
    if (y + LINE < inner.y || y > inner.y + inner.h) return
    const x = box.x + INSET.x - shift
    const after = (offset: number): number => x + textAdvance(shown.slice(l.from, Math.min(Math.max(offset, l.from), l.to)))
    if (focused && from < to && from <= l.to && to >= l.from)
      canvas.fill({ x: after(from), y, w: after(to) - after(from), h: LINE }, canvas.theme.selected, inner)
    drawText(canvas, shown.slice(l.from, l.to), x, y + LINE / 2 + FONT * 0.36, ink, inner)
    const caret = caretIn(el, state.caret)
    if (focused && caret >= l.from && caret <= l.to) canvas.fill({ x: after(caret), y: y + 2, w: 1, h: LINE - 4 }, canvas.theme.text, inner)
  })
}

const caretIn = (el: Element, caret: number): number => (isPassword(el) ? [...(el.text?.text ?? '').slice(0, caret)].length : caret)

function field(canvas: Canvas, box: Rect, clip: Rect, isFocused: boolean): void {
  const { theme } = canvas
  canvas.round(box, RADIUS, theme.field, clip)
  canvas.outline(box, RADIUS, isFocused ? 2 : 1, isFocused ? theme.accent : theme.edge, clip)
}

const at = ({ x, y }: Point, dx: number, dy: number): Point => ({ x: x + dx, y: y + dy })

function clipTo(clip: Rect, box: Rect): Rect {
  const x = Math.max(clip.x, box.x)
  const y = Math.max(clip.y, box.y)
  return {
    x,
    y,
    w: Math.max(0, Math.min(clip.x + clip.w, box.x + box.w) - x),
    h: Math.max(0, Math.min(clip.y + clip.h, box.y + box.h) - y),
  }
}
