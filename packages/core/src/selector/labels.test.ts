import { expect, test } from 'vitest'
import { walk } from '../model/index.ts'
import { box, treeOf } from './fixtures/trees.ts'
import { labelOf } from './labels.ts'

const form = treeOf({
  role: 'form',
  ...box(0, 0, 400, 300),
  children: [
    { role: 'label', name: 'Colour', ...box(0, 0, 80, 20) },
    { role: 'combobox', name: 'Green', ...box(120, 0, 200, 20) },
    { role: 'combobox', name: 'Two', ...box(0, 24, 320, 20) },
    { role: 'label', name: 'Done', ...box(0, 74, 40, 20) },
    { role: 'progressbar', ...box(120, 74, 200, 20) },
    { role: 'label', name: 'Bold words', ...box(0, 50, 320, 20) },
    { role: 'label', name: '/', ...box(120, 100, 6, 20) },
    { role: 'spinbutton', name: 'Day', ...box(130, 100, 30, 20) },
    { role: 'label', name: 'Notes', ...box(0, 130, 320, 20) },
    { role: 'textbox', ...box(0, 154, 320, 60) },
    { role: 'label', name: 'Size L', ...box(0, 220, 320, 20), children: [{ role: 'combobox', name: 'L', ...box(40, 220, 60, 20) }] },
    { role: 'combobox', name: 'Fruit', ...box(0, 242, 320, 20) },
  ],
})

test('the text of a choice has the name of the panel around it and its button, one beside other things has not', () => {
  const panel = (...roles: string[]) =>
    treeOf({ role: 'panel', name: 'Font Size', children: [{ role: 'group', children: roles.map((role) => ({ role })) }] })
  const labelIn = (tree: ReturnType<typeof panel>) =>
    labelOf(
      [...walk(tree.roots)].find((n) => n.role === 'textbox')!,
      () => true,
    )?.name
  expect(labelIn(panel('textbox', 'togglebutton'))).toBe('Font Size')
  expect(labelIn(panel('textbox'))).toBeUndefined()
  expect(labelIn(panel('textbox', 'togglebutton', 'table'))).toBeUndefined()
})

test.each([
  { role: 'combobox', name: 'Green', label: 'Colour', why: 'the label in its row' },
  { role: 'combobox', name: 'Two', label: undefined, why: 'the label above it is that of the control beside it' },
  { role: 'progressbar', name: undefined, label: 'Done', why: 'the label in its row, and not a nearer text above' },
  { role: 'spinbutton', name: 'Day', label: undefined, why: 'what has no words is no label' },
  { role: 'textbox', name: undefined, label: 'Notes', why: 'the label above it' },
  { role: 'combobox', name: 'Fruit', label: undefined, why: 'the label above it is around another control' },
])('$role $name has the label $label: $why', ({ role, name, label }) => {
  const control = [...walk(form.roots)].find((n) => n.role === role && n.name === name)
  expect(control && labelOf(control, () => true)?.name).toBe(label)
})
