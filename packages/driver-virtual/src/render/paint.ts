import { fieldBox, hasCaption } from '../boxes.ts'
import type { Desktop } from '../desktop.ts'
import { LINE, PAD, ROW, TITLE, textWidth } from '../metrics.ts'
import { isEnabled, type Element } from '../model/element.ts'
import { breakLines } from '../text-lines.ts'
import { submitsByClick } from '../tree.ts'
import { isHeader } from '../values.ts'
import { isClosable } from '../windows.ts'
import type { Canvas } from './canvas.ts'
import { paintCheck, paintRange, paintSelect, paintText } from './paint-fields.ts'
import { RADIUS } from './theme.ts'
import { fitText, line } from './text.ts'

/** How round windows and menus are. */
const WINDOW_RADIUS = 10

/** Draws a window and everything in it. */
export function paintWindow(canvas: Canvas, desk: Desktop, win: Element): void {
  const { rect, frame } = win
  const { theme } = canvas
  if (!frame?.decorated) canvas.fill(rect, theme.window, win.clip)
  else {
    const isActive = desk.active === win
    const ink = isActive ? theme.text : theme.muted
    const bar = { ...rect, h: TITLE }
    canvas.shadow(rect, WINDOW_RADIUS)
    canvas.round(rect, WINDOW_RADIUS, theme.window, win.clip)
    canvas.round({ ...bar, h: TITLE + WINDOW_RADIUS }, WINDOW_RADIUS, isActive ? theme.title : theme.titleIdle, win.clip)
    canvas.fill({ ...bar, y: rect.y + TITLE, h: WINDOW_RADIUS }, theme.window, win.clip)
    const room = rect.w - 2 * PAD - (isClosable(win) ? TITLE : 0)
    line(canvas, fitText(win.label ?? '', room), { ...bar, x: rect.x + PAD }, ink, win.clip)
    if (isClosable(win)) line(canvas, '×', { ...bar, x: rect.x + rect.w - TITLE + 10 }, ink, win.clip)
    canvas.outline(rect, WINDOW_RADIUS, 1, theme.border, win.clip)
  }
  paintChildren(canvas, desk, win)
}

/** Open menus and drop-down lists lie above every window. */
export function paintPopups(canvas: Canvas, desk: Desktop): void {
  const { theme } = canvas
  for (const open of desk.popups) {
    if (!open.popup) continue
    canvas.shadow(open.popup, RADIUS)
    canvas.round(open.popup, RADIUS, theme.field)
    canvas.outline(open.popup, RADIUS, 1, theme.border)
    for (const child of open.children) if (child.shown) paintElement(canvas, desk, child)
  }
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
  const hasRing = el.kind !== 'text' && el.kind !== 'select' && el.role !== 'spinbutton'
  if (desk.focus === el && hasRing)
    canvas.outline(hasCaption(el) ? fieldBox(el) : el.rect, RADIUS, 2, isAccented(el) ? canvas.theme.text : canvas.theme.accent, el.clip)
  paintChildren(canvas, desk, el)
}

/** The button that sends a form off stands out. */
const isAccented = (el: Element): boolean => el.kind === 'button' && el.role !== 'link' && isEnabled(el) && submitsByClick(el)

function paintOne(canvas: Canvas, desk: Desktop, el: Element): void {
  const { rect, clip } = el
  const { theme } = canvas
  const ink = isEnabled(el) ? theme.text : theme.muted
  const label = el.label ?? ''
  switch (el.kind) {
    case 'static':
      return paintStatic(canvas, el, ink)
    case 'button':
      return paintButton(canvas, desk, el, ink)
    case 'check':
    case 'radio':
      return paintCheck(canvas, el, ink)
    case 'text':
      return paintText(canvas, desk, el, ink)
    case 'select':
      return paintSelect(canvas, desk, el, ink)
    case 'range':
      return paintRange(canvas, desk, el, ink)
    case 'list':
    case 'tree':
    case 'table':
      return paintPane(canvas, el, ink)
    case 'option':
    case 'row':
    case 'treeitem':
      return paintItem(canvas, desk, el, ink)
    case 'cell':
      return line(canvas, fitText(label, rect.w - PAD), { ...rect, x: rect.x + 6 }, ink, clip)
    case 'menubar':
      canvas.fill(rect, theme.bar, clip)
      return canvas.fill({ ...rect, y: rect.y + rect.h - 1, h: 1 }, theme.border, clip)
    case 'menu':
    case 'menuitem':
      return paintMenuItem(canvas, desk, el, ink)
    case 'tab':
      if (desk.hovered === el) canvas.round(rect, RADIUS, theme.hover, clip)
      canvas.fill({ ...rect, y: rect.y + rect.h - 1, h: 1 }, theme.border, clip)
      if (el.selected) canvas.fill({ ...rect, y: rect.y + rect.h - 3, h: 3 }, theme.accent, clip)
      return line(canvas, label, { ...rect, x: rect.x + PAD }, el.selected ? ink : theme.muted, clip)
    case 'tabs':
      return
    case 'container':
      if (label) line(canvas, label, { ...rect, h: ROW, x: rect.x + 4 }, ink, clip)
      if (el.role === 'statusbar' || el.role === 'toolbar') canvas.fill({ ...rect, h: 1 }, theme.border, clip)
      return
    case 'window':
      return
    default:
      el.kind satisfies never
  }
}

