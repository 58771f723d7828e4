import fc from 'fast-check'
import { expect, test } from 'vitest'
import { walk, type Region, type UiTree } from '../model/index.ts'
import { selectors, trees } from './fixtures/arbitraries.ts'
import { box, recorded, treeOf } from './fixtures/trees.ts'
import { match, type MatchOptions } from './match.ts'
import { prefixesOf } from './prefixes.ts'

const keys = (selector: string, tree: UiTree, options?: MatchOptions): string[] => match(selector, tree, options).map((m) => m.node.key)

const invoice = treeOf(
  {
    role: 'window',
    name: 'Invoices',
    ...box(0, 0, 800, 600),
    children: [
      { role: 'label', name: 'Invoice Total', ...box(10, 100, 100, 20) },
      { role: 'textbox', value: '120.00', ...box(120, 98, 100, 24), states: { editable: true } },
      { role: 'textbox', name: 'PIN', value: '1234', ...box(120, 130, 100, 24), states: { password: true, editable: true } },
      {
        role: 'button',
        name: 'Submit      ',
        ...box(10, 200, 80, 24),
        platformIds: { automationId: 'SubmitBtn' },
        states: { enabled: false },
      },
      { role: 'button', name: 'save draft', ...box(100, 200, 80, 24), platformIds: { legacyId: '4096' }, attributes: { level: 2 } },
      { role: 'checkbox', name: 'Paid', ...box(200, 200, 80, 24), states: { checked: 'mixed' } },
    ],
  },
  {
    role: 'dialog',
    name: 'Confirm',
    children: [
      { role: 'group', children: [{ role: 'button', name: 'OK' }] },
      { role: 'button', name: 'OK' },
    ],
  },
)

test.each([
  ['role=Button', ['n4', 'n5', 'n9', 'n10']],
  ['name="Submit"', ['n4']],
  ['name~="SAVE"', ['n5']],
  ['name~=/^s.*t$/i', ['n5']],
  ['name^="save"', ['n5']],
  ['name^="Save"', []],
  ['name$="draft"', ['n5']],
  ['role=button && name!="OK"', ['n4', 'n5']],
  ['automationId="SubmitBtn"', ['n4']],
  ['legacyId=4096', ['n5']],
  ['win32:legacyId=4096', ['n5']],
  ['attr.level=2', ['n5']],
  ['attr.constructor~=""  && role=dialog', ['n7']],
  ['enabled=false', ['n4']],
  ['enabled=true && role=button', ['n5', 'n9', 'n10']],
  ['checked=mixed', ['n6']],
  ['checked=true', []],
  ['text="120.00"', ['n2']],
  ['"Invoice Total"', ['n1']],
  ['window="Confirm" && role=button', ['n9', 'n10']],
  ['app="Invoices" && role=dialog', ['n7']],
  ['app="invoices" && role=dialog', ['n7']],
  ['app="/usr/bin/invoices"', []],
  ['role=textbox && name=""', ['n2']],
  ['role~="box" && !editable=true', ['n6']],
  ['(role=label || role=checkbox) && visible=true', ['n1', 'n6']],
  ['role=dialog >> name="OK"', ['n9', 'n10']],
  ['role=dialog >> name="OK" >> nth=1', ['n10']],
  ['role=dialog >> name="OK" >> nth=-1', ['n10']],
  ['role=dialog >> name="OK" >> nth=2', []],
  ['role=group >> name="OK"', ['n9']],
  ['role=window || role=group >> role=button', ['n4', 'n5', 'n9']],
  ['name="nothing" ?? name="OK" >> nth=0 ?? role=window', ['n9']],
  ['any:text="Invoice Total" >> right-of >> any:role=Edit', ['n2']],
  ['any:role=Button && name="Submit"', ['n4']],
  ['sap:"#/app"', []],
  ['ocr:"Submit"', []],
  ['image:"logo"', []],
  ['uia:role=button', ['n4']],
])('%s finds what it says', (selector, expected) => {
  expect(keys(selector, invoice)).toEqual(expected)
})

