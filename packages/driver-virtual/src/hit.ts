import { contains, type Point } from '@deskhand/core/model'
import type { Desktop } from './desktop.ts'
import { windowOf, type Element } from './model/element.ts'

/** What lies on top at a point. */
export function hitTest(desk: Desktop, at: Point): { window?: Element; element?: Element } {
  for (let i = desk.popups.length - 1; i >= 0; i--) {
    const popup = desk.popups[i]
    if (!popup?.popup || !contains(popup.popup, at)) continue
    return { window: windowOf(popup), element: popup.children.findLast((c) => c.shown && contains(c.clip, at)) ?? popup }
  }
  for (let i = desk.stack.length - 1; i >= 0; i--) {
    const win = desk.stack[i]
    if (!win?.shown || !contains(win.rect, at)) continue
    return { window: win, element: deepest(win, at) }
  }
  return {}
}

function deepest(el: Element, at: Point): Element {
  let found = el
  for (let next: Element | undefined = el; next;) {
    found = next
    next = found.children.findLast((c) => c.shown && !isPopupItem(c) && (contains(c.clip, at) || reaches(c, at)))
  }
  return found
}

/** Items of trees and tabs hold their children beside, not inside, their own rectangle. */
function reaches(el: Element, at: Point): boolean {
  return (el.kind === 'treeitem' || el.kind === 'tab') && el.children.some((c) => c.shown && (contains(c.clip, at) || reaches(c, at)))
}

const isPopupItem = (el: Element): boolean => el.parent?.popup !== undefined && el.parent.kind !== 'menubar'
