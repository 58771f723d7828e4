import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Change, Observe } from '../../driver/driver.ts'
import { COMPLETE, walk, type FlatNode } from '../../model/index.ts'
import { LiveTree } from './live-tree.ts'

const node = (key: string, parent: string | undefined, index: number, more: Partial<FlatNode> = {}): FlatNode => ({
  key,
  parent,
  index,
  app: 'a',
  role: 'group',
  ...more,
})

/** A driver half that seeds `nodes` and then tells `batches`, one per question; `parts` is what it answers about one root. */
function replica(nodes: FlatNode[], batches: Change[][], parts: Record<string, FlatNode[]> = {}): LiveTree {
  let cursor = 0
  const observe = {
    read: ({ root }: { root?: string }) =>
      Promise.resolve({
        cursor: '0',
        nodes: root === undefined ? nodes : (parts[root] ?? []),
        apps: [{ id: 'a', name: 'a' }],
        completeness: COMPLETE,
      }),
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

test('many nodes that go at once leave what stays as it was, whatever the order they are named in', async () => {
  const rows = Array.from({ length: 60 }, (_, i) => node(`r${i}`, 'w', i))
  const cells = rows.map((row) => node(`${row.key}c`, row.key, 0))
  const told = ['r3c', 'r3', 'r3', 'unknown', 'other', ...rows.slice(10, 50).flatMap(({ key }) => [key, `${key}c`])]
  const tree = replica(
    [node('w', undefined, 0), node('other', undefined, 1), ...rows, ...cells],
    [[...told.map((key): Change => ({ type: 'gone', key })), { type: 'put', node: node('new', 'w', 9) }]],
  )
  await tree.sync()
  await tree.sync()
  const left = [...rows.slice(0, 3), ...rows.slice(4, 10), ...rows.slice(50)].map(({ key }) => `${key} ${key}c`)
  expect(shape(tree)).toBe(['w', ...left.slice(0, 9), 'new', ...left.slice(9)].join(' '))
  expect(tree.size).toBe(2 + 2 * left.length)
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

test('in whatever order a driver tells nodes, the tree is the same', async () => {
  const trees = fc.array(fc.nat(), { minLength: 1, maxLength: 30 }).chain((picks) => {
    const nodes = picks.map((pick, i) => ({ key: `n${i}`, parent: i === 0 ? 'w' : pick % (i + 1) === i ? 'w' : `n${pick % (i + 1)}` }))
    const places = new Map<string, number>()
    const flat = nodes.map(({ key, parent }) => {
      const index = places.get(parent) ?? 0
      places.set(parent, index + 1)
      return node(key, parent, index)
    })
    return fc.tuple(fc.constant(flat), fc.shuffledSubarray(flat, { minLength: flat.length, maxLength: flat.length }))
  })
  const put = (flat: FlatNode): Change => ({ type: 'put', node: flat })
  await fc.assert(
    fc.asyncProperty(trees, async ([ordered, shuffled]) => {
      const [one, other] = [ordered, shuffled].map((nodes) => replica([node('w', undefined, 0)], [nodes.map(put)]))
      for (const tree of [one, other]) for (let look = 0; look < 2; look++) await tree?.sync()
      expect(other && lines(other)).toEqual(one && lines(one))
      const seeded = replica([...shuffled, node('w', undefined, 0)], [])
      await seeded.sync()
      expect(lines(seeded)).toEqual(one && lines(one))
    }),
  )
})

const lines = (tree: LiveTree): string[] => [...walk(tree.roots)].map((n) => `${n.parent?.key ?? ''}>${n.key}`)

test('a node whose parent is not told is no root, and is read with its parent once that comes', async () => {
  const tree = replica(
    [node('w', undefined, 0), node('x', 'w', 0)],
    [
      [
        { type: 'put', node: node('c', 'b', 0) },
        { type: 'put', node: node('x', 'never', 0) },
      ],
      [{ type: 'put', node: node('b', 'w', 0) }],
    ],
    { b: [node('b', 'w', 0), node('c', 'b', 0)] },
  )
  await tree.sync()
  await tree.sync()
  expect(shape(tree)).toBe('w')
  await tree.sync()
  expect(shape(tree)).toBe('w b c')
})

test('a node that moves to a parent told later keeps what is below it, though its old place went meanwhile', async () => {
  const tree = replica(
    [node('w', undefined, 0), node('old', 'w', 0), node('m', 'old', 0), node('c', 'm', 0)],
    [
      [
        { type: 'put', node: node('m', 'new', 0) },
        { type: 'gone', key: 'old' },
        { type: 'put', node: node('new', 'w', 0) },
      ],
    ],
    { m: [node('m', 'new', 0), node('c', 'm', 0)] },
  )
  await tree.sync()
  await tree.sync()
  expect(shape(tree)).toBe('w new m c')
})
