import type { Role, States } from '@deskhand/core/model'
import type { Scripted } from '../com/dispatch.ts'
import type { SapElement } from './element.ts'
import { type Component, items, texts } from './told.ts'

/** What is chosen from or pressed and is no component, and what is in it. */
export interface Entry {
  element: Omit<SapElement, 'parent'>
  inside?: Entry[]
  /** Components that are shown as its cells. */
  cells?: { component: Component; place: Record<string, string | number> }[]
}

interface Entries {
  entries: Entry[]
  /** What the component is told to be beside its facts. */
  attributes?: Record<string, number>
}

/** Before the name of a tool of a grid, among the names of its rows and cells. */
export const TOOL = 'tool:'

/** Entries of drop-down lists; nodes of trees; rows that are shown of grids and table controls, with their cells; tools of grids. */
export function entriesOf(component: Component, id: string): Entries {
  if (component.type === 'GuiComboBox') return { entries: choices(component.live(), id) }
  if (component.type === 'GuiTableControl') return tableRows(component, id)
  switch (component.text('SubType')) {
    case 'Tree':
      return { entries: nodes(component.live(), id) }
    case 'GridView':
      return grid(component.live(), id)
    default:
      return { entries: [] }
  }
}

function entry(id: string, key: string, role: Role, name: string, more: Partial<SapElement> & { states?: States } = {}): Entry['element'] {
  return {
    id: `${id}#${key}`,
    entry: key,
    role,
    name,
    type: 'entry',
    actions: ['select'],
    ...more,
    states: { visible: true, ...more.states },
  }
}

function choices(list: Scripted, id: string): Entry[] {
  const current = list.maybe((c) => c.text('Key'), '')
  return items(list.child('Entries')).map((one) => {
    const key = one.as('entry').text('Key')
    return { element: entry(id, key, 'option', one.text('Value') || key, { states: { selected: key === current } }) }
  })
}

function nodes(tree: Scripted, id: string): Entry[] {
  const current = tree.maybe((c) => c.text('SelectedNode'), '')
  return texts(tree.child('GetAllNodeKeys')).map((key) => ({
    element: entry(id, key, 'treeitem', tree.text('GetNodeTextByKey', key), {
      states: { selected: key === current },
      actions: ['select', 'expand', 'collapse'],
    }),
  }))
}

function grid(view: Scripted, id: string): Entries {
  const columns = texts(view.child('ColumnOrder'))
  const titles = columns.map((column) => view.maybe((g) => g.text('GetDisplayedColumnTitle', column), '') || column)
  const [first, shown, count] = [view.number('FirstVisibleRow'), view.number('VisibleRowCount'), view.number('RowCount')]
  const selected = new Set(view.maybe((g) => g.text('SelectedRows'), '').split(','))
  const rows = Array.from({ length: Math.max(0, Math.min(shown, count - first)) }, (_, i): Entry => {
    const row = first + i
    const values = columns.map((column) => view.text('GetCellValue', row, column))
    return {
      element: entry(id, String(row), 'row', columns.map((column, at) => `${column}: ${values[at] ?? ''}`).join(', '), {
        states: { selected: selected.has(String(row)) },
      }),
      inside: columns.map((column, at) => ({
        element: gridCell(view, id, { row, column, at, header: titles[at] ?? column, value: values[at] ?? '' }),
      })),
    }
  })
  return { entries: [...tools(view, id), ...rows], attributes: { rowsNotLoaded: Math.max(0, count - rows.length) } }
}

interface GridCell {
  row: number
  column: string
  at: number
  header: string
  value: string
}

function gridCell(view: Scripted, id: string, { row, column, at, header, value }: GridCell): Entry['element'] {
  const editable = view.maybe((g) => g.truth('GetCellChangeable', row, column), false)
  return entry(id, `${row},${column}`, 'cell', value, {
    value,
    states: { editable },
    actions: editable ? ['press', 'focus', 'setText'] : ['press', 'focus'],
    attributes: { row, column: at, header },
  })
}

/** A grid has its tools above its rows; they are no components. */
function tools(view: Scripted, id: string): Entry[] {
  const count = view.maybe((g) => g.number('ToolbarButtonCount'), 0)
  const found = Array.from({ length: count }, (_, at): Entry[] => {
    const kind = view.text('GetToolbarButtonType', at)
    if (kind === 'Separator' || kind === 'Group') return []
    const name = view.text('GetToolbarButtonText', at) || view.text('GetToolbarButtonTooltip', at)
    const states: States = { enabled: view.truth('GetToolbarButtonEnabled', at) }
    if (kind === 'CheckBox') states.checked = view.truth('GetToolbarButtonChecked', at)
    const role = kind === 'CheckBox' ? 'togglebutton' : 'button'
    return [{ element: entry(id, `${TOOL}${view.text('GetToolbarButtonId', at)}`, role, name, { states, actions: ['press'] }) }]
  })
  if (count === 0) return []
  return [{ element: entry(id, TOOL, 'toolbar', '', { actions: [] }), inside: found.flat() }]
}

/** The rows of a table control that are shown. Its cells are components, with their column and row at the end of their ids. */
function tableRows(component: Component, id: string): Entries {
  const table = component.live()
  const titles = items(table.child('Columns')).map((column) => column.as('column').maybe((c) => c.text('Title'), ''))
  const first = table.maybe((t) => t.child('VerticalScrollbar').as('scrollbar').number('Position'), 0)
  const rows = new Map<number, NonNullable<Entry['cells']>>()
  for (const cell of component.children()) {
    const [, column, row] = /\[(\d+),(\d+)\]$/.exec(cell.text('Id')) ?? []
    if (row === undefined) continue
    const place = { row: first + Number(row), column: Number(column), header: titles[Number(column)] ?? '' }
    rows.set(Number(row), [...(rows.get(Number(row)) ?? []), { component: cell, place }])
  }
  const marked = items(table.child('Rows'))
  const entries = [...rows].map(([row, cells]): Entry => {
    const name = cells
      .map(({ component: cell }) => (cell.type === 'GuiPasswordField' ? '' : cell.text('Text')))
      .filter((text) => text !== '')
    const selected = marked[row]?.as('table row').maybe((r) => r.truth('Selected'), false) ?? false
    return { element: entry(id, String(first + row), 'row', name.join(', '), { states: { selected } }), cells }
  })
  const notLoaded = Math.max(0, table.maybe((t) => t.number('RowCount'), 0) - entries.length)
  return { entries, attributes: { rowsNotLoaded: notLoaded } }
}
