import fc from 'fast-check'
import { expect, test } from 'vitest'
import { walk, type UiNode, type UiTree } from '../../model/index.ts'
import { trees } from '../../selector/fixtures/arbitraries.ts'
import { recorded, treeOf, type Spec } from '../../selector/fixtures/trees.ts'
import type { NodeIds } from './caller-ids.ts'
import { changesSince, toldOf, type ChangeOptions, type Told } from './changes.ts'
import { tokens } from './tokens.ts'

const id = (node: UiNode): string => `e${node.key.slice(1)}`
const idsOf = ({ roots }: UiTree): Map<string, string> => new Map([...walk(roots)].map((n) => [n.key, id(n)]))
const told = (tree: UiTree): Told => toldOf(tree.roots, idsOf(tree))
const since = (before: Told, tree: UiTree, options: Partial<ChangeOptions> = {}, ids: Partial<NodeIds> = {}) => {
  const there = new Set([...walk(tree.roots)].map((n) => n.key))
  return changesSince(before, tree.roots, { id, isThere: (key) => there.has(key), ...ids }, { budget: 250, ...options })
}
const nodeOf = (tree: UiTree, key: string): UiNode => [...walk(tree.roots)].find((n) => n.key === key)!

test('what came, changed and went is told in few tokens', () => {
  const tree = recorded('mousepad')
  const before = told(tree)
  expect(since(before, tree).text).toBe('')
  nodeOf(tree, 'n329').value = 'needle'
  const dialog = nodeOf(tree, 'n322')
  const alert = treeOf({ role: 'alert', name: 'Not found', children: [{ role: 'button', name: 'OK', key: 'n901' }], key: 'n900' }).roots[0]!
  dialog.children = [...dialog.children, { ...alert, parent: dialog }]
  nodeOf(tree, 'n358').states = { visible: false }
  const after = since(before, tree)
  expect(after.text).toBe(`now e329 textbox at 869,437 value "needle"
new in e322 dialog:
e900 alert "Not found"
  e901 button "OK"
gone: e358 button "Close"`)
  expect(after.counts).toEqual({ added: 2, changed: 1, gone: 1 })
  expect(since(after.told, tree).text).toBe('')
})

test('a window that opens comes first with what can be operated in it, one that closes is named once', () => {
  const main: Spec = { role: 'window', name: 'Main', key: 'n1', children: [{ role: 'label', name: 'old', key: 'n2' }] }
  const before = told(treeOf(main, { role: 'dialog', name: 'Old', key: 'n8', children: [{ role: 'button', name: 'x', key: 'n9' }] }))
  const dialog: Spec = {
    role: 'dialog',
    name: 'Save As',
    key: 'n3',
    states: { modal: true },
    children: [
      { role: 'textbox', name: 'Name', key: 'n4', states: { focused: true, editable: true } },
      { role: 'button', name: 'Save', key: 'n5' },
    ],
  }
  const now = treeOf({ ...main, children: [{ role: 'label', name: 'new', key: 'n2' }] }, dialog)
  const { text, opened } = since(before, now)
  expect(text).toBe(`opened:
e3 dialog "Save As" app "Invoices" modal
  e4 textbox "Name" focused
  e5 button "Save"
closed e8 dialog "Old" app "Invoices"
now e2 label "new"`)
  expect(opened.map(id)).toEqual(['e3'])
})

test('a modal dialog that opens with a window comes before it', () => {
  const buttons = Array.from({ length: 60 }, (_, i): Spec => ({ role: 'checkbox', name: `Choice number ${i}`, key: `n${100 + i}` }))
  const now = treeOf(
    { role: 'window', name: 'Main', key: 'n1', children: buttons },
    { role: 'dialog', name: 'Welcome', key: 'n2', states: { modal: true }, children: [{ role: 'button', name: 'Begin', key: 'n3' }] },
  )
  expect(since(new Map(), now).text).toMatch(
    /^opened:\ne2 dialog "Welcome" app "Invoices" modal\n {2}e3 button "Begin"\nopened:\ne1 window "Main"/,
  )
})

