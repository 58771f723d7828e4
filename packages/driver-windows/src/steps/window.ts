import { setTimeout as sleep } from 'node:timers/promises'
import type { Step } from '@deskhand/core/driver'
import { DeskhandError } from '@deskhand/core/errors'
import type { WindowsDesktop } from '../desktop.ts'
import { topOf } from '../node.ts'
import { kernel32, user32 } from '../win32/api.ts'
import type { Handle } from '../win32/library.ts'
import { WM } from '../win32/message.ts'
import { mustBeInReach } from '../win32/rights.ts'
import { ownerThread, rectOf } from '../win32/window.ts'

const [MAXIMIZE, MINIMIZE, RESTORE] = [3, 6, 9]
const [NO_SIZE, NO_MOVE, NO_ORDER, NO_ACTIVATE, ASYNC] = [1, 2, 4, 0x10, 0x4000]
const ACTIVATES_MS = 1000
const LOOK_MS = 20

/** What is done to a window as a whole. Nothing here waits for its application, which may hang. */
export async function operate(desk: WindowsDesktop, { key, op, rect = {} }: Extract<Step, { do: 'window' }>): Promise<void> {
  desk.refresh()
  const node = desk.node(key)
  if (node === undefined) throw new DeskhandError('STALE_REF', 'there is no such window any more')
  const { hwnd, face } = topOf(node)
  mustBeInReach(hwnd, face.name ?? '')
  switch (op) {
    case 'activate':
      return activate(hwnd)
    case 'minimize':
      return show(hwnd, MINIMIZE)
    case 'maximize':
      return show(hwnd, MAXIMIZE)
    case 'restore':
      return show(hwnd, RESTORE)
    case 'close':
      return void user32.PostMessageW(hwnd, WM.CLOSE, 0, 0)
    case 'move':
    case 'resize':
      return place(hwnd, rect, (op === 'move' ? NO_SIZE : NO_MOVE) | NO_ORDER | NO_ACTIVATE | ASYNC)
    default:
      op satisfies never
  }
}

const show = (hwnd: Handle, how: number): void => void user32.ShowWindowAsync(hwnd, how)

function place(hwnd: Handle, rect: { x?: number; y?: number; w?: number; h?: number }, flags: number): void {
  const now = rectOf(hwnd) ?? { x: 0, y: 0, w: 0, h: 0 }
  const { x, y, w, h } = { ...now, ...rect }
  user32.SetWindowPos(hwnd, 0, Math.round(x), Math.round(y), Math.round(w), Math.round(h), flags)
}

/** Windows lets only some programs bring a window to the front; one that shares the queue of the active window's thread is among them. */
export async function activate(hwnd: Handle): Promise<void> {
  if (user32.IsIconic(hwnd) !== 0) show(hwnd, RESTORE)
  if (user32.GetForegroundWindow() === hwnd) return
  if (user32.SetForegroundWindow(hwnd) === 0) {
    const own = kernel32.GetCurrentThreadId()
    const { thread } = ownerThread(user32.GetForegroundWindow())
    const isAttached = thread !== 0 && thread !== own && user32.AttachThreadInput(own, thread, 1) !== 0
    user32.BringWindowToTop(hwnd)
    user32.SetForegroundWindow(hwnd)
    if (isAttached) user32.AttachThreadInput(own, thread, 0)
  }
  const patience = performance.now() + ACTIVATES_MS
  while (user32.GetForegroundWindow() !== hwnd) {
    if (performance.now() > patience)
      throw new DeskhandError('NOT_ACTIONABLE', 'Windows did not let this window come to the front', {
        next: 'Click into the window, or let its own application bring it up.',
      })
    await sleep(LOOK_MS)
  }
}
