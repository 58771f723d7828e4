import type { Rect, Role, States } from '@deskhand/core/model'
import type { Scripted } from '../com/dispatch.ts'

/** A component of SAP GUI, or an entry of one that has entries instead of components. */
export interface SapElement {
  /** As scripts write it, from the session on: `wnd[0]/usr/txtVBELN`. */
  id: string
  /** Which of the elements before it holds it; -1 for a window. */
  parent: number
  /** Of an entry: what its component calls it. */
  entry?: string
  role: Role
  name?: string
  value?: string
  description?: string
  bounds?: Rect
  states: States
  actions: string[]
  type: string
  /** Rows that a grid has beside those that it shows. */
  rowsNotLoaded?: number
}

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
const CONTAINERS: ReadonlySet<string> = new Set(['GuiMainWindow', 'GuiModalWindow', 'GuiUserArea', 'GuiTabStrip', 'GuiToolbar'])
const LEAVES: ReadonlySet<string> = new Set([...FIELDS, 'GuiButton', 'GuiLabel', 'GuiCheckBox', 'GuiRadioButton', 'GuiComboBox'])
const MOST = 3000

/** A component and everything in it. */
export function readComponent(window: Scripted, session: string): SapElement[] {
  const elements: SapElement[] = []
  const add = (component: Scripted, parent: number): void => {
    if (elements.length >= MOST) return
    const found = describe(component, parent, session)
    const at = elements.push(found) - 1
    elements.push(...entriesOf(component, found, at))
    if (isContainer(component, found.type)) for (const child of all(component)) add(child, at)
    if (parent >= 0) component.free()
  }
  add(window, -1)
  return elements
}

/** The children of a component. */
export function all(parent: Scripted): Scripted[] {
  const children = parent.child('Children').as('collection')
  const found = Array.from({ length: children.number('Count') }, (_, i) => children.child('ElementAt', i))
  children.free()
  return found
}

/** Most types are known; only others are asked. */
const isContainer = (component: Scripted, type: string): boolean =>
  CONTAINERS.has(type) || (!LEAVES.has(type) && component.maybe((c) => c.truth('ContainerType'), false))

function describe(component: Scripted, parent: number, session: string): SapElement {
  const type = component.text('Type')
  component.as(type)
  const id = component.text('Id').replace(`${session}/`, '')
  const subType = type === 'GuiShell' ? component.maybe((c) => c.text('SubType'), '') : ''
  const role = subType === 'GridView' ? 'table' : subType === 'Tree' ? 'tree' : (ROLES[type] ?? 'group')
  const isPassword = type === 'GuiPasswordField'
  const isField = FIELDS.has(type)
  const text = isPassword ? '' : component.maybe((c) => c.text('Text'), '')
  const label = component.maybe((c) => c.text('Tooltip'), '')
  const states: States = { visible: true }
  if (isField || PRESSED.has(type) || type === 'GuiComboBox') states.enabled = component.maybe((c) => c.truth('Changeable'), true)
  if (isField) states.editable = states.enabled
  if (isPassword) states.password = true
  if (isField && component.maybe((c) => c.truth('Required'), false)) states.required = true
  if (role === 'checkbox' || role === 'radio') states.checked = component.maybe((c) => c.truth('Selected'), false)
  if (type === 'GuiModalWindow') states.modal = true
  const actions = isField ? ['setText', 'focus'] : PRESSED.has(type) ? ['press', 'focus'] : []
  if (role === 'tab' || role === 'radio') actions.push('select')
  const name = (isField || role === 'combobox' ? label : text || label) || (id.split('/').at(-1) ?? '')
  const value = role === 'combobox' ? component.maybe((c) => c.text('Value'), '') : isField && !isPassword ? text : undefined
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
    ...(subType === 'GridView' && { rowsNotLoaded: Math.max(0, component.number('RowCount') - component.number('VisibleRowCount')) }),
  }
}

function placeOf(component: Scripted): Rect | undefined {
  const [x, y, w, h] = ['ScreenLeft', 'ScreenTop', 'Width', 'Height'].map((name) => component.maybe((c) => c.number(name), 0)) as [
    number,
    number,
    number,
    number,
  ]
  return w > 0 && h > 0 ? { x, y, w, h } : undefined
}

/** What is chosen from and is no component: entries of drop-down lists, rows of grids that are shown, nodes of trees. */
function entriesOf(component: Scripted, { id, role, type }: SapElement, parent: number): SapElement[] {
  const entry = (key: string, kind: Role, name: string, selected: boolean): SapElement => ({
    id: `${id}#${key}`,
    parent,
    entry: key,
    role: kind,
    name,
    type: 'entry',
    states: { visible: true, selected },
    actions: ['select'],
  })
  if (role === 'combobox') {
    const current = component.maybe((c) => c.text('Key'), '')
    const entries = component.child('Entries').as('collection')
    return Array.from({ length: entries.number('Count') }, (_, i) => {
      const one = entries.child('ElementAt', i).as('entry')
      const key = one.text('Key')
      return entry(key, 'option', one.text('Value') || key, key === current)
    })
  }
  if (role === 'tree') {
    const current = component.maybe((c) => c.text('SelectedNode'), '')
    return texts(component.child('GetAllNodeKeys')).map((key) =>
      entry(key, 'treeitem', component.text('GetNodeTextByKey', key), key === current),
    )
  }
  return role === 'table' && type === 'GuiShell' ? rowsOf(component, entry) : []
}

function rowsOf(grid: Scripted, entry: (key: string, kind: Role, name: string, selected: boolean) => SapElement): SapElement[] {
  const columns = texts(grid.child('ColumnOrder'))
  const [first, shown, count] = [grid.number('FirstVisibleRow'), grid.number('VisibleRowCount'), grid.number('RowCount')]
  const selected = new Set(grid.maybe((g) => g.text('SelectedRows'), '').split(','))
  return Array.from({ length: Math.max(0, Math.min(shown, count - first)) }, (_, i) => {
    const row = String(first + i)
    const cells = columns.map((column) => `${column}: ${grid.text('GetCellValue', first + i, column)}`)
    return entry(row, 'row', cells.join(', '), selected.has(row))
  })
}

/** A collection of texts. */
function texts(collection: Scripted): string[] {
  collection.as('collection')
  const found = Array.from({ length: collection.number('Count') }, (_, i) => collection.text('ElementAt', i))
  collection.free()
  return found
}