test('a moved focus alone is no change, and a word in a name is no focus', () => {
  const form = (focused: boolean, name = 'One') =>
    treeOf({ role: 'window', name: 'W', key: 'n1', children: [{ role: 'textbox', name, key: 'n2', states: { focused } }] })
  expect(since(told(form(false)), form(true)).counts).toEqual({ added: 0, changed: 0, gone: 0 })
  expect(since(told(form(false, 'One')), form(false, 'One focused')).counts.changed).toBe(1)
})

test('another page is told as one that opens, not element by element', () => {
  const page = (name: string, key: string) =>
    treeOf({
      role: 'window',
      name: 'Browser',
      key: 'n1',
      children: [{ role: 'document', name, key: 'n2', children: [{ role: 'link', name: `to ${name}`, key }] }],
    })
  const { text, counts } = since(told(page('Home', 'n3')), page('Cart', 'n4'))
  expect(text).toMatch(/^opened:\ne2 document "Cart"\n {2}e4 link "to Cart"\n/)
  expect(counts).toMatchObject({ added: 2, changed: 0 })
})

test('a modal dialog inside a page hides the rest without a word, and its end brings back only what is different', () => {
  const page = (states: Spec['states'], extra: Spec[] = []) =>
    treeOf({
      role: 'window',
      name: 'Browser',
      key: 'n1',
      children: [{ role: 'button', name: 'Delete', key: 'n2', states }, { role: 'button', name: 'Keep', key: 'n3', states }, ...extra],
    })
  const ask: Spec = {
    role: 'dialog',
    name: 'Sure?',
    key: 'n4',
    states: { modal: true },
    children: [{ role: 'button', name: 'OK', key: 'n5' }],
  }
  const opened = since(told(page({})), page({ visible: false }, [ask]))
  expect(opened.text).toBe('opened:\ne4 dialog "Sure?" modal\n  e5 button "OK"')
  expect(since(opened.told, page({})).text).toBe('closed e4 dialog "Sure?" modal')
})

test('what can be operated comes before what only says something, and what was left out is counted', () => {
  const labels = Array.from({ length: 40 }, (_, i): Spec => ({ role: 'label', name: `line number ${i} of a long log`, key: `n${100 + i}` }))
  const window = (children: Spec[]) => treeOf({ role: 'window', name: 'W', key: 'n1', children })
  const known: Spec = { role: 'button', name: 'Go', key: 'n50' }
  const list = (children: Spec[]): Spec => ({ role: 'list', name: 'Log', key: 'n60', children })
  const before = told(window([list(labels), known]))
  const changed = labels.map((one): Spec => ({ ...one, name: `${one.name}, again` }))
  const { text } = since(before, window([list(changed), { ...known, states: { enabled: false } }]))
  expect(text).toMatch(/^now disabled: e50 button "Go"\nnow e100 label/)
  expect(text).toMatch(/… \d+ more changes; ui.snapshot shows them$/)
  expect(tokens(text)).toBeLessThanOrEqual(250)
})

test('whatever changes: no more than the budget, no secrets, and nothing twice', () => {
  fc.assert(
    fc.property(trees, trees, fc.integer({ min: 100, max: 1000 }), (old, tree, budget) => {
      for (const node of walk(tree.roots)) if (node.states?.password) node.value = 'hunter2'
      const first = since(told(old), tree, { budget })
      expect(tokens(first.text)).toBeLessThanOrEqual(budget)
      expect(first.text).not.toContain('hunter2')
      expect(since(first.told, tree, { budget }).text).toBe('')
    }),
  )
})

test('what a later look tells shares what did not change', () => {
  const tree = recorded('mousepad')
  const first = told(tree)
  const second = toldOf(tree.roots, idsOf(tree), false, first)
  for (const [root, lines] of second) for (const [key, line] of lines) expect(line).toBe(first.get(root)?.get(key))
})

