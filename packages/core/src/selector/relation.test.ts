import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Rect, UiTree } from '../model/index.ts'
import { RELATIONS, type Relation } from './ast.ts'
import { box, treeOf } from './fixtures/trees.ts'
import { match } from './match.ts'

/** An anchor at 100…200 × 100…120, and one other element per box; the answer is the places of those that match. */
function related(relation: string, ...boxes: [number, number, number, number][]): number[] {
  const tree = treeOf({
    role: 'window',
    children: [{ role: 'label', name: 'anchor', ...box(100, 100, 100, 20) }, ...boxes.map((b) => ({ role: 'button', ...box(...b) }))],
  })
  return match(`name=anchor >> ${relation} >> role=button`, tree).map((m) => m.node.index - 1)
}

test.each([
  ['right-of', [210, 100, 50, 20]],
  ['left-of', [40, 100, 50, 20]],
  ['below', [100, 130, 50, 20]],
  ['above', [100, 70, 50, 20]],
] as [Relation, [number, number, number, number]][])('%s takes what lies there and nothing that lies elsewhere', (relation, place) => {
  expect(related(relation, place)).toEqual([0])
  for (const other of RELATIONS) if (other !== relation && other !== 'near') expect(related(other, place)).toEqual([])
  expect(related('near', place)).toEqual([0])
})

test('the nearest wins, measured between the facing edges', () => {
  expect(related('right-of', [300, 100, 50, 20], [210, 100, 500, 20])).toEqual([1])
  expect(related('left-of', [10, 100, 20, 20], [60, 100, 20, 20])).toEqual([1])
  expect(related('below', [100, 125, 50, 90], [100, 150, 50, 20])).toEqual([0])
  expect(related('near', [210, 130, 10, 10], [100, 131, 10, 10])).toEqual([1])
})

test('the same row means that the middle of one lies within the height of the other', () => {
  expect(related('right-of', [210, 109, 50, 20])).toEqual([0])
  expect(related('right-of', [210, 111, 50, 20])).toEqual([])
  expect(related('right-of', [210, 0, 50, 400])).toEqual([0])
  expect(related('right-of', [210, 118, 50, 2])).toEqual([0])
})

test('two pixels of overlap are forgiven, three are not', () => {
  expect(related('right-of', [198, 100, 50, 20])).toEqual([0])
  expect(related('right-of', [197, 100, 50, 20])).toEqual([])
})

test('a tie gives all of the tied', () => {
  expect(related('right-of', [210, 95, 50, 14], [210, 110, 50, 14], [211, 100, 50, 20])).toEqual([0, 1])
  expect(related('near', [210, 100, 5, 5], [85, 100, 5, 5])).toEqual([0, 1])
})

test('a tie of very many gives some of them, so that it stays ambiguous and fast', () => {
  const tied = related('near', ...Array.from({ length: 500 }, (): [number, number, number, number] => [210, 100, 5, 5]))
  expect(tied.length).toBeGreaterThan(1)
})

test('a number is the greatest distance that counts', () => {
  expect(related('right-of(10)', [210, 100, 50, 20])).toEqual([0])
  expect(related('right-of(9.5)', [210, 100, 50, 20])).toEqual([])
  expect(related('near(15)', [212, 129, 5, 5])).toEqual([0])
  expect(related('near(14)', [212, 129, 5, 5])).toEqual([])
})

test('what is hidden, has no place, lies in another window or in the anchor does not count', () => {
  const button = { role: 'button', ...box(210, 100, 50, 20) }
  const anchor = { role: 'label', name: 'anchor', ...box(100, 100, 100, 20) }
  const found = (tree: UiTree, relation = 'right-of') => match(`name=anchor >> ${relation} >> role=button`, tree).length
  expect(found(treeOf({ role: 'window', children: [anchor, button] }))).toBe(1)
  expect(found(treeOf({ role: 'window', children: [anchor, { ...button, states: { visible: false } }] }))).toBe(0)
  expect(found(treeOf({ role: 'window', children: [anchor, { role: 'button' }] }))).toBe(0)
  expect(found(treeOf({ role: 'window', children: [anchor, { ...button, ...box(210, 100, 0, 0) }] }))).toBe(0)
  expect(found(treeOf({ role: 'window', children: [anchor] }, { role: 'window', children: [button] }))).toBe(0)
  expect(found(treeOf({ role: 'window', children: [{ ...anchor, children: [button] }] }), 'near')).toBe(0)
  expect(found(treeOf({ role: 'window', children: [{ ...button, children: [anchor] }] }), 'near')).toBe(0)
})

test('a relation stays inside the scope in which its anchor was found', () => {
  const row = (name: string, y: number) => ({
    role: 'group',
    name,
    children: [
      { role: 'label', name: 'Total', ...box(0, y, 50, 20) },
      { role: 'group', ...box(60, y, 50, 20) },
    ],
  })
  const tree = treeOf({ role: 'window', children: [row('a', 0), row('b', 30), { role: 'textbox', ...box(60, 0, 50, 20) }] })
  expect(match('name=a >> name=Total >> right-of >> role=textbox', tree)).toEqual([])
  expect(match('role=window >> name=Total >> right-of >> role=textbox', tree)).toHaveLength(1)
})

test('many anchors and candidates give what comparing each with each gives', () => {
  const rects = fc.array(
    fc.record({
      x: fc.integer({ min: -40, max: 400 }),
      y: fc.integer({ min: 0, max: 400 }),
      w: fc.integer({ min: 1, max: 60 }),
      h: fc.integer({ min: 1, max: 60 }),
    }),
    { minLength: 17, maxLength: 120 },
  )
  fc.assert(
    fc.property(fc.constantFrom(...RELATIONS), rects, rects, fc.constantFrom(Infinity, 30), (relation, anchors, others, max) => {
      const expected = anchors.map((a) => slowly(relation, a, others, max))
      fc.pre(expected.every((tied) => tied.length <= 20))
      const tree = treeOf({
        role: 'window',
        children: [...anchors.map((bounds) => ({ role: 'label', bounds })), ...others.map((bounds) => ({ role: 'button', bounds }))],
      })
      const found = match(`role=label >> ${relation}${max === Infinity ? '' : '(30)'} >> role=button`, tree).map(
        (m) => m.node.index - anchors.length,
      )
      expect(found).toEqual([...new Set(expected.flat())].toSorted((a, b) => a - b))
    }),
  )
})

/** The table of relation.ts, word by word. */
function slowly(relation: Relation, a: Rect, others: Rect[], max: number): number[] {
  const within = (middle: number, from: number, size: number) => middle >= from && middle <= from + size
  const distances = others.map((c) => {
    const row = within(a.y + a.h / 2, c.y, c.h) || within(c.y + c.h / 2, a.y, a.h)
    const column = within(a.x + a.w / 2, c.x, c.w) || within(c.x + c.w / 2, a.x, a.w)
    const gaps = { 'right-of': c.x - a.x - a.w, 'left-of': a.x - c.x - c.w, below: c.y - a.y - a.h, above: a.y - c.y - c.h }
    if (relation === 'near') return Math.hypot(Math.max(0, gaps['right-of'], gaps['left-of']), Math.max(0, gaps.below, gaps.above))
    const aligned = relation === 'right-of' || relation === 'left-of' ? row : column
    return aligned && gaps[relation] >= -2 ? Math.max(0, gaps[relation]) : Infinity
  })
  const best = Math.min(...distances)
  return best > max || best === Infinity ? [] : distances.flatMap((d, i) => (d <= best + 0.5 && d <= max ? [i] : []))
}
