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
/** A label says something; what stands between the parts of a date does not. */
const WORDS = /[\p{L}\p{N}]/u

/** The label that stands left of a control, above it, or right before it, if it can only be meant for this one. */
export function labelOf(control: UiNode, isVisible: (node: UiNode) => boolean): UiNode | undefined {
  if (!LABELLED.has(roleOf(control))) return undefined
  const choice = choiceAround(control)
  if (choice !== undefined) return choice
  let box = control
  for (let level = 0; level <= WRAPPERS; level++) {
    const siblings = box.parent?.children ?? []
    const at = siblings[box.index] === box ? box.index : siblings.indexOf(box)
    const near = siblings.slice(Math.max(0, at - NEIGHBOURS), at + NEIGHBOURS + 1).filter((n) => n !== box && isVisible(n))
    const label = near.filter((n) => isLabel(n)).toSorted((a, b) => distance(a, box) - distance(b, box))[0]
    if (label) return distance(label, box) < Infinity && !near.some((n) => n !== label && isNearer(n, label, box)) ? label : undefined
    const parent = box.parent
    if (!parent || near.length > 0 || LABELLED.has(roleOf(parent))) return undefined
    box = parent
  }
  return undefined
}

/** LibreOffice tells of a choice that takes text as a panel of that name, with nothing in it but the text and the button that opens its list. */
function choiceAround({ role, name, parent }: UiNode): UiNode | undefined {
  if (role !== 'textbox' || name || !parent?.children.some((child) => child.role === 'togglebutton')) return undefined
  if (!parent.children.every((child) => CHOICE.has(child.role))) return undefined
  let around: UiNode = parent
  while (!around.name && around.parent?.children.length === 1 && WRAPPER.has(around.role)) around = around.parent
  return around.name && WRAPPER.has(around.role) ? around : undefined
}

/** The texts that such a panel may be the label of. */
export function textsOfChoice(panel: UiNode): UiNode[] {
  let inside = panel
  while (inside.children.length === 1 && inside.children[0] && WRAPPER.has(inside.role)) inside = inside.children[0]
  return inside.children.filter((child) => child.role === 'textbox')
}

const CHOICE: ReadonlySet<string> = new Set(['textbox', 'togglebutton', 'combobox'])
/** What toolkits put around controls; a choice has its name. */
export const WRAPPER: ReadonlySet<string> = new Set(['panel', 'group'])

/** Whether a control's own name already says what its label does. */
export const says = (name: string, label: string): boolean => bareLabel(name) === bareLabel(label)

/** A label as a person would say it. */
export const bareLabel = (text: string): string =>
  plain(text)
    .replace(/[\s:*…]+$/, '')
    .toLowerCase()

/** One around a control is that control's. */
const isLabel = (node: UiNode): boolean =>
  roleOf(node) === 'label' && WORDS.test(node.name ?? '') && !node.children.some((child) => LABELLED.has(roleOf(child)))

/** A label in the row of a control is nearer than any above it. */
function distance(label: UiNode, control: UiNode): number {
  const [a, c] = [label.bounds, control.bounds]
  if (!a || !c) return label.index === control.index - 1 ? 0 : Infinity
  if (isLeftOf(a, c)) return Math.max(0, c.x - a.x - a.w)
  const above = c.y - a.y - a.h
  const overlaps = a.x < c.x + c.w && c.x < a.x + a.w
  return overlaps && above >= -2 && above <= MAX_ABOVE ? MAX_LEFT + Math.max(0, above) : Infinity
}

const isLeftOf = (a: Rect, c: Rect): boolean => c.x - a.x - a.w >= -2 && c.x - a.x - a.w <= MAX_LEFT && sameRow(a, c)

/** The node stands between a label and a control, or is itself what a label above the control stands beside. */
function isNearer(node: UiNode, label: UiNode, control: UiNode): boolean {
  const [n, a, c] = [node.bounds, label.bounds, control.bounds]
  if (n && a && c && !sameRow(a, c) && LABELLED.has(roleOf(node)) && isLeftOf(a, n)) return true
  return between(node, label, control)
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
