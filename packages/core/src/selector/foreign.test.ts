import fc from 'fast-check'
import { expect, test } from 'vitest'
import { DeskhandError } from '../errors.ts'
import { parse } from './parse.ts'

const next = (text: string): string => {
  try {
    parse(text)
  } catch (thrown) {
    if (thrown instanceof DeskhandError) return thrown.next
  }
  return 'it was accepted'
}

test.each([
  ['button:has-text("Save")', 'role=button && text~="Save"'],
  ['button[name="Save"]', 'role=button && name="Save"'],
  ['role=button[name="Save"]', 'role=button && name="Save"'],
  ['[aria-label="Close"]', 'name="Close"'],
  ['#submit', 'attr.id="submit"'],
  ['.btn-primary', 'attr.class~="btn-primary"'],
  ['input[type="checkbox"]', 'role=checkbox'],
  ['input[placeholder="Email"]', 'role=textbox && description="Email"'],
  ['form > button:nth-child(2)', 'role=form >> role=button >> nth=1'],
  ['tr:has(td:text-is("Anna"))', 'role=row && has(role=cell && text="Anna")'],
  ['div.row button:enabled', 'attr.class~="row" >> role=button && enabled=true'],
  ['text=Save As', 'text~="Save As"'],
  ["page.getByRole('button', { name: 'Save' })", 'role=button && name~="Save"'],
  ["getByRole('button', { name: 'Save', exact: true })", 'role=button && name="Save"'],
  ["getByRole('button', { name: /sav(e|ing)/i }).first()", 'role=button && name~=/sav(e|ing)/i >> nth=0'],
  ["getByText('Total').nth(1)", 'text~="Total" >> nth=1'],
  ["getByLabel('Email')", 'label~="Email"'],
  ["page.locator('button.x')", 'role=button && attr.class~="x"'],
  ["//button[@name='Save']", 'role=button && name="Save"'],
  ['//table/row[3]/cell[contains(@name, "Anna")]', 'role=table >> role=row >> nth=2 >> role=cell && name~="Anna"'],
  ['//*[text()="OK"]', 'text="OK"'],
  ['role=button name="Save"', 'role=button && name="Save"'],
  ['role=button and name="Save"', 'role=button && name="Save"'],
  ['role: button, name: Save', 'role=button && name="Save"'],
  ['{"role": "button", "name": "Save"}', 'role=button && name="Save"'],
  ['button "Save As…"', 'role=button && name="Save As…"'],
  ['push button: "Save"', 'role=button && name="Save"'],
  ['e12 button "Save" focused', 'e12'],
  ['@e12', 'e12'],
  ['ref=e12', 'e12'],
  ['[ref=e12]', 'e12'],
  ['id=e12', 'e12'],
  ['e12 role=cell', 'e12 >> role=cell'],
  ['e12 > role=cell', 'e12 >> role=cell'],
  ['button >> text="Save"', 'role=button >> text="Save"'],
  ['role=row >> last', 'role=row >> nth=-1'],
  ['role=row:nth(2)', 'role=row >> nth=2'],
  ['css=button', 'role=button'],
  ['type=button', 'role=button'],
  ['role==button', 'role=button'],
  ['role=push button', 'role=button'],
  ['role=button && contains(name, "Save")', 'role=button && name~="Save"'],
  ['role=button && !disabled', 'role=button && enabled=true'],
  ['disabled=true', 'enabled=false'],
  ['role=textbox && focused', 'role=textbox && focused=true'],
  ['role=radio && not checked', 'role=radio && checked=false'],
  ['Edit', 'name="Edit"'],
  ['button', 'role=button'],
  ['Save As…', 'name="Save As…"'],
  ['name=Save As', 'name="Save As"'],
])('%s is answered with %s', (theirs, ours) => {
  expect(next(theirs)).toBe(`Write ${ours}`)
})

test('a mistake in this grammar keeps its own words', () => {
  expect(next('role=buton && name="Save"')).toBe('Correct the selector at the marked column.')
  expect(next('role=textbox && name~=/(/')).toBe('Correct the selector at the marked column.')
  expect(next('nth=1')).toBe('Correct the selector at the marked column.')
})

test('a guess that goes on and on takes no longer than its length', () => {
  for (const piece of ['"', "'", '(', '[', '[a="', ' ', 'a ', ':has(', '//a[', '/', 'x=', '.', 'getByText("'])
    for (const start of ['', 'getByRole(', '//a[', 'button[', 'a:has(']) next(start + piece.repeat(290 / piece.length))
})

test('whatever is guessed, the next step can be parsed', () => {
  const pieces = fc.constantFrom(
    'button',
    '[name="x"]',
    ':has-text("y")',
    '#a',
    '.b',
    ' > ',
    '//',
    '[1]',
    'getByRole(',
    "'link'",
    ')',
    'text=',
    ' ',
    '"q"',
    'e1',
    '*',
    ',',
    'name: z',
    '/re/i',
  )
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 8 }), (parts) => {
      const [, spelling] = /^Write (.*)$/s.exec(next(parts.join(''))) ?? []
      if (spelling !== undefined) parse(spelling)
    }),
    { numRuns: 2000 },
  )
})
