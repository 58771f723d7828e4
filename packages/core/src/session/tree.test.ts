import { expect, test } from 'vitest'
import type { Change, Observe } from '../driver/driver.ts'
import { COMPLETE, walk, type FlatNode } from '../model/index.ts'
import { LiveTree } from './tree.ts'

const node = (key: string, parent: string | undefined, index: number, more: Partial<FlatNode> = {}): FlatNode => ({
  key,
  parent,
  index,
  app: 'a',
  role: 'group',
  ...more,
})

/** A driver half that seeds `nodes` and then tells `batches`, one per question. */
function replica(nodes: FlatNode[], batches: Change[][]): LiveTree {
  let cursor = 0
  const observe = {
    read: () => Promise.resolve({ cursor: '0', nodes, apps: [{ id: 'a', name: 'a' }], completeness: COMPLETE }),
    changes: () => Promise.resolve({ cursor: String(++cursor), changes: batches.shift() ?? [] }),
  }
  return new LiveTree(observe as unknown as Observe)
}

const shape = (tree: LiveTree): string => [...walk(tree.roots)].map((n) => n.key).join(' ')

test('changes are applied in order: moves, insertions, removals with all that is below', async () => {
  const tree = replica(
    [node('w', undefined, 0), node('x', 'w', 0), node('y', 'w', 1), node('z', 'y', 0)],
    [[{ type: 'put', node: node('n', 'w', 1) }], [{ type: 'put', node: node('x', 'y', 1) }], [{ type: 'gone', key: 'y' }]],
  )
  await tree.sync()
  expect(shape(tree)).toBe('w x y z')
  await tree.sync()
  expect(shape(tree)).toBe('w x n y z')
  await tree.sync()
  expect(shape(tree)).toBe('w n y z x')
  await tree.sync()
  expect(shape(tree)).toBe('w n')
  expect(tree.node('x')).toBeUndefined()
})

test('what a driver tells in several answers is in the tree after one look', async () => {
  const rows = Array.from({ length: 9 }, (_, i) => node(`r${i}`, 'w', i))
  const told = rows.map((row): Change => ({ type: 'put', node: row }))
  let cursor = 0
  const observe = {
    read: () => Promise.resolve({ cursor: '0', nodes: [node('w', undefined, 0)], apps: [], completeness: COMPLETE }),
    changes: () => {
      const changes = told.slice(cursor, (cursor += 4))
      return Promise.resolve({ cursor: String(cursor), changes, more: cursor < told.length })
    },
  }
  const tree = new LiveTree(observe as unknown as Observe)
  await tree.sync()
  await tree.sync()
  expect(shape(tree)).toBe('w r0 r1 r2 r3 r4 r5 r6 r7 r8')
})

test('a field that is gone is gone, and a password is never kept', async () => {
  const tree = replica(
    [node('w', undefined, 0, { name: 'old', value: '1' })],
    [[{ type: 'put', node: node('w', undefined, 0, { value: 'secret', states: { password: true } }) }]],
  )
  await tree.sync()
  await tree.sync()
  expect(tree.node('w')?.name).toBeUndefined()
  expect(JSON.stringify(tree.roots)).not.toContain('secret')
})

test('a node that is said to be below itself stays where it was', async () => {
  const tree = replica([node('w', undefined, 0), node('x', 'w', 0), node('y', 'x', 0)], [[{ type: 'put', node: node('w', 'y', 0) }]])
  await tree.sync()
  await tree.sync()
  expect(shape(tree)).toBe('w x y')
})

test('focus and active window leave with their nodes', async () => {
  const tree = replica(
    [node('w', undefined, 0, { role: 'window', states: { active: true } }), node('x', 'w', 0, { states: { focused: true } })],
    [[{ type: 'gone', key: 'w' }]],
  )
  await tree.sync()
  expect([tree.activeWindow, tree.focus]).toEqual(['w', 'x'])
  await tree.sync()
  expect([tree.activeWindow, tree.focus]).toEqual([undefined, undefined])
})
