/** Sizes in desktop pixels that layout, input and painting share. */
export const FONT = 16
export const LINE = 22
export const ROW = 26
export const FIELD = 32
export const TITLE = 32
export const PAD = 12
export const GAP = 8
export const INDENT = 20
/** How far one notch of the wheel scrolls. */
export const NOTCH = 3 * LINE

export function textWidth(text: string, size = FONT): number {
  let width = 0
  for (const c of text) width += (c.codePointAt(0) ?? 0) >= 0x1100 ? size : size * 0.56
  return Math.ceil(width)
}
