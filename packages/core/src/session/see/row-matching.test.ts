import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { UiNode } from '../../model/index.ts'
import { matchRows, type SeenRow } from './row-matching.ts'
import type { Row } from './rows.ts'

/** A list whose nodes have these keys and show these texts, one row each. */
function list(rows: readonly (readonly [key: string, ...texts: string[]])[], attributes?: Record<string, number>): Map<string, SeenRow> {
  const all = rows.map(([key, ...texts], i): Row => ({
    key,
    texts,
    face: JSON.stringify(texts),
    y: i * 20,
    cells: [cell(key, attributes)],
  }))
  return new Map(all.map((row, i) => [row.key, { ...row, before: all[i - 1], after: all[i + 1] }]))
}

const cell = (key: string, attributes?: Record<string, number>): UiNode => ({
  key,
  role: 'cell',
  index: 0,
  app: { id: 'a', name: 'a' },
  children: [],
  ...(attributes && { attributes }),
})

/** By the key that an entry had, the key that it has. */
const found = (then: Map<string, SeenRow>, now: Map<string, SeenRow>): Record<string, string> =>
  Object.fromEntries([...matchRows(then, now)].map(([was, is]) => [was, is.key]))

describe('entries of a list are found again', () => {
  const files = list([
    ['1', 'alpha', '4 K'],
    ['2', 'beta', '3 K'],
    ['3', 'delta', '4 K'],
  ])

  test('in the nodes that show them now, when nodes are used for others', () => {
    const sorted = list([
      ['1', 'beta', '3 K'],
      ['2', 'delta', '4 K'],
      ['3', 'alpha', '4 K'],
    ])
    expect(found(files, sorted)).toEqual({ 1: '3', 2: '1', 3: '2' })
  })

  test('in new nodes, when all were made anew', () => {
    const anew = list([
      ['7', 'delta', '4 K'],
      ['8', 'alpha', '4 K'],
    ])
    expect(found(files, anew)).toEqual({ 1: '8', 3: '7' })
  })

  test('where one of their values changed, as long as what tells them from the others did not', () => {
    const grown = list([
      ['1', 'alpha', '9 K'],
      ['2', 'beta', '9 K'],
      ['3', 'delta', '9 K'],
    ])
    expect(found(files, grown)).toEqual({ 1: '1', 2: '2', 3: '3' })
  })

  test('where all they show changed, between the same neighbours', () => {
    const renamed = list([
      ['1', 'alpha', '4 K'],
      ['2', 'omega', '5 K'],
      ['3', 'delta', '4 K'],
    ])
    expect(found(files, renamed)).toEqual({ 1: '1', 2: '2', 3: '3' })
  })

  test('in no node, when the list shows others', () => {
    const others = list([
      ['1', 'psi', '4 K'],
      ['2', 'chi', '3 K'],
      ['3', 'phi', '4 K'],
    ])
    expect(found(files, others)).toEqual({})
  })

  test('not where a filter left one other entry in the node of the first', () => {
    expect(found(list([['1', 'alpha']]), list([['1', 'beta']]))).toEqual({})
  })

  test('not in a node that a scrolled list has put at its other end', () => {
    const scrolled = list([
      ['1', 'epsilon', '5 K'],
      ['2', 'beta', '3 K'],
      ['3', 'delta', '4 K'],
    ])
    const first = scrolled.get('1')
    if (first !== undefined) scrolled.set('1', { ...first, y: 60 })
    expect(found(files, scrolled)).toEqual({ 2: '2', 3: '3' })
  })

  test('not where what only they showed is in another entry now, though a number in front of it stayed', () => {
    const numbered = list([
      ['1', '1', 'alpha'],
      ['2', '2', 'beta'],
    ])
    const turned = list([
      ['1', '1', 'beta'],
      ['2', '2', 'alpha'],
    ])
    expect(found(numbered, turned)).toEqual({})
  })

  test('not where their neighbour shows the same all of a sudden, as GTK 3 tells a list of which an entry was moved down', () => {
    const told = list([
      ['1', 'delta', '4 K'],
      ['2', 'delta', '4 K'],
      ['3', 'omega', '3 K'],
    ])
    const listed = list([
      ['1', 'beta', '3 K'],
      ['2', 'delta', '4 K'],
      ['3', 'scan', '8 K'],
    ])
    expect(found(listed, told)).toEqual({})
  })

  test('by their place in a table that tells it, unless what they show has moved', () => {
    const at = { row: 1 }
    const sheet = list(
      [
        ['a1', 'Rent'],
        ['a2', 'Food'],
        ['a3', ''],
      ],
      at,
    )
    const calculated = list(
      [
        ['a1', '1'],
        ['a2', '2'],
        ['a3', '3'],
      ],
      at,
    )
    const inserted = list(
      [
        ['a1', ''],
        ['a2', 'Rent'],
        ['a3', 'Food'],
      ],
      at,
    )
    expect(found(sheet, calculated)).toEqual({ a1: 'a1', a2: 'a2', a3: 'a3' })
    expect(found(sheet, inserted)).toEqual({ a1: 'a2', a2: 'a3' })
  })

  test('whatever order they are in and whatever nodes show them, never as another', () => {
    const name = fc.uniqueArray(fc.stringMatching(/^[a-z]{1,6}$/), { minLength: 1, maxLength: 12 })
    fc.assert(
      fc.property(name, fc.func(fc.nat(1000)), (names, shuffle) => {
        const then = list(names.map((n, i) => [`${i}`, n]))
        const order = names.toSorted((a, b) => shuffle(a) - shuffle(b))
        const now = list(order.map((n, i) => [`${i}`, n]))
        for (const [was, is] of matchRows(then, now)) expect(is.texts).toEqual(then.get(was)?.texts)
        expect(matchRows(then, now).size).toBe(names.length)
      }),
    )
  })
})
