import type { ElementNode, Rect, VisualDOMSnapshot } from '@deskhand/core/model'

/** An element of a screen, with what it is in. */
export interface Item {
  role: string
  name: string
  value?: string
  bounds?: Rect
  states: NonNullable<ElementNode['states']>
  window?: Item
  parent?: Item
  /** What it offers once it is opened: the options of a list, the entries of a menu. */
  choices?: readonly string[]
}

/** What is known of a screen without looking at its meaning. */
export interface Screen {
  windows: Item[]
  items: Item[]
  /** Words that were only seen, as lines from top to bottom. */
  read: { text: string; bounds?: Rect }[]
  activeTitle?: string
  complete: boolean
}

const WINDOWS = new Set(['window', 'dialog', 'alertdialog', 'alert'])

export function screenOf(dom: VisualDOMSnapshot): Screen {
  const windows: Item[] = []
  const items: Item[] = []
  const visit = (node: ElementNode, window: Item | undefined, parent: Item | undefined): void => {
    if (node.states?.visible === false) return
    const { role, name = '', value, bounds, states = {}, children = [] } = node
    const item: Item = { role, name, value, bounds, states, window, parent }
    const closed = children.filter((child) => child.states?.visible === false && child.name)
    if (closed.length > 0) item.choices = closed.map((child) => child.name ?? '')
    const isWindow = WINDOWS.has(role)
    if (isWindow) windows.push(item)
    else if (role !== 'desktop') items.push(item)
    for (const child of children) visit(child, isWindow ? item : window, role === 'desktop' ? undefined : item)
  }
  if (dom.tree !== undefined) visit(dom.tree, undefined, undefined)
  const words = (dom.textIndex ?? []).filter((t) => t.source === 'ocr')
  return { windows, items, read: linesOf(words), activeTitle: dom.activeApp?.title, complete: dom.completeness.complete }
}

/** Words next to each other as lines. */
function linesOf(words: readonly { text: string; bounds?: Rect }[]): Screen['read'] {
  const lines: { text: string; bounds?: Rect }[] = []
  for (const { text, bounds } of words) {
    const last = lines.at(-1)
    const follows =
      last?.bounds !== undefined &&
      bounds !== undefined &&
      Math.abs(last.bounds.y + last.bounds.h / 2 - bounds.y - bounds.h / 2) < bounds.h / 2 &&
      bounds.x >= last.bounds.x + last.bounds.w &&
      bounds.x - last.bounds.x - last.bounds.w < 2 * bounds.h
    if (!follows || last?.bounds === undefined || bounds === undefined) lines.push({ text, bounds })
    else {
      last.text += ` ${text}`
      const [x, y] = [last.bounds.x, Math.min(last.bounds.y, bounds.y)]
      last.bounds = { x, y, w: bounds.x + bounds.w - x, h: Math.max(last.bounds.y + last.bounds.h, bounds.y + bounds.h) - y }
    }
  }
  return lines
}
