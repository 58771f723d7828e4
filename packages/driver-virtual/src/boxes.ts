import type { Rect } from '@deskhand/core/model'
import { LINE, PAD, textWidth } from './metrics.ts'
import { isMultiline, type Element } from './model/element.ts'

/** Room that a caption must leave for the field itself. */
const MIN_FIELD = 60

/** Fields show their label themselves, to their left; text areas show it above. */
export const hasCaption = (el: Element): boolean => (el.kind === 'text' && !isMultiline(el)) || el.kind === 'select' || el.kind === 'range'

export const captionOf = (el: Element): number => (el.label ? textWidth(el.label) + PAD : 0)

/** The rectangle of a field without its caption; a field too small for both shows no caption. */
export function fieldBox(el: Element): Rect {
  const { x, y, w, h } = el.rect
  if (isMultiline(el)) return el.label && h > 2 * LINE ? { x, y: y + LINE, w, h: h - LINE } : el.rect
  const caption = el.label ? Math.max(el.caption, captionOf(el)) : el.caption
  return caption && w >= caption + MIN_FIELD ? { x: x + caption, y, w: w - caption, h } : el.rect
}
