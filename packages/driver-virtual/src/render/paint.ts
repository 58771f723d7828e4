import type { Desktop } from '../desktop.ts'
import type { Element } from '../model/element.ts'
import type { Canvas } from './canvas.ts'
export function paintWindow(canvas: Canvas, desk: Desktop, win: Element): void {
  canvas.fill(win.rect, 0xffffff)
}
