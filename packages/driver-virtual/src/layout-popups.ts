import { contains, intersect, type Rect } from '@deskhand/core/model'
import { fieldBox } from './boxes.ts'
import type { Desktop } from './desktop.ts'
import { NOWHERE, place } from './layout.ts'
import { PAD, ROW, textWidth, widest } from './metrics.ts'
import { descendants, windowOf, type Element } from './model/element.ts'

/** Menus and drop-down lists: the open ones above everything, beside or below what opened them; the others out of sight. */
export function placePopups(desk: Desktop, win: Element): void {
  for (const el of descendants(win)) {
    if (el.kind !== 'menu' && el.kind !== 'select' && !(el.kind === 'menuitem' && el.children.length)) continue
    if (el.expanded && windowOf(el).frame?.mode !== 'minimized') openAt(desk, el)
    else {
      el.popup = undefined
      for (const child of el.children) hide(desk, child)
    }
  }
}

/** A context menu remembers where it was called. */
export const contextPlace = new WeakMap<Element, { x: number; y: number }>()

function openAt(desk: Desktop, el: Element): void {
  const items = el.children.filter((c) => c.visible)
  const field = el.kind === 'select' ? fieldBox(el) : el.rect
  const text = widest(items, (c) => textWidth(c.label ?? '') + textWidth(c.attributes.shortcut ?? '')) + 4 * PAD
  const w = Math.min(Math.max(80, text, el.kind === 'select' ? field.w : 0), desk.screenRect.w)
  const h = items.length * ROW
  const called = contextPlace.get(el)
  const beside = el.parent?.kind === 'menu' || el.parent?.kind === 'menuitem'
  const start = called ?? (beside ? { x: el.rect.x + el.rect.w, y: el.rect.y } : { x: field.x, y: field.y + field.h })
  const rect = keepOn(desk.screenRect, { x: start.x, y: start.y, w, h })
  const clip = intersect(rect, desk.screenRect) ?? NOWHERE
  el.popup = clip
  let y = rect.y
  for (const child of el.children) {
    if (!child.visible) {
      hide(desk, child)
      continue
    }
    place(desk, child, { x: rect.x, y, w, h: ROW }, clip, true)
    y += ROW
  }
}

function hide(desk: Desktop, el: Element): void {
  if (el.shown || el.rect !== NOWHERE) place(desk, el, NOWHERE, NOWHERE, false)
}

function keepOn(screen: Rect, rect: Rect): Rect {
  if (contains(screen, rect) && rect.x + rect.w <= screen.w && rect.y + rect.h <= screen.h) return rect
  return { ...rect, x: Math.max(0, Math.min(rect.x, screen.w - rect.w)), y: Math.max(0, Math.min(rect.y, screen.h - rect.h)) }
}