const people = treeOf(
  {
    role: 'table',
    children: [
      {
        role: 'row',
        children: [
          { role: 'cell', name: 'Anna' },
          { role: 'cell', children: [{ role: 'button', name: 'Edit' }] },
        ],
      },
      {
        role: 'row',
        children: [
          { role: 'cell', name: 'Ben' },
          { role: 'cell', children: [{ role: 'button', name: 'Edit' }] },
        ],
      },
    ],
  },
  {
    role: 'form',
    ...box(0, 0, 400, 300),
    children: [
      { role: 'label', name: 'Email: *', ...box(0, 0, 80, 20) },
      { role: 'textbox', ...box(90, 0, 100, 20) },
      { role: 'label', name: 'Sort', ...box(0, 30, 80, 20) },
      { role: 'combobox', name: 'Down', ...box(90, 30, 100, 20) },
      { role: 'listitem', children: [{ role: 'group', children: [{ role: 'label', name: '1 minute' }] }] },
    ],
  },
)

test.each([
  ['role=row && has(name="Ben") >> role=button', ['n8']],
  ['has(has(name="Anna"))', ['n0']],
  ['role=row && !has("Ben")', ['n1']],
  ['role=textbox && name="Email"', ['n11']],
  ['role=textbox && name=""', ['n11']],
  ['role=textbox && name~=mail', ['n11']],
  ['label="Email"', ['n11']],
  ['label="Email: *"', ['n11']],
  ['label=Sort', ['n13']],
  ['label=Down', ['n13']],
  ['role=combobox && name=Sort', []],
  ['role=listitem && name="1 minute"', ['n14']],
  ['name="Email: *" >> right-of >> role=textbox', ['n11']],
])('%s finds what it says by what is in it or beside it', (selector, expected) => {
  expect(keys(selector, people)).toEqual(expected)
})

test('an id is the element that the caller was shown, also as the first step of a path', () => {
  const row = [...walk(people.roots)].find((n) => n.key === 'n5')
  const element = (id: string) => (id === 'e7' ? row : undefined)
  expect(keys('e7', people, { element })).toEqual(['n5'])
  expect(keys('e7 >> role=button', people, { element })).toEqual(['n8'])
  expect(keys('role=table && has(e7)', people, { element })).toEqual(['n0'])
  expect(keys('e8 >> role=button', people, { element })).toEqual([])
})

test('a bare string after sap: is the id', () => {
  const sapId = '#/app/con/ses/wnd[0]/tbar[0]/btn[11]'
  const tree = treeOf({ role: 'button', name: 'Save', platformIds: { sapId } }, { role: 'button', name: sapId })
  expect(keys(`sap:"${sapId}"`, tree)).toEqual(['n0'])
  expect(keys(`any:"${sapId}"`, tree)).toEqual(['n1'])
})

test('the fallback is taken only when the first alternative finds nothing', () => {
  const tree = treeOf({ role: 'button', name: 'Submit', platformIds: { automationId: 'other' } })
  const regions = [{ text: 'Submit', rect: { x: 5, y: 5, w: 40, h: 10 }, source: 'ocr' as const, confidence: 0.9 }]
  const [hit, ...others] = match('uia:automationId="SubmitBtn" ?? ocr:"Submit"', tree, { regions })
  expect(others).toEqual([])
  expect(hit).toMatchObject({ source: 'ocr', node: { name: 'Submit', bounds: regions[0]?.rect } })
  expect(match('uia:automationId=other ?? ocr:"Submit"', tree, { regions })).toMatchObject([{ source: 'structure' }])
})

test('recognised text belongs to the element and window it lies in, and can anchor a relation', () => {
  const regions = [
    { text: 'Total', rect: { x: 12, y: 52, w: 40, h: 16 }, source: 'ocr' as const, confidence: 0.8 },
    { text: 'Total', rect: { x: 512, y: 52, w: 40, h: 16 }, source: 'ocr' as const, confidence: 0.8 },
  ]
  const tree = treeOf(
    {
      role: 'window',
      name: 'A',
      ...box(0, 0, 400, 400),
      children: [
        { role: 'canvas', ...box(0, 40, 400, 300) },
        { role: 'textbox', ...box(100, 50, 80, 20) },
      ],
    },
    { role: 'window', name: 'B', ...box(500, 0, 400, 400) },
  )
  expect(keys('ocr:"Total"', tree, { regions })).toEqual(['ocr:0', 'ocr:1'])
  expect(keys('role=window && name=A >> ocr:"Total"', tree, { regions })).toEqual(['ocr:0'])
  expect(keys('ocr:window=B && text=Total', tree, { regions })).toEqual(['ocr:1'])
  expect(keys('text="Total" >> right-of >> role=textbox', tree, { regions })).toEqual(['n2'])
  expect(keys('name!="x" && role=button', tree, { regions })).toEqual([])
})

