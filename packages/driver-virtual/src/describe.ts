import type { Desktop } from './desktop.ts'
import { innerBox } from './layout.ts'
import { isEnabled, isPassword, type Element } from './model/element.ts'
import { MAX_RATIO, type VirtualInputElementDescription } from './model/ui-file.ts'
import { valueOf } from './values.ts'

/** The desktop as a list of elements that could be loaded again. Passwords stay out; the window made for loose elements too. */
export function describeDesktop(desk: Desktop): VirtualInputElementDescription[] {
  return desk.windows.flatMap((win) =>
    win.frame?.decorated === false ? win.children.map((c) => describe(desk, c)) : [describe(desk, win)],
  )
}

function describe(desk: Desktop, el: Element): VirtualInputElementDescription {
  const { on: _rules, context_menu, ...attributes } = el.attributes
  const menu = context_menu !== undefined && desk.byId.has(context_menu) ? { context_menu } : {}
  return {
    element_id: el.id,
    element_type: el.type,
    label_text: el.label ?? null,
    value: isPassword(el) ? null : valueOf(el),
    is_enabled: isEnabled(el),
    is_focused: desk.focus === el,
    is_visible: el.frame ? el.frame.open : el.shown,
    bounds_relative: relativeBounds(desk, el),
    children: el.children.map((c) => describe(desk, c)),
    attributes: { ...attributes, ...menu, ...liveAttributes(el) },
  }
}

function liveAttributes(el: Element): Record<string, unknown> {
  switch (el.kind) {
    case 'check':
    case 'radio':
      return { is_checked: el.checked }
    case 'option':
    case 'row':
    case 'tab':
      return { is_selected: el.selected }
    case 'treeitem':
      return { is_selected: el.selected, is_expanded: el.expanded }
    case 'select':
    case 'menu':
      return { is_expanded: el.expanded }
    default:
      return {}
  }
}

function relativeBounds(desk: Desktop, el: Element): [number, number, number, number] | null {
  const box = el.parent ? innerBox(el.parent) : desk.screenRect
  if (el.rect.w === 0 || box.w <= 0 || box.h <= 0) return null
  const { x, y, w, h } = el.rect
  const bounds: [number, number, number, number] = [
    ratio((x - box.x) / box.w),
    ratio((y - box.y) / box.h),
    ratio(w / box.w),
    ratio(h / box.h),
  ]
  return bounds.every((n) => Math.abs(n) <= MAX_RATIO) ? bounds : null
}

const ratio = (n: number): number => Math.round(n * 10_000) / 10_000
