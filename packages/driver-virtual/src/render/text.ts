import type { Rect } from '@deskhand/core/model'
import { FONT, textAdvance } from '../metrics.ts'
import type { Canvas } from './canvas.ts'
import { glyphOf } from './font/font.ts'
import { rasterise, type Bitmap } from './font/raster.ts'

/** Glyphs are drawn at quarters of a pixel. */
const STEPS = 4
const MAX_CACHED = 5000
const bitmaps = new Map<number, Bitmap>()

/** Draws a line of text whose baseline is at `y`. */
export function drawText(canvas: Canvas, text: string, x: number, y: number, colour: number, clip: Rect): void {
  let at = x
  for (const char of text) {
    if (at > clip.x + clip.w) return
    const code = char.codePointAt(0) ?? 0
    const bitmap = bitmapOf(code, at)
    if (bitmap.width) canvas.blend(Math.floor(at) + bitmap.left, Math.round(y) + bitmap.top, bitmap.width, bitmap.coverage, colour, clip)
    at += glyphOf(code).advance * FONT
  }
}

/** One line of text in the vertical middle of a box. */
export function line(canvas: Canvas, text: string, box: Rect, colour: number, clip: Rect): void {
  drawText(canvas, text, box.x, box.y + box.h / 2 + FONT * 0.36, colour, clip)
}

/** Shortens a text with an ellipsis so that it fits. */
export function fitText(text: string, width: number): string {
  if (textAdvance(text) <= width) return text
  let room = width - textAdvance('…')
  let out = ''
  for (const char of text) {
    room -= textAdvance(char)
    if (room < 0) break
    out += char
  }
  return `${out}…`
}

function bitmapOf(code: number, x: number): Bitmap {
  const step = Math.floor((x - Math.floor(x)) * STEPS)
  const key = code * STEPS + step
  let bitmap = bitmaps.get(key)
  if (!bitmap) {
    if (bitmaps.size >= MAX_CACHED) bitmaps.clear()
    bitmaps.set(key, (bitmap = rasterise(glyphOf(code).path, FONT, step / STEPS)))
  }
  return bitmap
}