test('a picture is found by its name, its label and where it lies, and is not taken for text', () => {
  const regions: Region[] = [
    { source: 'image', image: 'logo.png', rect: { x: 20, y: 10, w: 40, h: 40 }, confidence: 0.9 },
    { source: 'image', image: 'logo.png', label: 'Company', rect: { x: 20, y: 310, w: 40, h: 40 }, confidence: 0.5 },
    { source: 'image', image: 'other.png', rect: { x: 20, y: 410, w: 40, h: 40 }, confidence: 0.9 },
    { source: 'ocr', text: 'logo.png', rect: { x: 200, y: 10, w: 40, h: 40 }, confidence: 0.9 },
  ]
  expect(keys('image:"logo.png"', invoice, { regions })).toEqual(['image:0', 'image:1'])
  expect(keys('image:name="Company"', invoice, { regions })).toEqual(['image:1'])
  expect(keys('name="Invoice Total" >> above >> image:"logo.png"', invoice, { regions })).toEqual(['image:0'])
  expect(keys('ocr:"logo.png"', invoice, { regions })).toEqual(['ocr:3'])
  expect(keys('"logo.png"', invoice, { regions })).toEqual(['ocr:3'])
  expect(keys('"Company"', invoice, { regions })).toEqual([])
  expect(keys('role=dialog >> image:"logo.png"', invoice, { regions })).toEqual([])
  const [sure, unsure] = match('image:"logo.png"', invoice, { regions })
  expect(sure).toMatchObject({ source: 'image', node: { bounds: regions[0]?.rect } })
  expect(sure?.why).toEqual(['matches by image', 'picture recognised in pixels, not an element', 'one of 2 matches'])
  expect(unsure?.confidence).toBeLessThan(sure?.confidence ?? 0)
})

test('a region without a size is no place', () => {
  const regions: Region[] = [{ source: 'ocr', text: 'x', rect: { x: 0, y: 0, w: 0, h: 9 }, confidence: 1 }]
  expect(keys('ocr:"x"', invoice, { regions })).toEqual([])
})

test('the value of a password field cannot be guessed', () => {
  for (const guess of ['value="1234"', 'value^="1"', 'value~=/[0-9]{4}/', 'text="1234"', '"1234"', '!value!="1234"'])
    expect(keys(guess, invoice)).not.toContain('n3')
  expect(keys('password=true', invoice)).toEqual(['n3'])
})

test('a node inherits being hidden unless it says otherwise', () => {
  const tree = treeOf({
    role: 'group',
    states: { visible: false },
    children: [{ role: 'button' }, { role: 'link', states: { visible: true } }],
  })
  expect(keys('visible=true', tree)).toEqual(['n2'])
  expect(keys('visible=false', tree)).toEqual(['n0', 'n1'])
})

test('the prefixes of the only driver match all of its nodes', () => {
  expect(keys('ax:role=dialog', invoice)).toEqual([])
  expect(keys('ax:role=dialog', invoice, { driver: 'ax' })).toEqual(['n7'])
  const linux = { driver: 'linux', prefixes: prefixesOf([{ kind: 'linux', prefixes: ['atspi', 'x11'] }]) }
  expect(keys('atspi:role=dialog', invoice, linux)).toEqual(['n7'])
  expect(keys('x11:role=dialog', invoice, linux)).toEqual(['n7'])
  expect(keys('ax:role=dialog', invoice, linux)).toEqual([])
  expect(keys('uia:role=button', invoice, linux)).toEqual(['n4'])
})

