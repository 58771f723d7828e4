import { expect, test } from 'vitest'
import type { FlatNode, UiNode } from '../model/index.ts'
import { HIDDEN, passwordAreas, redactNode } from './nodes.ts'

const field: FlatNode = {
  key: 'p',
  index: 0,
  app: 'a',
  role: 'textbox',
  name: 'Password',
  value: 'hunter2',
  description: 'now hunter2',
  attributes: { text: 'hunter2' },
  states: { password: true },
  bounds: { x: 10, y: 10, w: 20, h: 10 },
}

test('a password field keeps its name and its place, not its content', () => {
  const shown = redactNode(field)
  expect(shown).toMatchObject({ name: 'Password', value: HIDDEN, bounds: field.bounds })
  expect(JSON.stringify(shown)).not.toContain('hunter2')
  expect(field.value).toBe('hunter2')
})

test('an empty password field is seen to be empty, and other fields are left alone', () => {
  expect(redactNode({ ...field, value: '' }).value).toBe('')
  const plain = { ...field, states: {} }
  expect(redactNode(plain)).toBe(plain)
})

test('what a toolkit puts inside a password field is its content', () => {
  const inside: FlatNode = { key: 'c', parent: 'p', index: 0, app: 'a', role: 'label', name: 'hunter2', value: 'hunter2' }
  expect(JSON.stringify(redactNode(inside, true))).not.toContain('hunter2')
})

test('a visible field without a place is counted, so that no picture is taken for safe', () => {
  const app = { id: 'a', name: 'App' }
  const { parent: _, ...face } = field
  const placed: UiNode = { ...face, app, children: [] }
  expect(passwordAreas([placed, { ...placed, key: 'q', bounds: undefined }])).toEqual({ rects: [field.bounds], unplaced: 1 })
})
