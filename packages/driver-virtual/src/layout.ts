import { intersect, type Rect } from '@deskhand/core/model'
import { captionOf, hasCaption } from './boxes.ts'
import type { Desktop } from './desktop.ts'
import { FIELD, GAP, INDENT, LINE, PAD, ROW, TITLE, widest } from './metrics.ts'
import { isMultiline, type Element } from './model/element.ts'
import { sizeOf } from './sizes.ts'

/**
 * Gives every element of a window its place. `bounds_relative` is [x, y, width, height] as parts of the parent's inner box: the screen for
 * a window, the part below title and menu bar for what is in a window, the rectangle without its own label for what is in anything else. What
 * has no bounds flows below its elder siblings (or beside them, with `layout: row`), at the size that its widget asks for.
 */
export function layoutWindow(desk: Desktop, win: Element): void {
  const { frame } = win
  if (!frame) return
  const screen = desk.screenRect
  if (!frame.rect && !win.bounds) frame.rect = naturalPlace(desk, win)
  const rect = frame.mode === 'maximized' ? screen : (frame.rect ?? within(screen, win.bounds ?? [0, 0, 1, 1]))
  const shown = frame.open && frame.mode !== 'minimized'
  put(desk, win, rect, shown ? screen : NOWHERE, shown)
  const box = innerBox(win)
  arrange(desk, win, box, intersect(win.clip, box) ?? NOWHERE, shown)
}

/** Where the children of an element go, before scrolling. */
export function innerBox(el: Element): Rect {
  const { x, y, w, h } = el.rect
  if (el.kind === 'window') {
    const title = el.frame?.decorated === false ? 0 : TITLE
    const docked = el.children.filter(isDocked).length * ROW
    return { x, y: y + title + docked, w, h: Math.max(0, h - title - docked) }
  }
  if (el.label && (el.kind === 'list' || el.kind === 'tree' || el.kind === 'table')) return { x, y: y + LINE, w, h: Math.max(0, h - LINE) }
  if (el.kind === 'tabs') return { x, y: y + FIELD, w, h: Math.max(0, h - FIELD) }
  if (el.kind === 'container' && el.label) return { x, y: y + ROW, w, h: Math.max(0, h - ROW) }
  return el.rect
}

/** Whether what does not fit can be scrolled to; it is clipped then. */
export function isScrollable(el: Element): boolean {
  if (el.attributes.is_scrollable !== undefined) return el.attributes.is_scrollable
  return (
    el.kind === 'list' || el.kind === 'tree' || el.kind === 'table' || el.kind === 'window' || el.role === 'scrollpane' || isMultiline(el)
  )
}

/** Puts an element at a place and everything in it at theirs. */
export function place(desk: Desktop, el: Element, rect: Rect, clip: Rect, shown: boolean): void {
  const visible = shown && el.visible
  put(desk, el, rect, clip, visible)
  if (!el.children.length || el.kind === 'select' || el.kind === 'menu' || el.kind === 'menuitem' || el.kind === 'treeitem') return
  const box = innerBox(el)
  arrange(desk, el, box, isScrollable(el) ? (intersect(clip, box) ?? NOWHERE) : clip, visible)
}

export const NOWHERE: Rect = { x: 0, y: 0, w: 0, h: 0 }

function within(box: Rect, [x, y, w, h]: [number, number, number, number]): Rect {
  return { x: round(box.x + x * box.w), y: round(box.y + y * box.h), w: round(w * box.w), h: round(h * box.h) }
}

const round = Math.round

/** Keeps rectangle, visible part and visibility, and tells when they changed. */
function put(desk: Desktop, el: Element, rect: Rect, clip: Rect, visible: boolean): void {
  const part = visible ? intersect(rect, clip) : undefined
  const seen = part ?? NOWHERE
  if (!same(el.rect, rect) || !same(el.clip, seen) || el.shown !== (part !== undefined)) desk.touch(el)
  el.rect = rect
  el.clip = seen
  el.shown = part !== undefined
}

const same = (a: Rect, b: Rect): boolean => a.x === b.x && a.y === b.y && a.w === b.w && a.h === b.h

function arrange(desk: Desktop, el: Element, box: Rect, clip: Rect, shown: boolean): void {
  const scrolls = isScrollable(el)
  const origin = scrolls ? { ...box, x: box.x - el.scroll.x, y: box.y - el.scroll.y } : box
  let end: { w: number; h: number }
  if (el.kind === 'tabs') end = arrangeTabs(desk, el, clip, shown)
  else if (el.kind === 'row') end = arrangeCells(desk, el, box, clip, shown)
  else if (el.kind === 'list' || el.kind === 'tree' || el.kind === 'table')
    end = { w: box.w, h: arrangeRows(desk, el, origin, { y: 0, depth: 0, open: true }, clip, shown) }
  else end = flow(desk, el, origin, clip, shown)
  el.extent = end
  if (!scrolls) return
  const x = Math.max(0, Math.min(el.scroll.x, end.w - box.w))
  const y = Math.max(0, Math.min(el.scroll.y, end.h - box.h))
  if (x === el.scroll.x && y === el.scroll.y) return
  el.scroll = { x, y }
  arrange(desk, el, box, clip, shown)
}