test('an entry that went elsewhere in its list is not gone, and a cell that was emptied is told as empty', () => {
  const sheet = (...values: string[]): UiTree =>
    treeOf({
      role: 'window',
      name: 'Main',
      key: 'n1',
      children: [
        {
          role: 'table',
          key: 'n2',
          children: values.map((value, i) => ({
            role: 'cell' as const,
            name: `A${i + 1}`,
            value,
            key: `n${i + 3}`,
            states: { editable: true },
            attributes: { row: i, column: 0 },
          })),
        },
      ],
    })
  const before = told(sheet('Rent', 'Train', ''))
  const inserted = sheet('', 'Rent', 'Train')
  const places = new Map([
    ['e3', 'n4'],
    ['e4', 'n5'],
  ])
  const ids = (node: UiNode): string => [...places].find(([, key]) => key === node.key)?.[0] ?? id(node)
  const known = (one: string): UiNode => nodeOf(inserted, places.get(one) ?? '')
  expect(since(before, inserted, {}, { id: ids, known })).toMatchObject({
    text: 'now e3 cell "A2" value "Rent"\nnew in e2 table:\ne4 cell "A3" value "Train"',
    counts: { gone: 0 },
  })
  const emptied = sheet('Rent', '', '')
  expect(since(before, emptied, {}, { known: (one) => nodeOf(emptied, `n${one.slice(1)}`) })).toMatchObject({
    text: 'now e4 cell "A2" empty',
    counts: { changed: 1, gone: 0 },
  })
})

test('a cell that is empty and loses the keyboard is no change, nor is the empty one that gets it', () => {
  const sheet = (at: number): UiTree =>
    treeOf({
      role: 'table',
      key: 'n2',
      children: [0, 1].map((row) => ({
        role: 'cell' as const,
        name: `A${row + 1}`,
        value: '',
        key: `n${row + 3}`,
        states: { editable: true, focused: row === at },
        attributes: { row, column: 0 },
      })),
    })
  const now = sheet(1)
  const { text, counts } = since(told(sheet(0)), now, {}, { known: (one) => nodeOf(now, `n${one.slice(1)}`) })
  expect(text).toBe('')
  expect(counts).toEqual({ added: 0, changed: 0, gone: 0 })
})

test('a tool that its bar has no room for is not gone, and one that it had no room for is not new', () => {
  const bar = (enabled: boolean): UiTree =>
    treeOf({
      role: 'window',
      name: 'W',
      key: 'n1',
      children: [
        {
          role: 'toolbar',
          name: 'Standard',
          key: 'n2',
          children: Array.from({ length: 14 }, (_, i): Spec => ({
            role: 'button',
            name: `Tool ${i}`,
            key: `n${10 + i}`,
            states: { enabled: enabled || i > 0 },
          })),
        },
      ],
    })
  const inBar = (tree: UiTree): Partial<NodeIds> => ({ known: (one) => nodeOf(tree, `n${one.slice(1)}`) })
  const [off, on] = [bar(false), bar(true)]
  expect(since(told(off), on, {}, inBar(on)).text).toBe('in view in e2 toolbar:\ne10 button "Tool 0"')
  expect(since(told(on), off, {}, inBar(off)).text).toMatch(/^now disabled: e10 button "Tool 0"$/m)
  expect(since(told(on), off, {}, inBar(off)).text).not.toContain('gone')
})

test('what can be operated again is told as that, a few by name in one line', () => {
  const form = (enabled: boolean) =>
    treeOf({
      role: 'window',
      name: 'W',
      key: 'n1',
      children: [2, 3].map((n) => ({ role: 'button', name: `B${n}`, key: `n${n}`, states: { enabled } })),
    })
  expect(since(told(form(false)), form(true)).text).toBe('now enabled: e2 button "B2", e3 button "B3"')
})

