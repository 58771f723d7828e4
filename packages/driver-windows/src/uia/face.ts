import type { Role, States } from '@deskhand/core/model'
import type { Face } from '../node.ts'
import type { UiaElement } from './client.ts'

/** Control types from 50000 on, in the order of their numbers. */
// oxfmt-ignore
const ROLES: readonly Role[] = [
  'button', 'calendar', 'checkbox', 'combobox', 'textbox', 'link', 'image', 'listitem', 'list', 'menu', 'menubar', 'menuitem', 'progressbar',
  'radio', 'scrollbar', 'slider', 'spinbutton', 'statusbar', 'tablist', 'tab', 'label', 'toolbar', 'tooltip', 'tree', 'treeitem', 'unknown',
  'group', 'slider', 'table', 'row', 'document', 'button', 'window', 'panel', 'row', 'columnheader', 'table', 'titlebar', 'separator', 'panel',
  'toolbar',
]
const EXPANDED = { COLLAPSED: 0, LEAF: 3 }

/** What is told of an element, from what UI Automation says of it. */
export function faceOf({ facts, bounds, text, id }: UiaElement): Face & { states: States } {
  const role = roleOf(facts)
  const isEditable = facts.hasValue === true && facts.valueReadOnly !== true && facts.password !== undefined
  const states: States = { enabled: facts.enabled !== false, visible: facts.offscreen !== true && bounds !== undefined }
  if (facts.focusable === true) states.focusable = true
  if (facts.hasFocus === true) states.focused = true
  if (facts.password === true) states.password = true
  if (facts.required === true) states.required = true
  if (facts.modal === true) states.modal = true
  if (role === 'textbox' || role === 'document') states.editable = isEditable
  else if (role === 'combobox') states.editable = isEditable && facts.isSelectable !== true
  if (facts.canToggle === true) states.checked = facts.toggleState === 2 ? 'mixed' : facts.toggleState === 1
  else if (role === 'radio' && typeof facts.selected === 'boolean') states.checked = facts.selected
  if (facts.isSelectable === true && typeof facts.selected === 'boolean') states.selected = facts.selected
  if (facts.canExpand === true && facts.expandState !== EXPANDED.LEAF) states.expanded = facts.expandState !== EXPANDED.COLLAPSED
  const value = valueOf(facts, text)
  const actions = actionsOf(facts)
  return {
    role,
    ...(said(facts.name) && { name: facts.name }),
    ...(value !== undefined && { value }),
    ...(said(facts.help) && { description: facts.help }),
    ...(bounds !== undefined && { bounds }),
    states,
    platformIds: { ...(!id.includes('/') && { runtimeId: id }), ...(said(facts.automationId) && { automationId: facts.automationId }) },
    ...(actions.length > 0 && { actions }),
    ...(said(facts.accessKey) && { shortcuts: [facts.accessKey.toLowerCase().replaceAll(' ', '')] }),
    attributes: attributesOf(facts),
  }
}

type Facts = UiaElement['facts']

const said = (text: Facts[keyof Facts]): text is string => typeof text === 'string' && text !== ''

function roleOf(facts: Facts): Role {
  const role = ROLES[Number(facts.controlType ?? 0) - 50_000] ?? 'unknown'
  if (role === 'button' && facts.canToggle === true) return 'togglebutton'
  if (role === 'listitem' && facts.isSelectable === true) return 'option'
  if (role === 'menuitem' && facts.canToggle === true) return 'menuitemcheckbox'
  if (role === 'row' && facts.isGridItem === true) return 'cell'
  return role
}

function valueOf(facts: Facts, text: string | undefined): string | undefined {
  if (facts.hasRange === true && typeof facts.range === 'number') return String(facts.range)
  return facts.hasValue === true && typeof facts.value === 'string' ? facts.value.replaceAll('\r\n', '\n') : text
}

function actionsOf(facts: Facts): string[] {
  const actions: string[] = []
  if (facts.canInvoke === true || facts.canToggle === true || facts.isSelectable === true) actions.push('press')
  if (facts.isSelectable === true) actions.push('select')
  if (facts.canExpand === true && facts.expandState !== EXPANDED.LEAF) actions.push('expand', 'collapse')
  if (facts.hasValue === true && facts.valueReadOnly !== true) actions.push('setText')
  if (facts.hasRange === true && facts.rangeReadOnly !== true) actions.push('setValue')
  if (facts.canScrollTo === true) actions.push('reveal')
  if (facts.focusable === true) actions.push('focus')
  return actions
}

function attributesOf(facts: Facts): Record<string, string | number | boolean> {
  const found: Record<string, string | number | boolean> = {}
  if (said(facts.className)) found['class'] = facts.className
  const give = (name: string, value: Facts[keyof Facts]): void => void (typeof value === 'number' && (found[name] = value))
  if (facts.hasRange === true)
    for (const [name, value] of [
      ['min', facts.rangeFrom],
      ['max', facts.rangeTo],
    ] as const)
      give(name, value)
  if (facts.isGrid === true)
    for (const [name, value] of [
      ['rows', facts.rows],
      ['columns', facts.columns],
    ] as const)
      give(name, value)
  if (facts.isGridItem === true)
    for (const [name, value] of [
      ['row', facts.row],
      ['column', facts.column],
    ] as const)
      give(name, value)
  if (facts.canScroll === true) give('scrolled', facts.scrolled)
  if (facts.severalSelectable === true) found['multiselectable'] = true
  return found
}
