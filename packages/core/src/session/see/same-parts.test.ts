import { expect, test } from 'vitest'
import type { Part } from '../ports.ts'
import { keepKeys } from './same-parts.ts'

let count = 0
const newKey = (): string => `k${++count}`

const part = (role: Part['role'], name: string | undefined, y: number, more: Partial<Part> = {}): Part => ({
  role,
  name,
  rect: { x: 10, y, w: 80, h: 20 },
  confidence: 0.9,
  children: [],
  ...more,
})

test('a part keeps its key while it says the same at its place, a few pixels off', () => {
  const [before] = keepKeys([part('button', 'Save', 10)], [], newKey)
  const [after] = keepKeys([part('button', 'Save', 13)], [before!], newKey)
  expect(after?.key).toBe(before?.key)
})

test('another text at the same place is another part, but a field stays itself whatever it holds', () => {
  const before = keepKeys([part('button', 'Save', 10), part('textbox', 'Name', 40, { value: '' })], [], newKey)
  const after = keepKeys([part('button', 'Delete', 10), part('textbox', undefined, 40, { value: 'Ada' })], before, newKey)
  expect(after[0]?.key).not.toBe(before[0]?.key)
  expect(after[1]?.key).toBe(before[1]?.key)
})

test('what there is only one of is followed; of two alike none is taken for the other', () => {
  const before = keepKeys([part('label', 'Total', 10), part('button', 'Remove', 40), part('button', 'Remove', 80)], [], newKey)
  const after = keepKeys([part('label', 'Total', 110), part('button', 'Remove', 140), part('button', 'Remove', 180)], before, newKey)
  expect(after[0]?.key).toBe(before[0]?.key)
  const old = before.map((p) => p.key)
  expect(old).not.toContain(after[1]?.key)
  expect(old).not.toContain(after[2]?.key)
})

test('keys are kept inside of groups, too', () => {
  const group = (y: number): Part => part('group', undefined, y, { children: [part('button', 'Save', y + 5)] })
  const before = keepKeys([group(10)], [], newKey)
  const after = keepKeys([group(12)], before, newKey)
  expect(after[0]?.children[0]?.key).toBe(before[0]?.children[0]?.key)
})

test('a text keeps its key where it is taken for something else: a label for a cell, a field for what it holds', () => {
  const cell = (name: string, y: number): Part => part('cell', name, y, { rect: { x: 0, y, w: 120, h: 30 } })
  const before = keepKeys([cell('Hall', 0), cell('72', 40), cell('35', 80)], [], newKey)
  const now = [part('label', 'Hall', 5), part('textbox', 'Hall', 40, { value: '72' }), part('button', '35', 85)]
  const after = keepKeys(now, before, newKey)
  expect(after.map((p, i) => p.key === before[i]?.key)).toEqual([true, true, false])
})