test('what a browser counts in the name of its tab is no change, another title is', () => {
  const tab = (name: string) => treeOf({ role: 'window', name: 'W', key: 'n1', children: [{ role: 'tab', name, key: 'n2' }] })
  const before = told(tab('Cart - Memory usage - 23.7 MB'))
  expect(since(before, tab('Cart - Memory usage - 24 MB')).text).toBe('')
  expect(since(before, tab('Paid - Memory usage - 24 MB')).text).toContain('now e2 tab "Paid')
})

test('a page that takes the place of another opens, and the old one closes in a line', () => {
  const page = (key: string, children: Spec[], name: string) =>
    treeOf({ role: 'window', name: 'Browser', key: 'n1', children: [{ role: 'document', name, key, children }] })
  const form = page('n2', [{ role: 'textbox', name: 'Mail', key: 'n3' }], 'Form')
  const saved = page('n4', [{ role: 'heading', name: 'Saved', key: 'n5' }], 'Saved')
  expect(since(told(form), saved).text).toBe('opened:\ne4 document "Saved"\nclosed e2 document "Form"')
})

test('a text in pixels that is taken for something else now is no change, but another text is', () => {
  const window = (children: Spec[]) => treeOf({ role: 'window', name: 'Stock', key: 'n1', children })
  const seen = (role: Spec['role'], name: string, key: string, confidence = 0.6): Spec => ({
    role,
    name,
    key,
    attributes: { source: 'ocr', confidence },
  })
  const row: Spec = { ...seen('row', '', 'n2'), children: [seen('cell', 'Lamps', 'n3'), seen('cell', '72', 'n4')] }
  const before = told(window([row]))
  expect(since(before, window([seen('label', 'Lamps', 'n3', 1), seen('label', '72', 'n4', 1)])).text).toBe('')
  expect(since(before, window([seen('label', 'Lamps', 'n3', 1), seen('label', '75', 'n5', 1)])).text).toBe(
    'new in e1 window:\ne5 seen label "75"\ngone: e4 seen cell "72" 60% sure',
  )
})

test('what was made out in pixels is not gone while nobody reads its place anew, nor told again, and what could not be operated goes unsaid', () => {
  const text = (n: number, name: string): Spec => ({
    role: 'label',
    name,
    key: `pixels:n2:${n}`,
    attributes: { source: 'ocr', confidence: 1 },
  })
  const area = (children: Spec[]): Spec => ({
    role: 'canvas',
    key: 'n2',
    attributes: { unread: 'area' },
    bounds: { x: 0, y: 0, w: 9, h: 9 },
    children,
  })
  const button = { role: 'button', name: 'Redo', key: 'n3', states: { enabled: false } } as const
  const window = (...children: Spec[]) => treeOf({ role: 'window', name: 'Files', key: 'n1', children })
  const before = told(window(area([text(1, 'a.txt'), text(2, 'b.txt')]), button))
  const unread = since(before, window(area([])))
  expect(unread).toMatchObject({ text: '', counts: { added: 0, changed: 0, gone: 0 } })
  expect(since(unread.told, window(area([text(1, 'a.txt')]))).text).toMatch(/^gone: \S+ seen label "b.txt"$/)
})

test('what is on the page of a tab that another one was chosen instead of is not gone', () => {
  const page = (name: string, n: number, selected: boolean): Spec => ({
    role: 'tab',
    name,
    key: `n${n}`,
    states: { selected },
    children: [{ role: 'checkbox', name: `On ${name}`, key: `n${n + 1}`, states: { visible: selected, checked: false } }],
  })
  const dialog = (chosen: string) =>
    treeOf({
      role: 'dialog',
      name: 'Settings',
      key: 'n1',
      children: [page('View', 2, chosen === 'View'), page('Editor', 4, chosen === 'Editor')],
    })
  const after = dialog('Editor')
  const known = (is: string): UiNode | undefined => [...walk(after.roots)].find((n) => id(n) === is)
  expect(since(told(dialog('View')), after, {}, { known }).text).toBe(
    'now e2 tab "View"\nnow e4 tab "Editor" selected\nnew in e4 tab:\ne5 checkbox "On Editor" unchecked',
  )
})