function paintButton(canvas: Canvas, desk: Desktop, el: Element, ink: number): void {
  const { rect, clip } = el
  const { theme } = canvas
  const label = el.label ?? ''
  const isHovered = desk.hovered === el && isEnabled(el)
  if (el.role === 'link') {
    if (isHovered) canvas.fill({ x: rect.x, y: rect.y + rect.h / 2 + 9, w: textWidth(label), h: 1 }, theme.link, clip)
    return line(canvas, label, rect, isEnabled(el) ? theme.link : theme.muted, clip)
  }
  const accented = isAccented(el)
  const fill = accented ? theme.accent : el.checked ? theme.pressed : isHovered ? theme.hover : theme.button
  canvas.round(rect, RADIUS, fill, clip)
  if (!accented) canvas.outline(rect, RADIUS, 1, theme.edge, clip)
  const shown = fitText(label, rect.w - 8)
  const box = { ...rect, x: rect.x + Math.max(4, (rect.w - textWidth(shown)) / 2) }
  line(canvas, shown, box, accented ? theme.onAccent : ink, clip)
}

function paintStatic(canvas: Canvas, el: Element, ink: number): void {
  const { rect, clip } = el
  const { theme } = canvas
  if (el.role === 'separator') return canvas.fill({ ...rect, y: rect.y + 2, h: 1 }, theme.border, clip)
  if (el.role === 'image') {
    canvas.round(rect, RADIUS, theme.bar, clip)
    canvas.outline(rect, RADIUS, 1, theme.border, clip)
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
  canvas.round(box, RADIUS, canvas.theme.field, clip)
  canvas.outline(box, RADIUS, 1, canvas.theme.edge, clip)
}

function paintItem(canvas: Canvas, desk: Desktop, el: Element, ink: number): void {
  const { rect, clip } = el
  const { theme } = canvas
  const pill = { x: rect.x + 3, y: rect.y + 1, w: rect.w - 6, h: rect.h - 2 }
  if (el.selected) canvas.round(pill, RADIUS - 2, theme.selected, clip)
  else if (el.kind === 'row' && isHeader(el)) {
    canvas.round({ ...rect, x: rect.x + 1, y: rect.y + 1, w: rect.w - 2, h: rect.h - 1 }, RADIUS - 1, theme.bar, clip)
    canvas.fill({ ...rect, y: rect.y + rect.h - 1, h: 1 }, theme.border, clip)
  } else if (isUnder(desk.hovered, el)) canvas.round(pill, RADIUS - 2, theme.hover, clip)
  const middle = { x: rect.x + 11, y: rect.y + rect.h / 2 }
  if (el.kind === 'treeitem' && el.children.length) canvas.chevron(el.expanded ? 'down' : 'right', middle, ink, clip)
  const indent = el.kind === 'treeitem' ? 22 : 8
  line(canvas, fitText(el.label ?? '', rect.w - indent), { ...rect, x: rect.x + indent }, ink, clip)
}

/** Whether the pointer is on it, or on a cell of it. */
const isUnder = (hovered: Element | undefined, el: Element): boolean =>
  isEnabled(el) && (hovered === el || (hovered?.kind === 'cell' && hovered.parent === el))

function paintMenuItem(canvas: Canvas, desk: Desktop, el: Element, ink: number): void {
  const { rect, clip } = el
  const { theme } = canvas
  const pill = { x: rect.x + 3, y: rect.y + 2, w: rect.w - 6, h: rect.h - 4 }
  if (el.expanded || desk.current === el) canvas.round(pill, RADIUS - 2, theme.selected, clip)
  else if (isUnder(desk.hovered, el)) canvas.round(pill, RADIUS - 2, theme.hover, clip)
  if (el.checked) line(canvas, '✓', { ...rect, x: rect.x + 1 }, ink, clip)
  line(canvas, el.label ?? '', { ...rect, x: rect.x + PAD }, ink, clip)
  const end = { x: rect.x + rect.w - PAD, y: rect.y + rect.h / 2 }
  if (el.parent?.kind !== 'menubar' && el.children.length) canvas.chevron('right', end, ink, clip)
  const hint = el.attributes.shortcut
  if (hint) line(canvas, hint, { ...rect, x: rect.x + rect.w - PAD - textWidth(hint) }, theme.muted, clip)
}
