import { intersect, type Rect } from '@deskhand/core/model'
import { fieldBox, hasCaption } from '../boxes.ts'
import type { Desktop } from '../desktop.ts'
import { FONT, LINE, PAD, ROW, TITLE, textWidth } from '../metrics.ts'
import { isEnabled, type Element } from '../model/element.ts'
import { breakLines } from '../text-lines.ts'
import { isHeader } from '../values.ts'
import { isClosable } from '../windows.ts'
import type { Canvas } from './canvas.ts'
import { COLOUR } from './colours.ts'
import { paintCheck, paintRange, paintSelect, paintText } from './paint-fields.ts'
import { drawText, fitText } from './text.ts'

/** Draws a window and everything in it. */
export function paintWindow(canvas: Canvas, desk: Desktop, win: Element): void {
  const { rect, frame } = win
  canvas.fill(rect, COLOUR.window, win.clip)
  if (frame?.decorated) {
    const active = desk.active === win
    const bar = { ...rect, h: TITLE }
    canvas.fill(bar, active ? COLOUR.title : COLOUR.titleIdle, win.clip)
    const room = rect.w - 2 * PAD - (isClosable(win) ? TITLE : 0)
    line(canvas, fitText(win.label ?? '', room), { ...bar, x: rect.x + PAD }, active ? COLOUR.onTitle : COLOUR.muted, win.clip)
    if (isClosable(win)) line(canvas, '×', { ...bar, x: rect.x + rect.w - TITLE + 10 }, active ? COLOUR.onTitle : COLOUR.muted, win.clip)
    canvas.frame(rect, COLOUR.border, win.clip)
  }
  paintChildren(canvas, desk, win)
}

/** Open menus and drop-down lists lie above every window. */
export function paintPopups(canvas: Canvas, desk: Desktop): void {
  for (const open of desk.popups) {
    if (!open.popup) continue
    canvas.fill(open.popup, COLOUR.field)
    canvas.frame(open.popup, COLOUR.border)
    for (const child of open.children) if (child.shown) paintElement(canvas, desk, child)
  }
}

/** One line of text in the vertical middle of a box. */
export function line(canvas: Canvas, text: string, box: Rect, colour: number, clip: Rect): void {
  drawText(canvas, text, box.x, box.y + box.h / 2 + FONT * 0.36, colour, clip)
}

function paintChildren(canvas: Canvas, desk: Desktop, el: Element): void {
  if (el.kind === 'select' || el.kind === 'menu' || el.kind === 'menuitem') return
  for (const child of el.children) {
    if (child.shown) paintElement(canvas, desk, child)
    else if (child.kind === 'treeitem' || child.kind === 'tab') paintChildren(canvas, desk, child)
  }
}

function paintElement(canvas: Canvas, desk: Desktop, el: Element): void {
  paintOne(canvas, desk, el)
  if (desk.focus === el && el.kind !== 'text') canvas.frame(inset(hasCaption(el) ? fieldBox(el) : el.rect, 1), COLOUR.focus, el.clip)
  paintChildren(canvas, desk, el)
}

