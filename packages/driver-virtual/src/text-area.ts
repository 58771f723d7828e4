import { fieldBox } from './boxes.ts'
import { FONT, LINE } from './metrics.ts'
import { isMultiline, isPassword, type Element } from './model/element.ts'
import { breakLines, lineOf, type Line } from './text-lines.ts'

/** The space between a field's edge and its text. */
export const INSET = { x: 8, y: 6 }

/** What is drawn: the text, or a dot for each character of a password. */
export const shownText = (el: Element): string => (isPassword(el) ? '•'.repeat([...(el.text?.text ?? '')].length) : (el.text?.text ?? ''))

export const linesIn = (el: Element): Line[] =>
  breakLines(shownText(el), isMultiline(el) ? Math.max(FONT, fieldBox(el).w - 2 * INSET.x) : Infinity)

/** Brings the scroll position of a text area up to date, its caret into view. Done when the area is painted, scrolled or clicked, not with every character. */
export function settleText(el: Element): Line[] {
  const lines = linesIn(el)
  if (!isMultiline(el) || !el.text) return lines
  const box = fieldBox(el)
  const room = box.h - 2 * INSET.y
  el.extent = { w: box.w, h: box.y - el.rect.y + lines.length * LINE + 2 * INSET.y }
  if (el.followCaret) {
    const top = lineOf(lines, el.text.caret) * LINE
    if (top < el.scroll.y) el.scroll = { x: 0, y: top }
    else if (top + LINE > el.scroll.y + room) el.scroll = { x: 0, y: top + LINE - room }
    el.followCaret = false
  }
  el.scroll = { x: 0, y: Math.max(0, Math.min(el.scroll.y, lines.length * LINE - room)) }
  return lines
}