test('among several drivers a prefix matches nodes of those that claim it', () => {
  const tree = treeOf(
    { role: 'button', driver: 'linux' },
    { role: 'button', driver: 'web', platformIds: { automationId: 'looks like UIA' } },
    { role: 'button', driver: 'virtual' },
    { role: 'button', driver: 'other', platformIds: { sapId: '/1' } },
  )
  const prefixes = prefixesOf([
    { kind: 'linux', prefixes: ['atspi', 'ui'] },
    { kind: 'web', prefixes: ['dom', 'ui'] },
    { kind: 'windows', prefixes: ['uia'] },
    { kind: 'virtual' },
  ])
  expect(keys('atspi:role=button', tree, { prefixes })).toEqual(['n0'])
  expect(keys('dom:role=button', tree, { prefixes })).toEqual(['n1'])
  expect(keys('ui:role=button', tree, { prefixes })).toEqual(['n0', 'n1'])
  expect(keys('uia:role=button', tree, { prefixes })).toEqual([])
  expect(keys('virtual:role=button', tree, { prefixes })).toEqual(['n2'])
  expect(keys('sap:role=button', tree, { prefixes })).toEqual(['n3'])
  expect(keys('any:role=button', tree, { prefixes })).toHaveLength(4)
})

test('a prefix that only another desktop knows stays unknown here', () => {
  const prefixes = prefixesOf([{ kind: 'web', prefixes: ['dom'] }])
  expect(keys('dom:role=button', invoice, { driver: 'web', prefixes })).toHaveLength(4)
  expect(() => keys('dom:role=button', invoice)).toThrow(/a prefix: any, atspi/)
})

test('white space in names does not matter, in values it does', () => {
  const tree = treeOf({ role: 'button', name: '  Save\n\tas ' }, { role: 'textbox', value: 'a  b' })
  expect(keys('name="Save as"', tree)).toEqual(['n0'])
  expect(keys('value="a b"', tree)).toEqual([])
  expect(keys('value="a  b"', tree)).toEqual(['n1'])
})

test('a limit cuts the list, not the count that confidence is made of', () => {
  expect(match('role=button', invoice, { limit: 1 })).toHaveLength(1)
  expect(match('role=button', invoice, { limit: 1 })[0]?.why).toContain('one of 4 matches')
})

test('the recorded dialog is found by what a person reads on it', () => {
  const tree = recorded('mousepad')
  expect(keys('name="Search for:" >> right-of >> role=combobox >> role=textbox', tree)).toEqual(['n329'])
  expect(keys('window="Find and Replace" && role=button && name="Close"', tree)).toEqual(['n358'])
  expect(keys('atspi:role=menuitem && name="Save As..."', tree)).toEqual(['n15'])
})

test('whatever the selector, matches are nodes of the tree, each once and in document order', () => {
  fc.assert(
    fc.property(selectors, trees, (selector, tree) => {
      const order = [...walk(tree.roots)]
      const places = match(selector, tree).map((m) => order.indexOf(m.node))
      expect(places).toEqual([...new Set(places)].toSorted((a, b) => a - b))
      expect(places.every((p) => p >= 0)).toBe(true)
    }),
  )
})

test('a tree a hundred thousand levels deep is no problem', () => {
  const tree = treeOf({ role: 'button', name: 'x' })
  let node = tree.roots[0]
  for (let i = 0; i < 100_000 && node; i++) {
    const child = { ...node, key: `d${i}`, parent: node, children: [] }
    node.children = [child]
    node = child
  }
  expect(match('role=button && window="" && visible=true >> role=button >> nth=-1', tree)).toHaveLength(1)
})

test('a toggle button is a button where no other one matches, and not where the role is ruled out', () => {
  const tree = treeOf({
    role: 'toolbar',
    children: [
      { role: 'togglebutton', name: 'Bold', key: 'n10' },
      { role: 'togglebutton', name: 'Paste', key: 'n11' },
      { role: 'button', name: 'Paste', key: 'n12' },
    ],
  })
  expect(keys('role=button && name="Bold"', tree)).toEqual(['n10'])
  expect(keys('role=toolbar && has(role=button && name="Bold") >> role=button && name="Bold"', tree)).toEqual(['n10'])
  expect(keys('role=button && name="Paste"', tree)).toEqual(['n12'])
  expect(keys('role=button && !role=togglebutton && name="Bold"', tree)).toEqual([])
  expect(keys('!role=button && name="Bold"', tree)).toEqual(['n10'])
})