test('a row that is selected is one line, and a picture in its first cell has none', () => {
  const row = (n: number, name: string, selected: boolean): Spec[] => {
    const states = { selected }
    const first: Spec = {
      role: 'cell',
      key: `n${n}`,
      states,
      children: [
        { role: 'cell', key: `n${n + 1}`, states },
        { role: 'cell', name, key: `n${n + 2}`, states },
      ],
    }
    return [
      { ...first, attributes: { row: n, column: 0 } },
      { role: 'cell', name: '1 byte', key: `n${n + 3}`, states, attributes: { row: n, column: 1 } },
      { role: 'cell', name: 'Today', key: `n${n + 4}`, states, attributes: { row: n, column: 2 } },
    ]
  }
  const list = (selected: boolean) =>
    treeOf({
      role: 'window',
      name: 'Files',
      key: 'n1',
      children: [{ role: 'table', key: 'n2', children: [...row(10, 'a.txt', selected), ...row(20, 'b.txt', false)] }],
    })
  const before = told(list(false))
  const after = since(before, list(true))
  expect(after.text).toBe('now e12 cell "a.txt" selected | e13 "1 byte" | e14 "Today"')
})

test('what is disabled behind a dialog is not told, nor that it comes back; elsewhere many at once are one line', () => {
  const names = ['New', 'Open', 'Save', 'Print', 'Cut', 'Copy']
  const buttons = (enabled: boolean): Spec[] => names.map((name, i) => ({ role: 'button', name, key: `n${10 + i}`, states: { enabled } }))
  const main = (enabled: boolean): Spec => ({ role: 'window', name: 'Main', key: 'n1', children: buttons(enabled) })
  const dialog: Spec = { role: 'dialog', name: 'Sort', key: 'n3', children: [{ role: 'button', name: 'OK', key: 'n4' }] }
  const opened = since(told(treeOf(main(true))), treeOf(main(false), dialog))
  expect(opened.text).toBe('opened:\ne3 dialog "Sort" app "Invoices"\n  e4 button "OK"')
  expect(since(opened.told, treeOf(main(true))).text).toBe('closed e3 dialog "Sort" app "Invoices"')
  expect(since(opened.told, treeOf(main(false))).text).toMatch(
    /^closed .*\nnow disabled: e10 button "New", e11 button "Open", e12 button "Save", and 3 more$/,
  )
})

test('a dialog that fits into the answer comes whole: nothing is kept free for what is not left out', () => {
  const dialog = (count: number): Spec => ({
    role: 'dialog',
    name: 'Options',
    key: 'n2000',
    children: [
      ...Array.from({ length: count }, (_, i): Spec => ({ role: 'checkbox', name: `Option number ${i}`, key: `n${1000 + i}` })),
      { role: 'button', name: 'OK', key: 'n9999' },
    ],
  })
  const main: Spec = { role: 'window', name: 'Main', key: 'n1' }
  const answer = (count: number, budget: number) => since(told(treeOf(main)), treeOf(main, dialog(count)), { budget }).text
  for (let count = 1; count < 15; count++) expect(answer(count, tokens(answer(count, 10_000)) + 10)).not.toContain('…')
})

test('rows that a long table scrolls out of view are not gone, and those that come are not new', () => {
  const table = (from: number, rowsNotLoaded?: number) =>
    treeOf({
      role: 'window',
      name: 'W',
      key: 'n1',
      children: [
        {
          role: 'table',
          key: 'n2',
          ...(rowsNotLoaded !== undefined && { attributes: { rowsNotLoaded } }),
          children: [0, 1].map((i): Spec => ({ role: 'cell', name: `Row ${from + i}`, key: `n${100 + from + i}` })),
        },
      ],
    })
  expect(since(told(table(0, 98)), table(40, 98)).text).toBe('in view in e2 table:\ne140 cell "Row 40"\ne141 cell "Row 41"')
  expect(since(told(table(0)), table(40)).text).toMatch(/^new in e2 table:[^]*\ngone: e100 cell "Row 0"/)
})
