import { expect, test } from 'vitest'
import { COMPLETE, type AppIdentity } from '../../model/index.ts'
import type { Observe } from '../../driver/driver.ts'
import { HiddenAreas } from './hidden-areas.ts'
import { PasswordPlaces } from './password-places.ts'
import { LiveTree } from '../see/live-tree.ts'

const app = (pid: number): AppIdentity => ({ id: `app${pid}`, name: 'App', pid })
const rect = { x: 0, y: 0, w: 10, h: 10 }

async function treeOf(...apps: AppIdentity[]): Promise<{ tree: LiveTree; observe: Observe }> {
  const refuse = (): Promise<never> => Promise.reject(new Error('only a tree'))
  const nodes = apps.map(({ id }, index) => ({ key: id, index, role: 'window', app: id, bounds: rect }))
  const observe: Observe = {
    read: async () => ({ cursor: '0', nodes, apps, completeness: COMPLETE }),
    changes: async () => ({ cursor: '0', changes: [] }),
    info: refuse,
    screens: refuse,
    watch: refuse,
    check: refuse,
    hit: refuse,
    capture: refuse,
    render: refuse,
    readClipboard: refuse,
    pointer: refuse,
    canLaunch: refuse,
  }
  const tree = new LiveTree(observe)
  await tree.sync()
  return { tree, observe }
}

test('a stranger is an application that was never told of as a whole, and one whose window is seen before it tells anything', async () => {
  const { tree, observe } = await treeOf(app(1))
  const pictures = new HiddenAreas('show', new PasswordPlaces({ observe, tree, isSimulated: true }))
  expect(pictures.hasStrangers(tree)).toBe(true)
  pictures.of(tree, {
    seen: { ...tree, roots: tree.roots, completeness: COMPLETE, see: (key) => tree.node(key ?? '') },
    pictured: () => true,
  })
  expect(pictures.hasStrangers(tree)).toBe(false)
  expect(pictures.hasStrangers(tree, [{ app: app(1), rect }])).toBe(false)
  // The window of one process can be told of by another.
  expect(pictures.hasStrangers(tree, [{ app: app(2), rect }])).toBe(false)
  expect(pictures.hasStrangers(tree, [{ app: app(2), rect: { ...rect, x: 50 } }])).toBe(true)
})
