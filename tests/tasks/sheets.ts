import { book, cellsOf } from '../support/spreadsheet.ts'
import { batch, failing, type Task } from './task.ts'

const COSTS = [
  ['Item', 'Euros'],
  ['Rent', '900'],
  ['Heating', '120'],
  ['Food', '310'],
  ['Train', '75'],
]
const CALC = ['soffice', '--norestore', '--nologo', '--nofirststartwizard']

export const sheets: Task[] = [
  {
    id: 'calc-total',
    packages: ['libreoffice-calc', 'libreoffice-gtk3'],
    instruction:
      'In the open sheet ~/costs.fods write "Total" into A6 and into B6 a formula that sums B2 to B5, and save it in its own format.',
    prepare: (home) => home.write('costs.fods', book({ Costs: COSTS })),
    open: [[...CALC, '~/costs.fods']],
    solution: [
      ['ui.snapshot', {}],
      batch(
        [
          'ui.set',
          {
            fields: [
              { target: 'role=cell && name="A6"', value: 'Total' },
              { target: 'role=cell && name="B6"', value: '=SUM(B2:B5)' },
            ],
          },
        ],
        ['ui.key', { keys: 'ctrl+s' }],
      ),
    ],
    check: (home) => {
      const [rows = []] = Object.values(cellsOf(home.read('costs.fods')))
      return failing({
        'A6 is Total': rows[5]?.[0] === 'Total',
        'B6 is 1405': rows[5]?.[1] === '1405',
        'B6 is a sum of B2:B5': /formula="of:=SUM\(\[\.B2:\.B5\]\)"/.test(home.read('costs.fods')),
        'the costs are as they were': JSON.stringify(rows.slice(0, 5)) === JSON.stringify(COSTS),
      })
    },
    wrong: {
      'a number and no formula': (home) => home.write('costs.fods', book({ Costs: [...COSTS, ['Total', '1405']] })),
      'one row too low': (home) => home.write('costs.fods', book({ Costs: [...COSTS, [], ['Total', '1405']] })),
    },
  },
  {
    id: 'calc-sort',
    packages: ['libreoffice-calc', 'libreoffice-gtk3'],
    instruction:
      'Sort the rows of the open sheet ~/costs.fods by column B, the largest first; the heading in row 1 stays where it is. Save it in its own format.',
    prepare: (home) => home.write('costs.fods', book({ Costs: COSTS })),
    open: [[...CALC, '~/costs.fods']],
    solution: [
      ['ui.snapshot', {}],
      batch(
        ['ui.click', { target: 'role=cell && name="B2"' }],
        ['ui.menu', { path: ['Data', 'Sort Descending'] }],
        ['ui.key', { keys: 'ctrl+s' }],
      ),
    ],
    check: (home) => {
      const [rows = []] = Object.values(cellsOf(home.read('costs.fods')))
      return failing({
        'the rows are sorted, the heading first': JSON.stringify(rows.filter((r) => r.length > 0)) === JSON.stringify(sorted(COSTS)),
      })
    },
    wrong: {
      'the smallest first': (home) => home.write('costs.fods', book({ Costs: [COSTS[0]!, ...sorted(COSTS).slice(1).toReversed()] })),
      'only column B': (home) => home.write('costs.fods', book({ Costs: COSTS.map((row, i) => [row[0]!, sorted(COSTS)[i]![1]!]) })),
    },
  },
  {
    id: 'calc-sheets',
    packages: ['libreoffice-calc', 'libreoffice-gtk3'],
    instruction:
      'In the open file ~/year.fods rename the sheet "Sheet2" to "February" and delete the sheet "Draft". Save it in its own format.',
    prepare: (home) => home.write('year.fods', book({ January: [['a', '1']], Sheet2: [['b', '2']], Draft: [['c', '3']] })),
    open: [[...CALC, '~/year.fods']],
    solution: [
      ['ui.menu', { path: ['Rename Sheet...'], on: 'role=tab && name="Sheet2"' }],
      batch(['ui.set', { target: 'role=textbox && name="Name"', value: 'February' }], ['ui.click', { target: 'role=button && name="OK"' }]),
      ['ui.menu', { path: ['Delete Sheet...'], on: 'role=tab && name="Draft"' }],
      batch(['ui.click', { target: 'role=button && name="Yes"' }], ['ui.key', { keys: 'ctrl+s' }]),
    ],
    check: (home) => {
      const found = cellsOf(home.read('year.fods'))
      return failing({
        'the sheets are January and February': Object.keys(found).join() === 'January,February',
        'February has what Sheet2 had': found['February']?.[0]?.join() === 'b,2',
      })
    },
    wrong: {
      'Draft was renamed': (home) => home.write('year.fods', book({ January: [['a', '1']], February: [['c', '3']] })),
      'Draft is still there': (home) =>
        home.write('year.fods', book({ January: [['a', '1']], February: [['b', '2']], Draft: [['c', '3']] })),
    },
  },
  {
    id: 'gnumeric-edit',
    packages: ['gnumeric'],
    instruction:
      'The open table ~/stock.csv is wrong about lamps: there are 17 of them. Correct it and save the table as ~/stock.gnumeric (Gnumeric XML).',
    prepare: (home) => home.write('stock.csv', 'item,count\nchairs,4\nlamps,7\ntables,2\n'),
    open: [['gnumeric', '~/stock.csv']],
    solution: [
      ['ui.snapshot', { includeScreenshot: true }],
      batch(
        ['ui.type', { target: 'role=textbox && value="A1"', text: 'B3', mode: 'replace', submit: 'Enter' }],
        ['ui.type', { text: '17\n' }],
        ['ui.key', { keys: 'ctrl+shift+s' }],
      ),
      ['ui.type', { target: 'role=textbox && name="Name:"', text: '~/stock.gnumeric', mode: 'replace', submit: 'Enter' }],
    ],
    check: (home) => {
      const xml = home.ask('gzip', '-dcf', home.path('stock.gnumeric'))
      const at = (row: number, column: number): string | undefined =>
        new RegExp(`<gnm:Cell Row="${row}" Col="${column}"[^>]*>([^<]*)<`).exec(xml)?.[1]
      return failing({
        'lamps are 17': at(2, 0) === 'lamps' && at(2, 1) === '17',
        'the others are as they were': at(1, 1) === '4' && at(3, 1) === '2',
      })
    },
    wrong: {
      'the row above': (home) =>
        home.write(
          'stock.gnumeric',
          '<gnm:Cell Row="1" Col="1" ValueType="40">17</gnm:Cell><gnm:Cell Row="2" Col="0">lamps</gnm:Cell><gnm:Cell Row="2" Col="1">7</gnm:Cell><gnm:Cell Row="3" Col="1">2</gnm:Cell>',
        ),
      'only the CSV': (home) => home.edit('stock.csv', 'lamps,7', 'lamps,17'),
    },
  },
]

const sorted = (rows: readonly string[][]): string[][] => [rows[0]!, ...rows.slice(1).toSorted((a, b) => Number(b[1]) - Number(a[1]))]