function paintOne(canvas: Canvas, desk: Desktop, el: Element): void {
  const { rect, clip } = el
  const ink = isEnabled(el) ? COLOUR.text : COLOUR.muted
  const label = el.label ?? ''
  switch (el.kind) {
    case 'static':
      return paintStatic(canvas, el, ink)
    case 'button': {
      if (el.role === 'link') return line(canvas, label, rect, isEnabled(el) ? COLOUR.link : COLOUR.muted, clip)
      canvas.fill(rect, el.checked ? COLOUR.pressed : COLOUR.button, clip)
      canvas.frame(rect, COLOUR.border, clip)
      const shown = fitText(label, rect.w - 8)
      return line(canvas, shown, { ...rect, x: rect.x + Math.max(4, (rect.w - textWidth(shown)) / 2) }, ink, clip)
    }
    case 'check':
    case 'radio':
      return paintCheck(canvas, el, ink)
    case 'text':
      return paintText(canvas, desk, el, ink)
    case 'select':
      return paintSelect(canvas, el, ink)
    case 'range':
      return paintRange(canvas, el, ink)
    case 'list':
    case 'tree':
    case 'table':
      return paintPane(canvas, el, ink)
    case 'option':
    case 'row':
    case 'treeitem':
      return paintItem(canvas, el, ink)
    case 'cell':
      return line(canvas, fitText(label, rect.w - PAD), { ...rect, x: rect.x + 6 }, ink, clip)
    case 'menubar':
      return canvas.fill(rect, COLOUR.bar, clip)
    case 'menu':
    case 'menuitem':
      return paintMenuItem(canvas, desk, el, ink)
    case 'tab':
      canvas.fill(rect, el.selected ? COLOUR.window : COLOUR.bar, clip)
      canvas.frame(rect, COLOUR.border, clip)
      return line(canvas, label, { ...rect, x: rect.x + PAD }, ink, clip)
    case 'tabs':
      return
    case 'container':
      if (label) line(canvas, label, { ...rect, h: ROW, x: rect.x + 4 }, ink, clip)
      if (el.role === 'statusbar' || el.role === 'toolbar') canvas.frame({ ...rect, h: 1 }, COLOUR.border, clip)
      return
    case 'window':
      return
    default:
      el.kind satisfies never
  }
}

function paintStatic(canvas: Canvas, el: Element, ink: number): void {
  const { rect, clip } = el
  if (el.role === 'separator') return canvas.fill({ ...rect, y: rect.y + 2, h: 1 }, COLOUR.border, clip)
  if (el.role === 'image') {
    canvas.fill(rect, COLOUR.bar, clip)
    canvas.frame(rect, COLOUR.border, clip)
  }
  const text = el.label ?? (typeof el.value === 'string' ? el.value : '')
  const lines = breakLines(text, rect.w)
  const top = rect.y + Math.max(0, (rect.h - lines.length * LINE) / 2)
  lines.forEach((l, i) => line(canvas, text.slice(l.from, l.to), { ...rect, y: top + i * LINE, h: LINE }, ink, clip))
}

function paintPane(canvas: Canvas, el: Element, ink: number): void {
  const { rect, clip } = el
  const caption = el.label ? LINE : 0
  if (caption) line(canvas, el.label ?? '', { ...rect, h: LINE }, ink, clip)
  const box = { ...rect, y: rect.y + caption, h: rect.h - caption }
  canvas.fill(box, COLOUR.field, clip)
  canvas.frame(box, COLOUR.border, clip)
}

function paintItem(canvas: Canvas, el: Element, ink: number): void {
  const { rect, clip } = el
  if (el.selected) canvas.fill(rect, COLOUR.selected, clip)
  else if (el.kind === 'row' && isHeader(el)) canvas.fill(rect, COLOUR.bar, clip)
  if (el.kind === 'treeitem' && el.children.length)
    canvas.arrow(el.expanded ? 'down' : 'right', rect.x + 11, rect.y + rect.h / 2, ink, clip)
  const indent = el.kind === 'treeitem' ? 22 : 8
  line(canvas, fitText(el.label ?? '', rect.w - indent), { ...rect, x: rect.x + indent }, ink, clip)
}

function paintMenuItem(canvas: Canvas, desk: Desktop, el: Element, ink: number): void {
  const { rect, clip } = el
  if (el.expanded || desk.current === el) canvas.fill(rect, COLOUR.selected, clip)
  if (el.checked) line(canvas, '✓', { ...rect, x: rect.x + 1 }, ink, clip)
  line(canvas, el.label ?? '', { ...rect, x: rect.x + PAD }, ink, clip)
  if (el.parent?.kind !== 'menubar' && el.children.length) canvas.arrow('right', rect.x + rect.w - PAD, rect.y + rect.h / 2, ink, clip)
  const hint = el.attributes.shortcut
  if (hint) line(canvas, hint, { ...rect, x: rect.x + rect.w - PAD - textWidth(hint) }, COLOUR.muted, clip)
}

function inset(rect: Rect, by: number): Rect {
  return intersect(rect, { x: rect.x + by, y: rect.y + by, w: rect.w - 2 * by, h: rect.h - 2 * by }) ?? rect
}
