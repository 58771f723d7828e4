import type { FlatNode, States } from '@deskhand/core/model'
import type { Desktop } from './desktop.ts'
import { descendants, FOCUSABLE, isEnabled, type Element } from './model/element.ts'
import { widgetOf } from './widgets/index.ts'
import { isModal } from './windows.ts'

/** An element as the driver contract tells it. Bounds are the part that can be seen, so that their centre can be clicked. */
export function buildNode(desk: Desktop, el: Element): FlatNode {
  const face = widgetOf(el).face?.(desk, el) ?? {}
  const states: States = { enabled: isEnabled(el), visible: el.shown, ...face.states }
  if (FOCUSABLE.has(el.kind)) {
    states.focusable = true
    states.focused = desk.focus === el
  }
  if (el.frame) {
    states.active = desk.active === el
    states.modal = isModal(el)
  }
  if (el.attributes.required) states.required = true
  if (submits(el)) states.default = true
  const node: FlatNode = { key: el.key, index: el.index, app: el.app, role: el.role, states, platformIds: { virtualId: el.id } }
  if (el.parent) node.parent = el.parent.key
  const name = el.label ?? (el.kind === 'static' && typeof el.value === 'string' ? el.value : undefined)
  if (name !== undefined) node.name = name
  const value = face.value ?? plainValue(el)
  if (value !== undefined) node.value = value
  const description = el.attributes.description ?? el.attributes.placeholder ?? el.attributes.tooltip
  if (description !== undefined) node.description = description
  if (el.shown) node.bounds = el.clip
  if (face.actions?.length) node.actions = face.actions
  if (el.attributes.shortcut !== undefined) node.shortcuts = [el.attributes.shortcut]
  const attributes = shownAttributes(el)
  if (attributes) node.attributes = attributes
  return node
}

/** Enter in a field submits the form around it: that presses the button that submits it, or else the form itself. */
function submits(el: Element): boolean {
  const rules = el.attributes.on
  if (rules === undefined) return false
  return submitsByClick(el) || (rules['submit'] !== undefined && ![...descendants(el)].some(submitsByClick))
}

/** Whether a click on it sends a form off. */
export const submitsByClick = (el: Element): boolean => el.attributes.on?.['click']?.some((rule) => rule.do === 'submit') === true

export function sameNode(a: FlatNode, b: FlatNode): boolean {
  return (
    a.name === b.name &&
    a.value === b.value &&
    a.index === b.index &&
    a.role === b.role &&
    a.description === b.description &&
    sameFields(a.states, b.states) &&
    sameFields(a.bounds, b.bounds) &&
    sameFields(a.attributes, b.attributes) &&
    sameFields(a.actions, b.actions) &&
    sameFields(a.shortcuts, b.shortcuts)
  )
}

function plainValue(el: Element): string | undefined {
  if (el.kind !== 'static' && el.kind !== 'container' && el.kind !== 'button') return undefined
  return typeof el.value === 'string' || typeof el.value === 'number' ? String(el.value) : undefined
}

/** Attributes that the widgets use themselves, or that are told as states. */
const OWN = new Set([
  'description',
  'placeholder',
  'layout',
  'read_only',
  'required',
  'is_checked',
  'is_selected',
  'is_expanded',
  'context_menu',
  'app',
  'autofocus',
  'password',
  'multiline',
])

function shownAttributes(el: Element): Record<string, string | number | boolean> | undefined {
  let out: Record<string, string | number | boolean> | undefined
  for (const name in el.attributes) {
    const value = el.attributes[name]
    if (OWN.has(name) || (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean')) continue
    out ??= {}
    out[name] = value
  }
  return out
}

function sameFields(a: object | undefined, b: object | undefined): boolean {
  if (a === b) return true
  if (!a || !b) return false
  const left: Record<string, unknown> = { ...a }
  const right: Record<string, unknown> = { ...b }
  for (const key in left) if (left[key] !== right[key]) return false
  for (const key in right) if (left[key] !== right[key]) return false
  return true
}
