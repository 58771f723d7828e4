import { expect, test } from 'vitest'
import { answer } from './embedded.ts'
import type { Item, Screen } from './screen.ts'

const editor: Item = { role: 'window', name: 'notes.txt - Editor', states: {} }
const ask: Item = { role: 'dialog', name: 'Save changes?', states: { modal: true } }
const item = (role: string, name: string, window: Item, more: Partial<Item> = {}): Item => ({
  role,
  name,
  window,
  states: {},
  bounds: { x: 100, y: 50, w: 60, h: 20 },
  ...more,
})
const screen: Screen = {
  windows: [editor],
  items: [
    item('button', 'Save', editor),
    item('button', 'Print', editor, { states: { enabled: false } }),
    item('checkbox', 'Wrap lines', editor, { states: { checked: true } }),
    item('textbox', 'Search', editor, { value: 'invoice', states: { focused: true } }),
    item('textbox', 'Author', editor, { value: '' }),
  ],
  read: [],
  activeTitle: editor.name,
  complete: true,
}
const asking: Screen = {
  ...screen,
  windows: [editor, ask],
  items: [...screen.items, item('label', 'Your changes will be lost.', ask), item('button', 'Discard', ask), item('button', 'Cancel', ask)],
  activeTitle: ask.name,
}
const terminal: Screen = {
  windows: [{ role: 'window', name: 'xterm', states: {} }],
  items: [],
  read: [{ text: 'Total 42', bounds: { x: 10, y: 20, w: 80, h: 12 } }],
  complete: true,
}

test.each([
  ['Which windows are open?', screen, /One window is open: "notes.txt - Editor" \(active\)/],
  ['What has the focus?', screen, /textbox "Search", which holds "invoice"/],
  ['Where is the Save button?', screen, /the button "Save".*at \(130, 60\), 60x20/],
  ['Is the Print button enabled?', screen, /"Print" is disabled/],
  ['Is "Wrap lines" checked?', screen, /"Wrap lines" is checked/],
  ['What does the field Author contain?', screen, /"Author" is empty/],
  ['What buttons are there?', screen, /2 buttons: "Save", "Print"/],
  ['Is there a "Delete" button?', screen, /nothing called "Delete"/],
  ['Is a dialog open?', screen, /No dialog is open/],
  ['What does the dialog ask?', asking, /"Save changes\?" says "Your changes will be lost.", with the buttons "Discard", "Cancel"/],
  ['What is written there?', terminal, /"Total 42"/],
  ['Where is Total 42?', terminal, /at \(50, 26\)/],
  ['Describe what you see on screen', asking, /2 windows.*dialog "Save changes\?"/],
  ['Is the weather nice?', screen, /^I cannot tell that/],
])('%s', (question, on, expected) => {
  expect(answer(question, on)).toMatch(expected)
})

test('what changed is told against the last look, and without one it says so', () => {
  expect(answer('What changed?', asking)).toMatch(/cannot tell what changed/)
  expect(answer('What changed?', asking, screen)).toMatch(/New: the dialog "Save changes\?".*the button "Discard"/)
  expect(answer('What changed?', screen, asking)).toMatch(/^Gone: /)
  expect(answer('What changed?', screen, screen)).toMatch(/^Nothing changed/)
})

test('an absence on a screen that could not be read whole is uncertain', () => {
  expect(answer('Is there a "Delete" button?', { ...screen, complete: false })).toMatch(/cannot tell for certain/)
})
