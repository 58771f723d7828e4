import { expect, test } from 'vitest'
import type { FlatNode, UiNode, UiTree } from '../model/index.ts'
import { HIDDEN, passwordAreas, redactNode, redactNodes, redactTree } from './mask.ts'

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
  const below: FlatNode = { ...inside, key: 'd', parent: 'c' }
  expect(JSON.stringify(redactNodes([field, inside, below]))).not.toContain('hunter2')
})

test('a tree is copied with its links, and the original stays as it was', () => {
  const app = { id: 'a', name: 'App' }
  const root: UiNode = { key: 'w', index: 0, app, role: 'window', children: [] }
  const { parent: _, ...face } = field
  const child: UiNode = { ...face, app, parent: root, children: [] }
  root.children = [child, { ...child, key: 'q', bounds: undefined }]
  const tree: UiTree = { roots: [root], completeness: { complete: true, reasons: [] } }
  const shown = redactTree(tree)
  const [first] = shown.roots[0]?.children ?? []
  expect(first).toMatchObject({ key: 'p', value: HIDDEN })
  expect(first?.parent).toBe(shown.roots[0])
  expect(root.children[0]?.value).toBe('hunter2')
  expect(passwordAreas(root.children)).toEqual({ rects: [field.bounds], unplaced: 1 })
})
