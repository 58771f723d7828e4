import { expect, test } from 'vitest'
import type { Change, Observe } from '../../driver/driver.ts'
import { COMPLETE, type FlatNode, type UiNode } from '../../model/index.ts'
import type { NodeIds } from './caller-ids.ts'
import { changesSince, toldOf } from './changes.ts'
import { Identities } from './identities.ts'
import { LiveTree } from './live-tree.ts'

const node = (key: string, parent: string | undefined, role: string, name?: string, index = 0): FlatNode => ({
  key,
  parent,
  index,
  app: 'a',
  role,
  name,
})

type Bar = 'toolbar' | 'tablist'

/** A window with a toolbar or a row of tabs, whose nodes begin with `made`. */
const bar = (made: string, names: readonly string[], role: Bar = 'toolbar'): FlatNode[] => [
  node(`${made}bar`, 'w', role, 'Formatting'),
  ...names.map((name, i) => node(`${made}${i}`, `${made}bar`, role === 'toolbar' ? 'button' : 'tab', name, i)),
]

async function shown(names: readonly string[], changes: Change[], role?: Bar) {
  const nodes = [node('w', undefined, 'window', 'Sheet'), ...bar('a', names, role)]
  const observe = {
    read: () => Promise.resolve({ cursor: '0', nodes, apps: [{ id: 'a', name: 'a' }], completeness: COMPLETE }),
    changes: () => Promise.resolve({ cursor: '1', changes: changes.splice(0) }),
  }
  const tree = new LiveTree(observe as unknown as Observe)
  await tree.sync()
  const identities = new Identities(tree)
  const at = (key: string): UiNode => {
    const found = tree.node(key)
    if (found === undefined) throw new Error(`there is no ${key}`)
    return found
  }
  return { tree, identities, at }
}

const madeAnew = (names: readonly string[], role?: Bar): Change[] => [
  { type: 'gone', key: 'abar' },
  ...bar('b', names, role).map((told): Change => ({ type: 'put', node: told })),
]

test('the tools of a toolbar that is made anew keep their ids, whoever asks first', async () => {
  const { tree, identities, at } = await shown(['Bold', 'Italic'], madeAnew(['Italic', 'Bold', 'Underline']))
  const [toolbar, bold, italic] = ['abar', 'a0', 'a1'].map((key) => identities.id(at(key)))
  await tree.sync()
  expect(identities.prune()).toEqual([])
  expect(identities.key(bold ?? '')).toBe('b1')
  expect(identities.id(at('b0'))).toBe(italic)
  expect(identities.id(at('bbar'))).toBe(toolbar)
  expect([toolbar, bold, italic]).not.toContain(identities.id(at('b2')))
})

test('the tabs of a row that is made anew keep their ids, but for the one that is called something else now', async () => {
  const sheets = await shown(['January', 'Sheet2', 'Draft'], madeAnew(['January', 'February', 'Draft'], 'tablist'), 'tablist')
  const { tree, identities, at } = sheets
  const ids = ['a0', 'a1', 'a2'].map((key) => identities.id(at(key)))
  await tree.sync()
  identities.prune()
  expect(ids.map((id) => identities.key(id))).toEqual(['b0', undefined, 'b2'])
  expect(ids).not.toContain(identities.id(at('b1')))
})

test('of two tools that are called the same none is taken for the other, and one that is gone is gone', async () => {
  const { tree, identities, at } = await shown(['More', 'More', 'Bold'], madeAnew(['More', 'More']))
  const ids = ['a0', 'a1', 'a2'].map((key) => identities.id(at(key)))
  await tree.sync()
  identities.prune()
  expect(ids.map((id) => identities.key(id))).toEqual([undefined, undefined, undefined])
  expect(ids).not.toContain(identities.id(at('b0')))
})

test('a toolbar that is made anew is no news; a tool that it did not have is', async () => {
  const { tree, identities, at } = await shown(['Bold', 'Italic'], madeAnew(['Bold', 'Italic', 'Underline']))
  const ids = new Map(['w', 'abar', 'a0', 'a1'].map((key) => [key, identities.id(at(key))]))
  const told = toldOf(tree.roots, ids)
  await tree.sync()
  const names: NodeIds = {
    id: (n) => identities.id(n),
    isThere: (key) => tree.node(key) !== undefined,
    known: (id) => tree.node(identities.key(id) ?? ''),
    knownId: (n) => identities.known(n),
  }
  const { text, counts } = changesSince(told, tree.roots, names, { budget: 250 })
  expect(text).toMatch(/^new in e\d+ toolbar:\ne\d+ button "Underline"$/)
  expect(counts).toEqual({ added: 1, changed: 0, gone: 0 })
})
