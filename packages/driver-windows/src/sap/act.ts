import { ComError } from '../com/com.ts'
import type { Scripted } from '../com/dispatch.ts'
import { TOOL } from './entries.ts'

export type SapStep =
  | { do: 'press' | 'focus' | 'expand' | 'collapse' | 'select'; entry?: string }
  | { do: 'setText'; text: string; entry?: string }
  | { do: 'vkey'; key: number }

/** Has a component, or one of its entries, do something. Says which method was called. */
export function actOn(component: Scripted, step: SapStep): string {
  if (step.do === 'vkey') {
    component.get('SendVKey', step.key)
    return `SendVKey ${step.key}`
  }
  if (step.entry !== undefined) return actOnEntry(component, step.entry, step)
  switch (step.do) {
    case 'focus':
      component.get('SetFocus')
      return 'SetFocus'
    case 'press':
      return press(component)
    case 'select':
      component.get('Select')
      return 'Select'
    case 'expand':
    case 'collapse':
      throw incapable(step.do)
    case 'setText':
      component.put('Text', step.text)
      return 'Text'
    default:
      return step satisfies never
  }
}

const E_NOTIMPL = 0x80004001
const incapable = (what: string): ComError => new ComError(what, E_NOTIMPL)

function press(component: Scripted): string {
  switch (component.text('Type')) {
    case 'GuiCheckBox':
      component.put('Selected', !component.truth('Selected'))
      return 'Selected'
    case 'GuiRadioButton':
    case 'GuiTab':
    case 'GuiMenu':
      component.get('Select')
      return 'Select'
    default:
      component.get('Press')
      return 'Press'
  }
}

type EntryStep = Exclude<SapStep, { do: 'vkey' }>

function actOnEntry(component: Scripted, entry: string, step: EntryStep): string {
  const type = component.text('Type')
  if (type === 'GuiComboBox') return choose(step, 'Key', () => component.put('Key', entry))
  if (type === 'GuiTableControl')
    return choose(step, 'Selected', () => component.child('GetAbsoluteRow', Number(entry)).put('Selected', true))
  if (component.maybe((c) => c.text('SubType'), '') === 'Tree') return onNode(component, entry, step)
  if (entry.startsWith(TOOL)) return pressTool(component, entry.slice(TOOL.length), step)
  if (entry.includes(',')) return onCell(component, entry, step)
  return choose(step, 'SelectedRows', () => component.put('SelectedRows', entry))
}

/** An entry that can be chosen and nothing else. */
function choose(step: EntryStep, via: string, run: () => unknown): string {
  if (step.do !== 'press' && step.do !== 'select') throw incapable(step.do)
  run()
  return via
}

function onNode(tree: Scripted, key: string, step: EntryStep): string {
  const via = step.do === 'expand' ? 'ExpandNode' : step.do === 'collapse' ? 'CollapseNode' : 'SelectNode'
  if (step.do === 'setText' || step.do === 'focus') throw incapable(step.do)
  tree.get(via, key)
  return via
}

function pressTool(grid: Scripted, tool: string, step: EntryStep): string {
  if (step.do !== 'press') throw incapable(step.do)
  const count = grid.number('ToolbarButtonCount')
  const at = Array.from({ length: count }, (_, i) => i).find((i) => grid.text('GetToolbarButtonId', i) === tool)
  const hasMenu = at !== undefined && grid.text('GetToolbarButtonType', at) === 'Menu'
  const via = hasMenu ? 'PressToolbarContextButton' : 'PressToolbarButton'
  grid.get(via, tool)
  return via
}

/** A cell of a grid: its row, and the name of its column. */
function onCell(grid: Scripted, cell: string, step: EntryStep): string {
  const [row, column] = [Number(cell.slice(0, cell.indexOf(','))), cell.slice(cell.indexOf(',') + 1)]
  switch (step.do) {
    case 'setText':
      grid.get('ModifyCell', row, column, step.text)
      return 'ModifyCell'
    case 'press':
      grid.get('SetCurrentCell', row, column)
      grid.get('ClickCurrentCell')
      return 'ClickCurrentCell'
    case 'focus':
      grid.get('SetCurrentCell', row, column)
      return 'SetCurrentCell'
    default:
      throw incapable(step.do)
  }
}
