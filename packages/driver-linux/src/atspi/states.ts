import type { Role, States } from '@deskhand/core/model'
import { WINDOWS } from '@deskhand/core/model'

/** AT-SPI's states by their event names, in bit order. */
// prettier-ignore
const NAMES = [
  'invalid', 'active', 'armed', 'busy', 'checked', 'collapsed', 'defunct', 'editable', 'enabled', 'expandable', 'expanded',
  'focusable', 'focused', 'has-tooltip', 'horizontal', 'iconified', 'modal', 'multi-line', 'multiselectable', 'opaque', 'pressed',
  'resizable', 'selectable', 'selected', 'sensitive', 'showing', 'single-line', 'stale', 'transient', 'vertical', 'visible',
  'manages-descendants', 'indeterminate', 'required', 'truncated', 'animated', 'invalid-entry', 'supports-autocompletion',
  'selectable-text', 'is-default', 'visited', 'checkable', 'has-popup', 'read-only',
] as const
export type StateName = (typeof NAMES)[number]

const bits = new Map<string, number>(NAMES.map((name, i) => [name, i]))

/** A node's states as AT-SPI sends them: two words. */
export interface StateWords {
  low: number
  high: number
}

export function hasState(words: StateWords, name: StateName): boolean {
  const bit = bits.get(name) ?? 0
  return bit < 32 ? ((words.low >>> bit) & 1) === 1 : ((words.high >>> (bit - 32)) & 1) === 1
}

/** Sets one state by its event name; false when it is unknown or was so already. */
export function setState(words: StateWords, name: string, on: boolean): boolean {
  const bit = bits.get(name)
  if (bit === undefined) return false
  const word = bit < 32 ? 'low' : 'high'
  const mask = 1 << (bit & 31)
  const next = (on ? words[word] | mask : words[word] & ~mask) >>> 0
  if (next === words[word]) return false
  words[word] = next
  return true
}

const CHECKABLE: ReadonlySet<string> = new Set<Role>(['checkbox', 'radio', 'switch', 'togglebutton', 'menuitemcheckbox', 'menuitemradio'])

/** Chromium says of a field that is only to be read that it is neither enabled nor editable; it takes the focus and clicks all the same. */
const isReadOnly = (words: StateWords): boolean => hasState(words, 'read-only') && hasState(words, 'focusable')

export function toStates(words: StateWords, role: Role, { isPassword = false, isCheckable = false } = {}): States {
  const has = (name: StateName): boolean => hasState(words, name)
  const states: States = { enabled: has('sensitive') || has('enabled') || isReadOnly(words) }
  if (has('focusable') || has('focused')) {
    states.focusable = true
    states.focused = has('focused')
  }
  // Qt does not say which of its cells can be checked, only which are.
  if (CHECKABLE.has(role) || isCheckable || has('checkable') || has('checked')) {
    states.checked = has('indeterminate') ? 'mixed' : has('checked') || (role === 'togglebutton' && has('pressed'))
  }
  // GTK 4 calls its toggle buttons buttons, and does not say of one that is up that it can be down.
  if (role === 'button' && has('pressed')) states.pressed = true
  if (has('selectable') || has('selected')) states.selected = has('selected')
  if (has('expandable') || has('expanded')) states.expanded = has('expanded')
  if (has('editable')) states.editable = !has('read-only')
  else if (role === 'textbox') states.editable = false
  if (isPassword) states.password = true
  if (has('multi-line')) states.multiline = true
  if (WINDOWS.has(role)) states.active = has('active')
  if (has('modal')) states.modal = true
  if (has('required')) states.required = true
  if (has('busy')) states.busy = true
  if (has('is-default')) states.default = true
  return states
}
