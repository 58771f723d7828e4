import type { Rect, Role, States } from '@deskhand/core/model'
import type { SapElement } from './element.ts'
import { entriesOf, type Entry } from './entries.ts'
import type { Component } from './told.ts'

const ROLES: Readonly<Record<string, Role>> = {
  GuiMainWindow: 'window',
  GuiModalWindow: 'dialog',
  GuiFrameWindow: 'window',
  GuiMessageWindow: 'dialog',
  GuiMenubar: 'menubar',
  GuiMenu: 'menuitem',
  GuiToolbar: 'toolbar',
  GuiTitlebar: 'titlebar',
  GuiButton: 'button',
  GuiTextField: 'textbox',
  GuiCTextField: 'textbox',
  GuiOkCodeField: 'textbox',
  GuiPasswordField: 'textbox',
  GuiTextedit: 'textbox',
  GuiLabel: 'label',
  GuiCheckBox: 'checkbox',
  GuiRadioButton: 'radio',
  GuiComboBox: 'combobox',
  GuiTabStrip: 'tablist',
  GuiTab: 'tab',
  GuiTableControl: 'table',
  GuiStatusbar: 'statusbar',
  GuiStatusPane: 'label',
  GuiBox: 'group',
  GuiUserArea: 'panel',
}
const FIELDS: ReadonlySet<string> = new Set(['GuiTextField', 'GuiCTextField', 'GuiOkCodeField', 'GuiPasswordField', 'GuiTextedit'])
const PRESSED: ReadonlySet<string> = new Set(['GuiButton', 'GuiCheckBox', 'GuiRadioButton', 'GuiMenu', 'GuiTab'])
const MOST = 3000

/** A window and everything in it, parents first. */
export function readComponent(window: Component, session: string): SapElement[] {
  const elements: SapElement[] = []
  const add = (component: Component, parent: number, place?: SapElement['attributes']): void => {
    if (elements.length >= MOST) return
    const found = describe(component, parent, session)
    const at = elements.push(found) - 1
    const { entries, attributes } = entriesOf(component, found.id)
    if (attributes !== undefined || place !== undefined) found.attributes = { ...attributes, ...place }
    for (const entry of entries) addEntry(entry, at)
    // The cells of a table control are in its rows.
    if (component.type !== 'GuiTableControl') for (const child of component.children()) add(child, at)
    if (parent >= 0) component.free()
  }
  const addEntry = ({ element, inside = [], cells = [] }: Entry, parent: number): void => {
    const at = elements.push({ ...element, parent }) - 1
    for (const entry of inside) addEntry(entry, at)
    for (const { component, place } of cells) add(component, at, place)
  }
  add(window, -1)
  return elements
}

function describe(component: Component, parent: number, session: string): SapElement {
  const { type } = component
  const id = component.text('Id').replace(`${session}/`, '')
  const subType = component.text('SubType')
  const role = subType === 'GridView' ? 'table' : subType === 'Tree' ? 'tree' : (ROLES[type] ?? 'group')
  const isPassword = type === 'GuiPasswordField'
  const isField = FIELDS.has(type)
  const text = isPassword ? '' : component.text('Text')
  const label = component.text('Tooltip')
  const states: States = { visible: true }
  if (isField || PRESSED.has(type) || type === 'GuiComboBox') states.enabled = component.truth('Changeable', true)
  if (isField) states.editable = states.enabled
  if (isPassword) states.password = true
  if (isField && component.truth('Required', false)) states.required = true
  if (role === 'checkbox' || role === 'radio') states.checked = component.truth('Selected', false)
  if (type === 'GuiModalWindow') states.modal = true
  const actions = isField ? ['setText', 'focus'] : PRESSED.has(type) ? ['press', 'focus'] : []
  if (role === 'tab' || role === 'radio') actions.push('select')
  const name = (isField || role === 'combobox' ? label : text || label) || (id.split('/').at(-1) ?? '')
  const value = role === 'combobox' ? component.text('Value') : isField && !isPassword ? text : undefined
  const bounds = placeOf(component)
  return {
    id,
    parent,
    role,
    type,
    states,
    actions,
    ...(name !== '' && { name }),
    ...(value !== undefined && { value }),
    ...(label !== '' && label !== name && { description: label }),
    ...(bounds !== undefined && { bounds }),
  }
}

function placeOf(component: Component): Rect | undefined {
  const [x, y, w, h] = (['ScreenLeft', 'ScreenTop', 'Width', 'Height'] as const).map((fact) => component.number(fact)) as [
    number,
    number,
    number,
    number,
  ]
  return w > 0 && h > 0 ? { x, y, w, h } : undefined
}
