import { glyphOf } from './render/font/font.ts'

/** Sizes in desktop pixels that layout, input and painting share. */
export const FONT = 16
export const LINE = 22
export const ROW = 26
export const FIELD = 32
export const TITLE = 32
export const PAD = 12
export const GAP = 8
export const INDENT = 20
/** How far the shadow of a window or a menu reaches, and how far it is moved down. */
export const SHADOW = { reach: 18, down: 5 }
/** How far one notch of the wheel scrolls. */
export const NOTCH = 3 * LINE

/** How wide a text is drawn, rounded up. */
export function textWidth(text: string): number {
  return Math.ceil(textAdvance(text))
}

export function textAdvance(text: string): number {
  let width = 0
  for (let i = 0; i < text.length; i++) {
    const code = text.codePointAt(i) ?? 0
    if (code > 0xffff) i++
    width += code < 128 ? asciiAdvance(code) : glyphOf(code).advance
  }
  return width * FONT
}

/** The largest of the widths, 0 for none. */
export function widest<T>(items: readonly T[], width: (item: T) => number): number {
  let max = 0
  for (const item of items) max = Math.max(max, width(item))
  return max
}

const ascii: number[] = []
const asciiAdvance = (code: number): number => (ascii[code] ??= glyphOf(code).advance)
