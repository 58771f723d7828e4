import type { Rect, UiNode } from '../model/index.ts'
import { roleOf } from './node-facts.ts'
import { plain } from './quote.ts'

/** Controls that toolkits often leave without a name, or name after their value. */
export const LABELLED: ReadonlySet<string> = new Set([
  'textbox',
  'searchbox',
  'combobox',
  'spinbutton',
  'slider',
  'progressbar',
  'switch',
  'listbox',
])
export const NEIGHBOURS = 5
export const WRAPPERS = 2
const MAX_LEFT = 300
const MAX_ABOVE = 30

/** The label that stands left of a control, above it, or right before it, if it can only be meant for this one. */
export function labelOf(control: UiNode, isVisible: (node: UiNode) => boolean): UiNode | undefined {
  if (!LABELLED.has(roleOf(control))) return undefined
  let box = control
  for (let level = 0; level <= WRAPPERS; level++) {
    const siblings = box.parent?.children ?? []
    const at = siblings[box.index] === box ? box.index : siblings.indexOf(box)
    const near = siblings.slice(Math.max(0, at - NEIGHBOURS), at + NEIGHBOURS + 1).filter((n) => n !== box && isVisible(n))
    const label = near.filter((n) => roleOf(n) === 'label' && plain(n.name ?? '')).toSorted((a, b) => gap(a, box) - gap(b, box))[0]
    if (label) return gap(label, box) < Infinity && !near.some((n) => n !== label && between(n, label, box)) ? label : undefined
    const parent = box.parent
    if (!parent || near.length > 0 || LABELLED.has(roleOf(parent))) return undefined
    box = parent
  }
  return undefined
}

/** Whether a control's own name already says what its label does. */
export const says = (name: string, label: string): boolean => bareLabel(name) === bareLabel(label)

/** A label as a person would say it. */
export const bareLabel = (text: string): string =>
  plain(text)
    .replace(/[\s:*…]+$/, '')
    .toLowerCase()

function gap(label: UiNode, control: UiNode): number {
  const [a, c] = [label.bounds, control.bounds]
  if (!a || !c) return label.index === control.index - 1 ? 0 : Infinity
  const left = c.x - a.x - a.w
  if (left >= -2 && left <= MAX_LEFT && sameRow(a, c)) return Math.max(0, left)
  const above = c.y - a.y - a.h
  const overlaps = a.x < c.x + c.w && c.x < a.x + a.w
  return overlaps && above >= -2 && above <= MAX_ABOVE ? Math.max(0, above) : Infinity
}

function between(node: UiNode, label: UiNode, control: UiNode): boolean {
  const [n, a, c] = [node.bounds, label.bounds, control.bounds]
  if (!n || !a || !c || n.w <= 1 || n.h <= 1) return false
  const inRow = sameRow(a, c) && sameRow(n, c) && n.x >= a.x + a.w - 2 && n.x + n.w <= c.x + 2
  const inColumn = !sameRow(a, c) && n.y >= a.y + a.h - 2 && n.y + n.h <= c.y + 2 && n.x < c.x + c.w && c.x < n.x + n.w
  return inRow || inColumn
}

/** The middle height of one lies within the height of the other. */
const sameRow = (a: Rect, b: Rect): boolean => within(a.y + a.h / 2, b) || within(b.y + b.h / 2, a)

const within = (y: number, r: Rect): boolean => y >= r.y && y <= r.y + r.h
