import type { Rect } from '@deskhand/core/model'
import { user32 } from './api.ts'
import type { Handle } from './library.ts'

export const STYLE = { CHILD: 0x40000000, VISIBLE: 0x10000000, DISABLED: 0x08000000, POPUP: 0x80000000 }
const [GWL_STYLE, GWL_EXSTYLE] = [-16, -20]
const [GW_NEXT, GW_OWNER, GW_CHILD] = [2, 4, 5]

export const styleOf = (h: Handle): number => user32.GetWindowLongW(h, GWL_STYLE) >>> 0
export const exStyleOf = (h: Handle): number => user32.GetWindowLongW(h, GWL_EXSTYLE) >>> 0
export const ownerOf = (h: Handle): Handle => user32.GetWindow(h, GW_OWNER)

/** The windows inside one, the topmost first; without one the windows of the desktop. */
export function childrenOf(parent?: Handle): Handle[] {
  const found: Handle[] = []
  const seen = new Set<Handle>()
  // The order can change during the walk, which may then come by twice.
  for (let h = user32.GetWindow(parent ?? user32.GetDesktopWindow(), GW_CHILD); h !== 0 && !seen.has(h); h = user32.GetWindow(h, GW_NEXT)) {
    seen.add(h)
    found.push(h)
  }
  return found
}

const text = Buffer.alloc(2048)

export function classOf(h: Handle): string {
  return text.toString('utf16le', 0, 2 * user32.GetClassNameW(h, text, 256))
}

/** The title that the window system keeps; the application is not asked, so it may hang. */
export function titleOf(h: Handle): string {
  return text.toString('utf16le', 0, 2 * user32.InternalGetWindowText(h, text, 1024))
}

const four = Buffer.alloc(16)

export function rectOf(h: Handle): Rect | undefined {
  return user32.GetWindowRect(h, four) === 0 ? undefined : readRect(four)
}

const PER_MONITOR = 2

/** An area given in a window's own coordinates, on the desktop. A program that knows nothing of each monitor's density gives them in a scale of its own. */
export function toScreen(h: Handle, rect: Buffer): Rect {
  const context = user32.GetWindowDpiAwarenessContext(h)
  if (user32.GetAwarenessFromDpiAwarenessContext(context) === PER_MONITOR) {
    user32.MapWindowPoints(h, 0, rect, 2)
    return readRect(rect)
  }
  const before = user32.SetThreadDpiAwarenessContext(context)
  user32.MapWindowPoints(h, 0, rect, 2)
  const [told, outer] = [readRect(rect), rectOf(h)]
  user32.SetThreadDpiAwarenessContext(before)
  const real = rectOf(h)
  if (outer === undefined || real === undefined || outer.w === 0 || outer.h === 0) return told
  const [across, down] = [real.w / outer.w, real.h / outer.h]
  return {
    x: Math.round(real.x + (told.x - outer.x) * across),
    y: Math.round(real.y + (told.y - outer.y) * down),
    w: Math.round(told.w * across),
    h: Math.round(told.h * down),
  }
}

export function readRect(b: Buffer): Rect {
  const [left, top] = [b.readInt32LE(0), b.readInt32LE(4)]
  return { x: left, y: top, w: b.readInt32LE(8) - left, h: b.readInt32LE(12) - top }
}

const id = Buffer.alloc(4)

export function ownerThread(h: Handle): { pid: number; thread: number } {
  const thread = user32.GetWindowThreadProcessId(h, id)
  return { thread, pid: thread === 0 ? 0 : id.readUInt32LE(0) }
}

const gui = Buffer.alloc(72)

/** The window that has the keyboard in a thread; in the one of the foreground without a thread. */
export function focusOf(thread = 0): Handle {
  gui.fill(0)
  gui.writeUInt32LE(72, 0)
  return user32.GetGUIThreadInfo(thread, gui) === 0 ? 0 : Number(gui.readBigUInt64LE(16))
}

export const rootOf = (h: Handle): Handle => user32.GetAncestor(h, 2)
