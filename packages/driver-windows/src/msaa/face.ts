import type { Role, States } from '@deskhand/core/model'
import type { Face } from '../node.ts'
import type { MsaaElement } from './client.ts'

/** Roles by their numbers, which begin with 1. */
// oxfmt-ignore
const ROLES: readonly Role[] = [
  'titlebar', 'menubar', 'scrollbar', 'unknown', 'unknown', 'unknown', 'unknown', 'tooltip', 'window', 'panel', 'menu', 'menuitem', 'tooltip',
  'panel', 'document', 'panel', 'panel', 'dialog', 'panel', 'group', 'separator', 'toolbar', 'statusbar', 'table', 'columnheader', 'row', 'panel',
  'row', 'cell', 'link', 'tooltip', 'panel', 'list', 'option', 'tree', 'treeitem', 'tab', 'panel', 'panel', 'image', 'label', 'textbox', 'button',
  'checkbox', 'radio', 'combobox', 'combobox', 'progressbar', 'slider', 'textbox', 'slider', 'spinbutton', 'image', 'image', 'button', 'button',
  'button', 'button', 'panel', 'tablist', 'label', 'button',
]
const STATE = { UNAVAILABLE: 1, SELECTED: 2, FOCUSED: 4, PRESSED: 8, CHECKED: 0x10, MIXED: 0x20, READ_ONLY: 0x40, EXPANDED: 0x200 }
const MORE = { COLLAPSED: 0x400, BUSY: 0x800, INVISIBLE: 0x8000, OFFSCREEN: 0x10000, FOCUSABLE: 0x100000, SELECTABLE: 0x200000 }
const PROTECTED = 0x20000000
const CHECKS: ReadonlySet<Role> = new Set(['checkbox', 'radio', 'togglebutton'])
const TEXTS: ReadonlySet<Role> = new Set(['textbox', 'combobox', 'spinbutton'])

/** What is told of an element, from what MSAA says of it. */
export function msaaFace({ role: number, state, name, value, description, action, bounds }: MsaaElement): Face & { states: States } {
  const role = ROLES[number - 1] ?? 'unknown'
  const is = (flag: number): boolean => (state & flag) !== 0
  const isText = TEXTS.has(role)
  const states: States = {
    enabled: !is(STATE.UNAVAILABLE),
    visible: !is(MORE.INVISIBLE) && !is(MORE.OFFSCREEN) && bounds !== undefined,
    ...(is(MORE.FOCUSABLE) && { focusable: true }),
    ...(is(STATE.FOCUSED) && { focused: true }),
    ...(is(MORE.BUSY) && { busy: true }),
    ...(is(PROTECTED) && { password: true }),
    ...(isText && { editable: !is(STATE.READ_ONLY) }),
    ...(CHECKS.has(role) && { checked: is(STATE.MIXED) ? ('mixed' as const) : is(STATE.CHECKED) }),
    ...(is(MORE.SELECTABLE) && { selected: is(STATE.SELECTED) }),
    ...((is(STATE.EXPANDED) || is(MORE.COLLAPSED)) && { expanded: is(STATE.EXPANDED) }),
  }
  const actions = [
    ...(action === '' ? [] : ['press']),
    ...(is(MORE.SELECTABLE) ? ['select'] : []),
    ...(is(MORE.FOCUSABLE) ? ['focus'] : []),
    ...(isText && !is(STATE.READ_ONLY) ? ['setText'] : []),
  ]
  return {
    role,
    ...(name !== '' && { name }),
    ...((isText || value !== '') && !is(PROTECTED) && { value: value.replaceAll('\r\n', '\n') }),
    ...(description !== '' && { description }),
    ...(bounds !== undefined && { bounds }),
    states,
    ...(actions.length > 0 && { actions }),
  }
}
