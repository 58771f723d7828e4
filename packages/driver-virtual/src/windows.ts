import type { Rect, WindowOp } from '@deskhand/core/model'
import type { Desktop } from './desktop.ts'
import { firstFocus, setFocus } from './focus.ts'
import { descendants, isEnabled, isInside, windowOf, type Element } from './model/element.ts'
import { closePopups } from './popups.ts'

export function openWindow(desk: Desktop, win: Element): void {
  const { frame } = win
  if (!frame) return
  if (frame.open) return activate(desk, win)
  frame.open = true
  if (frame.mode === 'minimized') frame.mode = 'normal'
  for (const el of [win, ...descendants(win)]) {
    el.node = undefined
    desk.touch(el)
  }
  desk.relayout(win)
  activate(desk, win)
  desk.emit(win, 'open')
}

/** Closing a window hides it; the same window, with what is in it, can be opened again. */
export function closeWindow(desk: Desktop, win: Element): void {
  const { frame } = win
  if (!frame?.open) return
  frame.lastFocus = undefined
  closePopups(desk)
  if (desk.hovered && windowOf(desk.hovered) === win) desk.hovered = undefined
  frame.open = false
  desk.stack = desk.stack.filter((w) => w !== win)
  desk.log.add({ type: 'gone', key: win.key })
  desk.activity.draw(win.rect)
  if (desk.focus && windowOf(desk.focus) === win) desk.focus = undefined
  const next = desk.active
  if (next) activate(desk, next)
  desk.emit(win, 'close')
}

/** Brings a window to the front, with the focus where it was in it. */
export function activate(desk: Desktop, win: Element): void {
  const { frame } = win
  if (!frame?.open) return
  const before = desk.active
  if (before !== win) closePopups(desk)
  if (before?.frame && desk.focus && windowOf(desk.focus) === before) before.frame.lastFocus = desk.focus
  if (frame.mode === 'minimized') {
    frame.mode = 'normal'
    desk.relayout(win)
  }
  if (desk.stack.at(-1) !== win) desk.stack = [...desk.stack.filter((w) => w !== win), win]
  if (desk.focus && windowOf(desk.focus) === win) return
  setFocus(desk, frame.lastFocus && desk.elements.has(frame.lastFocus.key) ? frame.lastFocus : firstFocus(win))
}

/** The dialog that has to be answered before this window can be worked in. */
export function blockedBy(desk: Desktop, win: Element): Element | undefined {
  for (let i = desk.stack.length - 1; i >= 0; i--) {
    const other = desk.stack[i]
    if (!other || other === win) return undefined
    if (other.app === win.app && other.frame?.mode !== 'minimized' && isModal(other)) return other
  }
  return undefined
}

export const isModal = (win: Element): boolean => win.frame !== undefined && (win.attributes.modal ?? win.role !== 'window')

export const isClosable = (win: Element): boolean => win.frame?.decorated === true && win.attributes.closable !== false

export function windowOp(desk: Desktop, win: Element, op: WindowOp, rect: Partial<Rect> | undefined): void {
  const { frame } = win
  if (!frame || !isEnabled(win)) return
  switch (op) {
    case 'activate':
      return activate(desk, blockedBy(desk, win) ?? win)
    case 'close':
      return closeWindow(desk, win)
    case 'minimize': {
      if (desk.focus && isInside(desk.focus, win)) frame.lastFocus = desk.focus
      frame.mode = 'minimized'
      if (desk.focus && isInside(desk.focus, win)) desk.focus = undefined
      const next = desk.active
      if (next) activate(desk, next)
      break
    }
    case 'maximize':
      frame.mode = 'maximized'
      activate(desk, win)
      break
    case 'restore':
      frame.mode = 'normal'
      activate(desk, win)
      break
    case 'move':
      place(desk, win, { ...win.rect, x: rect?.x ?? win.rect.x, y: rect?.y ?? win.rect.y })
      break
    case 'resize':
      place(desk, win, { ...win.rect, ...defined(rect) })
      break
    default:
      op satisfies never
  }
  desk.touch(win)
  desk.relayout(win)
}

const MIN_WINDOW = { w: 120, h: 60 }
const MAX_WINDOW = 8192
/** As much of a title bar stays on the screen, so that the window can be fetched back. */
const GRIP = 40

function place(desk: Desktop, win: Element, rect: Rect): void {
  if (!win.frame) return
  const between = (low: number, n: number, high: number): number => Math.round(Math.max(low, Math.min(n, high)))
  const w = between(MIN_WINDOW.w, rect.w, MAX_WINDOW)
  const h = between(MIN_WINDOW.h, rect.h, MAX_WINDOW)
  win.frame.mode = 'normal'
  win.frame.rect = { x: between(GRIP - w, rect.x, desk.screen.width - GRIP), y: between(0, rect.y, desk.screen.height - GRIP), w, h }
}

function defined(rect: Partial<Rect> | undefined): Partial<Rect> {
  return Object.fromEntries(Object.entries(rect ?? {}).filter(([, v]) => v !== undefined))
}
