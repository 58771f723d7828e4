import { FIELD, LINE, PAD, ROW, textWidth, widest } from './metrics.ts'
import { isMultiline, type Element } from './model/element.ts'
import { lineCount } from './text-lines.ts'

/** The size that an element without bounds asks for, given the width there is. */
export function sizeOf(el: Element, width: number): { w: number; h: number } {
  const label = el.label === undefined ? 0 : textWidth(el.label)
  switch (el.kind) {
    case 'static':
      return staticSize(el, width)
    case 'button':
      return { w: Math.max(64, label + 2 * PAD), h: FIELD }
    case 'check':
    case 'radio':
      return { w: label + 32, h: ROW }
    case 'text':
      if (isMultiline(el)) return { w: width, h: 6 * LINE + (label ? LINE : 0) }
      return { w: Math.min(width, 260 + el.caption), h: FIELD }
    case 'range':
      return { w: Math.min(width, 240 + el.caption), h: FIELD }
    case 'select':
      return { w: Math.max(120, widest(el.children, (c) => textWidth(c.label ?? '')) + 48) + el.caption, h: FIELD }
    case 'list':
    case 'table':
      return { w: width, h: Math.min(10, Math.max(3, el.children.length)) * ROW + (label ? LINE : 0) }
    case 'tree':
      return { w: width, h: 8 * ROW + (label ? LINE : 0) }
    case 'option':
    case 'treeitem':
      return { w: Math.min(width, label + 2 * PAD), h: ROW }
    case 'row':
    case 'cell':
    case 'menubar':
      return { w: width, h: ROW }
    case 'menu':
    case 'menuitem':
      return { w: label + 2 * PAD, h: ROW }
    case 'tab':
      return { w: label + 2 * PAD, h: FIELD }
    case 'container':
    case 'tabs':
    case 'window':
      return { w: width, h: 8 * ROW }
    default:
      return el.kind satisfies never
  }
}

function staticSize(el: Element, width: number): { w: number; h: number } {
  if (el.role === 'separator') return { w: width, h: 5 }
  if (el.role === 'image') return { w: 96, h: 96 }
  const text = el.label ?? (typeof el.value === 'string' ? el.value : '')
  const w = Math.min(width, textWidth(text) + 4)
  return { w, h: lineCount(text, w) * LINE }
}
