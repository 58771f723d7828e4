import type { Pixels } from '@deskhand/core/driver'
import type { Rect } from '@deskhand/core/model'
import type { Desktop } from '../desktop.ts'
import { Canvas } from './canvas.ts'
import { paintPopups, paintWindow } from './paint.ts'
import { THEMES } from './theme.ts'

/** The desktop's pixels in an area; what lies outside the screen is left out. */
export function renderArea(desk: Desktop, area: Rect): Pixels {
  const x = Math.max(0, Math.floor(area.x))
  const y = Math.max(0, Math.floor(area.y))
  const width = Math.max(1, Math.min(desk.screen.width, Math.ceil(area.x + area.w)) - x)
  const height = Math.max(1, Math.min(desk.screen.height, Math.ceil(area.y + area.h)) - y)
  const canvas = new Canvas(width, height, { x, y }, THEMES[desk.theme])
  canvas.fill(desk.screenRect, canvas.theme.desktop)
  for (const win of desk.stack) if (win.shown) paintWindow(canvas, desk, win)
  paintPopups(canvas, desk)
  const { buffer, byteOffset } = canvas.pixels
  return { width, height, words: new Uint32Array(buffer, byteOffset, width * height), lowest: 'red', origin: { x, y }, scale: 1 }
}