/** Children with bounds where they say; the others below or beside each other. */
function flow(desk: Desktop, el: Element, box: Rect, clip: Rect, shown: boolean): { w: number; h: number } {
  const row =
    (el.attributes.layout ?? (el.role === 'toolbar' || el.role === 'statusbar' || el.kind === 'menubar' ? 'row' : 'column')) === 'row'
  const pad = el.kind === 'window' ? PAD : el.kind === 'menubar' ? 0 : GAP / 2
  const gap = el.kind === 'menubar' ? 0 : GAP
  let x = box.x + pad
  let y = box.y + pad
  let lineHeight = 0
  let right = 0
  let bottom = 0
  let docked = el.rect.y + (el.frame?.decorated === false ? 0 : TITLE)
  const reach = (r: Rect): void => {
    right = Math.max(right, r.x + r.w - box.x)
    bottom = Math.max(bottom, r.y + r.h - box.y)
  }
  const caption = row ? 0 : widest(el.children, (c) => (hasCaption(c) && !c.bounds ? captionOf(c) : 0))
  for (const child of el.children) {
    if (hasCaption(child)) child.caption = row || child.bounds ? captionOf(child) : caption
    if (el.kind === 'window' && isDocked(child)) {
      place(desk, child, { x: el.rect.x, y: docked, w: el.rect.w, h: ROW }, el.clip, shown)
      docked += ROW
      continue
    }
    if (isFloating(child)) {
      put(desk, child, NOWHERE, NOWHERE, false)
      continue
    }
    if (child.bounds) {
      place(desk, child, within(box, child.bounds), clip, shown)
      reach(child.rect)
      continue
    }
    if (!child.visible) {
      place(desk, child, NOWHERE, NOWHERE, false)
      continue
    }
    const available = Math.max(20, box.w - 2 * pad)
    const size = sizeOf(child, available)
    const w = Math.min(size.w, available)
    if (row && x > box.x + pad && x + w > box.x + box.w - pad) {
      x = box.x + pad
      y += lineHeight + gap
      lineHeight = 0
    }
    place(desk, child, { x, y, w, h: size.h }, clip, shown)
    if (growsWithContents(child)) put(desk, child, { x, y, w, h: innerBox(child).y - y + child.extent.h }, clip, shown)
    reach(child.rect)
    if (row) {
      x += w + gap
      lineHeight = Math.max(lineHeight, child.rect.h)
    } else y += child.rect.h + gap
  }
  return { w: right + pad, h: bottom + pad }
}

/** Lists, trees and tables: one row each; a tree item's children follow it, further in. */
function arrangeRows(
  desk: Desktop,
  el: Element,
  box: Rect,
  from: { y: number; depth: number; open: boolean },
  clip: Rect,
  shown: boolean,
): number {
  let { y } = from
  const inset = from.depth * INDENT
  for (const child of el.children) {
    const open = from.open && child.visible
    place(desk, child, { x: box.x + inset, y: box.y + y, w: Math.max(0, box.w - inset), h: open ? ROW : 0 }, clip, shown && open)
    if (open) y += ROW
    if (child.kind === 'treeitem')
      y = arrangeRows(desk, child, box, { y, depth: from.depth + 1, open: open && child.expanded }, clip, shown)
  }
  return y
}

function arrangeCells(desk: Desktop, row: Element, box: Rect, clip: Rect, shown: boolean): { w: number; h: number } {
  const w = box.w / Math.max(1, row.children.length)
  row.children.forEach((cell, i) => place(desk, cell, { x: round(box.x + i * w), y: box.y, w: round(w), h: box.h }, clip, shown))
  return { w: box.w, h: box.h }
}

/** Tab headers in a line; below them the contents of the chosen tab. */
function arrangeTabs(desk: Desktop, el: Element, clip: Rect, shown: boolean): { w: number; h: number } {
  let x = el.rect.x
  let h = 0
  const box = innerBox(el)
  for (const tab of el.children) {
    const { w } = sizeOf(tab, box.w)
    put(desk, tab, { x, y: el.rect.y, w, h: FIELD }, clip, shown && tab.visible)
    x += w
    const end = flow(desk, tab, box, clip, shown && tab.visible && tab.selected)
    if (tab.selected) h = end.h
  }
  return { w: box.w, h }
}

/** A container is as high as what flows in it, unless something in it asks for a part of that height. */
const growsWithContents = (el: Element): boolean =>
  (el.kind === 'container' || el.kind === 'tabs') && el.children.length > 0 && !isScrollable(el) && !el.children.some((c) => c.bounds)

/** Menu bars of a window lie above its contents. */
const isDocked = (el: Element): boolean => el.kind === 'menubar' && !el.bounds

/** A menu of its own waits for a right click. */
const isFloating = (el: Element): boolean => el.kind === 'menu' && el.parent?.kind !== 'menubar'

/** A window without bounds: as large as its contents ask for, each a little further down than the last; a dialog in the middle. */
function naturalPlace(desk: Desktop, win: Element): Rect {
  const { width, height } = desk.screen
  const w = Math.min(width, win.role === 'window' ? Math.max(480, Math.round(width * 0.5)) : Math.min(420, width))
  win.rect = { x: 0, y: 0, w, h: height }
  const box = innerBox(win)
  const end = flow(desk, win, box, NOWHERE, false)
  const h = Math.min(height, Math.max(120, Math.ceil(end.h + (box.y - win.rect.y))))
  if (win.role !== 'window') return { x: Math.round((width - w) / 2), y: Math.round((height - h) / 2), w, h }
  const nth = win.index % 8
  return { x: Math.min(40 + nth * 32, width - w), y: Math.min(40 + nth * 32, height - h), w, h }
}
