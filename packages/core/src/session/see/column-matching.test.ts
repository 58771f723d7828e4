import { expect, test } from 'vitest'
import type { UiNode } from '../../model/index.ts'
import { matchColumns } from './column-matching.ts'
import { matchRows, type SeenRow } from './row-matching.ts'

/** A sheet that tells the places of its cells, by what they show. */
function sheet(rows: readonly (readonly string[])[]): Map<string, SeenRow> {
  const all = rows.map((texts, row) => ({
    key: `${row},0`,
    texts,
    face: JSON.stringify(texts),
    cells: texts.map((_, column): UiNode => ({
      key: `${row},${column}`,
      role: 'cell',
      index: column,
      app: { id: 'a', name: 'a' },
      attributes: { row, column },
      children: [],
    })),
  }))
  return new Map(all.map((row, i) => [row.key, { ...row, before: all[i - 1], after: all[i + 1] }]))
}

const costs = [
  ['Date', 'Payee', 'Amount', '', ''],
  ['day 1', 'Rent', '10', '', ''],
  ['day 2', 'Cinema', '20', '', ''],
]

/** Where the columns of `costs` are in another sheet. */
function columns(now: readonly (readonly string[])[]): (number | undefined)[] {
  const then = sheet(costs)
  const found = matchColumns(then, matchRows(then, sheet(now)))
  return [0, 1, 2, 3, 4].map(found)
}

test('columns are found again behind one that was inserted, and the empty one whose place was taken is not', () => {
  expect(columns(costs.map(([date = '', ...rest]) => [date, '', ...rest.slice(0, -1)]))).toEqual([0, 2, 3, undefined, 4])
})

test('columns stay where they are when a cell is edited, when two cells change places, and when a row is inserted', () => {
  expect(columns(costs.map((row) => row.map((text) => (text === 'Cinema' ? 'Theatre' : text))))).toEqual([0, 1, 2, 3, 4])
  expect(columns([costs[0] ?? [], ['day 1', '', '10', 'Rent', ''], costs[2] ?? []])).toEqual([0, 1, 2, 3, 4])
  expect(columns([costs[0] ?? [], ['', '', '', '', ''], ...costs.slice(1)])).toEqual([0, 1, 2, 3, 4])
})
