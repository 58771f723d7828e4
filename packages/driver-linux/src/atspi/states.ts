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

export function toStates(words: StateWords, role: Role, isPassword: boolean): States {
  const has = (name: StateName): boolean => hasState(words, name)
  const states: States = { enabled: has('sensitive') || has('enabled') }
  if (has('focusable') || has('focused')) {
    states.focusable = true
    states.focused = has('focused')
  }
  if (CHECKABLE.has(role) || has('checkable')) {
    states.checked = has('indeterminate') ? 'mixed' : has('checked') || (role === 'togglebutton' && has('pressed'))
  }
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
