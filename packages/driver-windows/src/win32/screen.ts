import type { Pixels } from '@deskhand/core/driver'
import { DeskhandError } from '@deskhand/core/errors'
import type { Rect, Screen } from '@deskhand/core/model'
import koffi from 'koffi'
import { gdi32, user32 } from './api.ts'
import { readRect } from './window.ts'

const COPY_WITH_LAYERED = 0x00cc0020 | 0x40000000

const callback = koffi.proto('int32 __stdcall MonitorProc(intptr_t monitor, intptr_t dc, void *rect, intptr_t data)')
const monitorInfo = koffi.load('user32.dll').func('int32 __stdcall GetMonitorInfoW(intptr_t monitor, void *info)') as (
  h: number,
  info: Buffer,
) => number
const enumMonitors = koffi
  .load('user32.dll')
  .func('int32 __stdcall EnumDisplayMonitors(intptr_t dc, void *clip, MonitorProc *proc, intptr_t data)') as (...args: unknown[]) => number

const PER_MONITOR_V2 = -4

/** Has Windows tell this process of places in pixels of each monitor. Every process that reads or sends places needs it. */
export function seePixels(): void {
  user32.SetProcessDpiAwarenessContext(PER_MONITOR_V2)
}

/** The screens, in pixels: this process is aware of each monitor's density, so nothing is scaled on its way. */
export function screens(): Screen[] {
  const found: Screen[] = []
  const look = koffi.register((monitor: number) => {
    const info = Buffer.alloc(104)
    info.writeUInt32LE(104, 0)
    if (monitorInfo(monitor, info) !== 0) {
      const id = info.toString('utf16le', 40, 104).split('\0', 1)[0] ?? ''
      found.push({ id, bounds: readRect(info.subarray(4)), scale: 1, primary: (info.readUInt32LE(36) & 1) !== 0 })
    }
    return 1
  }, koffi.pointer(callback))
  try {
    enumMonitors(0, null, look, 0)
  } finally {
    koffi.unregister(look)
  }
  return found
}

/** All of the desktop. */
export function desktopArea(): Rect {
  const [x = 0, y = 0, w = 0, h = 0] = [76, 77, 78, 79].map((which) => user32.GetSystemMetrics(which))
  return { x, y, w, h }
}

/** What the screen shows, by GDI. */
export function grab(area: Rect, buffer: (size: number) => Uint32Array<ArrayBuffer>): Pixels {
  const [x, y] = [Math.floor(area.x), Math.floor(area.y)]
  const [width, height] = [Math.max(1, Math.ceil(area.x + area.w) - x), Math.max(1, Math.ceil(area.y + area.h) - y)]
  const screen = user32.GetDC(0)
  const memory = gdi32.CreateCompatibleDC(screen)
  const bitmap = gdi32.CreateCompatibleBitmap(screen, width, height)
  try {
    const before = gdi32.SelectObject(memory, bitmap)
    const isCopied = gdi32.BitBlt(memory, 0, 0, width, height, screen, x, y, COPY_WITH_LAYERED) !== 0
    gdi32.SelectObject(memory, before)
    const words = buffer(width * height)
    const info = Buffer.alloc(44)
    info.writeUInt32LE(40, 0)
    info.writeInt32LE(width, 4)
    // Negative: the first row is the topmost one.
    info.writeInt32LE(-height, 8)
    info.writeUInt16LE(1, 12)
    info.writeUInt16LE(32, 14)
    const rows = gdi32.GetDIBits(memory, bitmap, 0, height, Buffer.from(words.buffer, words.byteOffset, words.byteLength), info, 0)
    if (!isCopied || rows !== height)
      throw new DeskhandError('DRIVER_FAILED', 'the screen could not be read: it may be locked, or show a secure desktop')
    return { width, height, words, lowest: 'blue', origin: { x, y }, scale: 1 }
  } finally {
    gdi32.DeleteObject(bitmap)
    gdi32.DeleteDC(memory)
    user32.ReleaseDC(0, screen)
  }
}
