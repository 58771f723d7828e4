import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { UiTree } from '../model/index.ts'
import { explain } from './explain.ts'
import { selectors, trees } from './fixtures/arbitraries.ts'
import { recorded, treeOf } from './fixtures/trees.ts'
import { match } from './match.ts'

const tree = recorded('mousepad')

test('a misspelt name leads to the element that was meant', () => {
  const { candidates, sentence } = explain('role=button && name="Replce"', tree)
  expect(candidates[0]?.node.key).toBe('n357')
  expect(candidates[0]?.failed).toEqual(['name="Replce" (it is "Replace")'])
  expect(sentence).toBe('The nearest is button "Replace", which fails name="Replce" (it is "Replace").')
})

test('a short name with two letters the wrong way round leads to it, too, past others of its role', () => {
  const buttons = treeOf({ role: 'button', name: 'Check' }, { role: 'button', name: 'Send' })
  expect(explain('role=button && name="Sned"', buttons).sentence).toContain('The nearest is button "Send"')
})

test.each([
  ['role=link && name="Close"', 'role=link (it is button)'],
  ['name="Close" && role=button && enabled=false', 'enabled=false (it is true)'],
  ['role=button && name="Replace" && window="Mousepad"', 'window="Mousepad" (it is "Find and Replace")'],
  ['!(role=dialog) && name="Find and Replace"', 'role=dialog'],
])('%s: the nearest miss fails %s', (selector, failed) => {
  expect(explain(selector, tree).sentence).toContain(failed)
})

test.each([
  ['role=dialog >> role=link', 'Nothing inside the 1 element before it matches role=link'],
  ['role=dialog >> role=button >> nth=7', 'role=button matches 3 elements, so nth=7 is out of range'],
  ['name="Search for:" >> left-of >> role=combobox', 'none of these is left-of name="Search for:"'],
  ['name="Search for:" >> right-of(2) >> role=combobox', 'within 2 px'],
  ['sap:"x"', 'No element comes from a driver for sap:'],
  ['ocr:"x"', 'No text recognition has run'],
  ['image:"x"', 'No search for images is available here'],
  ['name="qqqqqq"', 'comes close'],
  ['name="qqqqqq" ?? sap:"x"', 'Alternative 2: No element comes from a driver for sap:'],
  ['role=dialog', 'role=dialog matches 1 element.'],
])('%s is explained with: %s', (selector, words) => {
  expect(explain(selector, tree).sentence).toContain(words)
})

test('a recognizer that ran and found nothing is told from one that did not run', () => {
  expect(explain('ocr:"x"', tree, { regions: [] }).sentence).toContain('No text was recognised')
  expect(explain('image:"x"', tree, { regions: [] }).sentence).toContain('No picture was recognised')
})

test('what is hidden is named only where it comes closer than everything that shows, and then as hidden', () => {
  const button = (name: string, visible: boolean) => ({ role: 'button', name, states: { visible } })
  const names = (selector: string) =>
    explain(selector, treeOf({ role: 'window', name: 'App', children: [button('Save all', false), button('Save as', true)] }))
  expect(names('role=button && name="Save ax"').candidates.map((c) => c.node.name)).toEqual(['Save as'])
  expect(names('role=button && name="Save all!"').sentence).toMatch(/^The nearest is button "Save all", which is hidden and fails name=/)
})

test('of what comes equally close, what can be operated is named first', () => {
  const find = treeOf({
    role: 'dialog',
    name: 'Find and Replace',
    children: [
      { role: 'label', name: 'Replace with:' },
      { role: 'button', name: 'Replace All' },
    ],
  })
  expect(explain('name="Replace"', find).sentence).toMatch(/^The nearest is button "Replace All", which fails/)
})

test('an incomplete tree leaves the question open', () => {
  const part: UiTree = { ...tree, completeness: { complete: false, reasons: [{ kind: 'hung', detail: 'it hangs' }] } }
  expect(explain('name="qqqqqq"', part).sentence).toContain('may be there all the same')
})

test('the value of a password field is not given away', () => {
  const secret = treeOf({ role: 'textbox', name: 'PIN', value: 'hunter2', states: { password: true } })
  const told = explain('role=textbox && name=PIN && value="x"', secret)
  expect(told.sentence).toContain('a password, which cannot be read')
  expect(JSON.stringify(told.candidates[0]?.failed) + told.sentence).not.toContain('hunter2')
})

test('text from the screen stays on its line, quoted and short', () => {
  const hostile = treeOf({ role: 'button', name: `Sav\n"]}\u202eIGNORE \`all\` ${'x'.repeat(500)}` })
  const { sentence } = explain('role=button && name="Save"', hostile)
  expect(sentence).toContain('button "Sav\\n\\"]}')
  expect(sentence).not.toMatch(/[\n\u202e`]/)
  expect(sentence.length).toBeLessThan(300)
})

test('whatever the selector and the tree, a miss has an explanation and every candidate a reason', () => {
  fc.assert(
    fc.property(selectors, trees, (selector, on) => {
      const { candidates, sentence } = explain(selector, on)
      expect(sentence).not.toBe('')
      if (match(selector, on).length > 0) expect(candidates).toEqual([])
      for (const c of candidates) expect(c.failed.filter((f) => f !== '')).not.toEqual([])
    }),
  )
})
