import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { FlatNode, UiNode, UiTree } from '../model/index.ts'
import { HIDDEN, maskFrame, passwordAreas, redactNode, redactNodes, redactTree } from './mask.ts'

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
  expect(passwordAreas(tree)).toEqual({ rects: [field.bounds], unplaced: 1 })
})

test('every pixel that an area touches is black, every other one is as it was', () => {
  const quarter = (min: number, max: number): fc.Arbitrary<number> => fc.integer({ min: min * 4, max: max * 4 }).map((n) => n / 4)
  fc.assert(
    fc.property(quarter(-30, 60), quarter(-30, 60), quarter(-30, 60), quarter(-30, 60), fc.constantFrom(0.5, 1, 2), (x, y, w, h, scale) => {
      fc.pre(w !== 0 && h !== 0)
      const frame = { width: 40, height: 30, data: new Uint8Array(40 * 30 * 4).fill(200), origin: { x: -5, y: 3 }, scale }
      const { data } = maskFrame(frame, [{ x, y, w, h }])
      for (let row = 0; row < 30; row++) {
        for (let column = 0; column < 40; column++) {
          const [px, py, size] = [frame.origin.x + column / scale, frame.origin.y + row / scale, 1 / scale]
          const touched =
            px < Math.max(x, x + w) && px + size > Math.min(x, x + w) && py < Math.max(y, y + h) && py + size > Math.min(y, y + h)
          const pixel = [...data.subarray((row * 40 + column) * 4, (row * 40 + column) * 4 + 4)]
          expect(pixel).toEqual(touched ? [0, 0, 0, 255] : [200, 200, 200, 200])
        }
      }
      expect(frame.data.every((byte) => byte === 200)).toBe(true)
    }),
    { numRuns: 100 },
  )
})

test('an area that cannot be placed takes the whole picture', () => {
  const frame = { width: 4, height: 2, data: new Uint8Array(32).fill(9), origin: { x: 0, y: 0 }, scale: 1 }
  expect([...maskFrame(frame, [{ x: Number.NaN, y: 0, w: 1, h: 1 }]).data]).toEqual(Array.from({ length: 8 }, () => [0, 0, 0, 255]).flat())
})
