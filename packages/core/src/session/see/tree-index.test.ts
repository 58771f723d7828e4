import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Change, Observe } from '../../driver/driver.ts'
import { COMPLETE, walk, type AppIdentity, type FlatNode, type Principal, type UiNode, type UiTree } from '../../model/index.ts'
import type { Policy, Setting } from '../../policy/policy.ts'
import { likelySelectors, selectors, trees } from '../../selector/fixtures/arbitraries.ts'
import { match, type Selector } from '../../selector/index.ts'
import { LiveTree } from './live-tree.ts'
import { View } from './view.ts'

/** A replica, and a way to report changes to it. */
async function replica(nodes: FlatNode[], apps: AppIdentity[]): Promise<{ tree: LiveTree; tell(changes: Change[]): Promise<void> }> {
  let told: Change[] = []
  const observe = {
    read: () => Promise.resolve({ cursor: '0', nodes, apps, completeness: COMPLETE }),
    changes: () => Promise.resolve({ cursor: '0', changes: told }),
  }
  const tree = new LiveTree(observe as unknown as Observe)
  await tree.sync()
  return {
    tree,
    tell: (changes) => {
      told = changes
      return tree.sync()
    },
  }
}

const flat = ({ app, parent, children: _children, ...face }: UiNode): FlatNode => ({ ...face, app: app.id, parent: parent?.key })
const found = (selector: Selector, tree: UiTree) =>
  match(selector, tree).map((m) => ({ key: m.node.key, confidence: m.confidence, why: m.why, source: m.source }))

/** A node of one tree goes below a node of another, or keeps its place with another face, or goes away. */
const edits = fc.array(
  fc.record({
    kind: fc.constantFrom('add', 'add', 'move', 'change', 'change', 'gone'),
    of: fc.nat(),
    under: fc.option(fc.nat()),
    index: fc.nat({ max: 6 }),
    like: fc.nat(),
  }),
  { minLength: 1, maxLength: 5 },
)
type Edit = typeof edits extends fc.Arbitrary<(infer E)[]> ? E : never

function changeOf(edit: Edit, tree: LiveTree, faces: UiNode[], fresh: () => string): Change {
  const nodes = [...walk(tree.roots)]
  const pick = (n: number | null): UiNode | undefined => (n === null ? undefined : nodes[n % Math.max(1, nodes.length)])
  const face = flat(faces[edit.like % faces.length] as UiNode)
  const node = pick(edit.of)
  const place = { parent: pick(edit.under)?.key, index: edit.index }
  if (edit.kind === 'add' || node === undefined) return { type: 'put', node: { ...face, ...place, key: fresh() } }
  if (edit.kind === 'gone') return { type: 'gone', key: node.key }
  if (edit.kind === 'move') return { type: 'put', node: { ...flat(node), ...place } }
  return { type: 'put', node: { ...face, key: node.key, parent: node.parent?.key, index: node.index } }
}

/** Changes a replica batch by batch, with questions in between. */
async function play(first: UiTree, other: UiTree, batches: Edit[][], check: (tree: LiveTree) => void): Promise<void> {
  const nodes = [...walk(first.roots)]
  const faces = [...nodes, ...walk(other.roots)]
  const apps = new Map(faces.map((n) => [n.app.id, n.app]))
  const { tree, tell } = await replica(nodes.map(flat), [...apps.values()])
  let count = 0
  check(tree)
  for (const batch of batches) {
    for (const edit of batch) await tell([changeOf(edit, tree, faces, () => `new${count++}`)])
    check(tree)
  }
}

const stories = [trees, trees, fc.array(edits, { maxLength: 4 })] as const
const questions = fc.array(fc.oneof({ weight: 4, arbitrary: likelySelectors }, selectors), { minLength: 1, maxLength: 6 })

test('whatever changes, the index finds what looking at every node finds', async () => {
  await fc.assert(
    fc.asyncProperty(...stories, questions, async (first, other, batches, asked) => {
      await play(first, other, batches, (tree) => {
        const scanned: UiTree = { roots: tree.roots, completeness: tree.completeness }
        for (const selector of asked) expect(found(selector, tree)).toEqual(found(selector, scanned))
      })
    }),
    { numRuns: 200 },
  )
})

const SETTING: Setting = { desktop: 'virtual', driver: 'virtual', mode: 'simulation_only', now: 0 }

/** A policy that hides an application and every window or document with a certain name. */
const hiding = (app: string, name: string) =>
  ({
    version: `${app} ${name}`,
    visible: (a: AppIdentity) => a.id !== app,
    sees: (t: { name?: string }) => t.name !== name,
  }) as unknown as Policy

const isPlace = (n: UiNode): boolean => ['window', 'dialog', 'alert', 'document'].includes(n.role)

/** The tree copied without what is hidden. */
function without(tree: UiTree, hidden: (n: UiNode) => boolean): UiTree {
  const copy = (node: UiNode, parent?: UiNode): UiNode => {
    const made: UiNode = { ...node, parent, children: [] }
    made.children = node.children.filter((c) => !hidden(c)).map((c) => copy(c, made))
    return made
  }
  return { roots: tree.roots.filter((r) => !hidden(r)).map((r) => copy(r)), completeness: tree.completeness }
}

/** Everything that can be reached from the nodes, up and down. */
const reach = (nodes: readonly UiNode[]): unknown =>
  nodes.map((n) => [n.key, n.name, n.parent?.key, n.parent?.children.map((c) => c.key), reach(n.children)])

test('whatever changes, a principal finds and reaches what is left when all that is hidden is cut out', async () => {
  const views = [
    { who: { id: 'a', role: 'agent' }, app: 'mail', name: 'Open' },
    { who: { id: 'b', role: 'agent' }, app: '', name: 'Save' },
    { who: { id: 'c', role: 'agent' }, app: 'none', name: 'none' },
  ] as { who: Principal; app: string; name: string }[]
  await fc.assert(
    fc.asyncProperty(...stories, questions, async (first, other, batches, asked) => {
      const made = new Map<Principal, View>()
      await play(first, other, batches, (tree) => {
        for (const { who, app, name } of views) {
          const policy = hiding(app, name)
          const view =
            made.get(who) ??
            new View({ tree, policy: () => policy, setting: () => SETTING, mode: () => SETTING.mode, now: () => SETTING.now })
          made.set(who, view)
          const seen = view.of(who)
          const left = without(tree, (n) => n.app.id === app || (isPlace(n) && n.name === name))
          for (const selector of asked) {
            expect(found(selector, seen)).toEqual(found(selector, left))
            expect(reach(match(selector, seen).map((m) => m.node))).toEqual(reach(match(selector, left).map((m) => m.node)))
          }
          expect(reach(seen.roots)).toEqual(reach(left.roots))
          const there = new Set([...walk(left.roots)].map((n) => n.key))
          for (const { key } of walk(tree.roots)) expect(seen.see(key)?.key).toBe(there.has(key) ? key : undefined)
        }
      })
    }),
    { numRuns: 80 },
  )
})

const row = (key: string, index: number, more: Partial<FlatNode> = {}): FlatNode => ({
  key,
  parent: 'w',
  index,
  app: 'a',
  role: 'row',
  name: 'Row',
  ...more,
})
const window: FlatNode = { key: 'w', index: 0, app: 'a', role: 'window', name: 'List' }
const APPS = [{ id: 'a', name: 'a' }]
const order = (tree: UiTree): string[] => match('role=row', tree).map((m) => m.node.key)

test('rows that are inserted at one place again and again are found in document order', async () => {
  const { tree, tell } = await replica([window, row('first', 0), row('last', 1)], APPS)
  const added: string[] = []
  for (let i = 0; i < 200; i++) {
    await tell([{ type: 'put', node: row(`r${i}`, 1) }])
    added.unshift(`r${i}`)
    expect(order(tree)).toEqual(['first', ...added, 'last'])
  }
})

test('a row that is put where its siblings have pushed it already stays there', async () => {
  const rows = Array.from({ length: 20 }, (_, i) => `r${i}`)
  const { tree, tell } = await replica([window, ...rows.map((key, i) => row(key, i))], APPS)
  expect(order(tree)).toEqual(rows)
  await tell([{ type: 'put', node: row('new', 0) }, ...rows.map((key, i): Change => ({ type: 'put', node: row(key, i + 1) }))])
  expect(order(tree)).toEqual(['new', ...rows])
})

test('a long text is found whatever its white space, and only by the whole of it', async () => {
  const long = 'Terms and conditions '.repeat(60)
  const blank = `${' '.repeat(5000)}Terms`
  const { tree } = await replica(
    [window, row('a', 0, { name: long }), row('b', 1, { value: `${long}!` }), row('c', 2, { name: blank })],
    APPS,
  )
  const keys = (text: string) =>
    match({ alternatives: [{ first: { prefix: 'any', expr: { type: 'bare', text } }, links: [] }] }, tree).map((m) => m.node.key)
  expect(keys(long.replaceAll(' ', '\n '))).toEqual(['a'])
  expect(keys(`${long}?`)).toEqual([])
  expect(keys(`${long}!`)).toEqual(['b'])
  expect(keys('Terms')).toEqual(['c'])
})

test('a text that no node has any more is forgotten', async () => {
  const { tree, tell } = await replica([window, row('a', 0, { name: 'old' }), row('b', 1, { name: 'old' })], APPS)
  const keys = (text: string) => [...(tree.index.byText(text) ?? [])].map((n) => n.key)
  expect(keys('old')).toEqual(['a', 'b'])
  await tell([{ type: 'put', node: row('a', 0, { name: 'new' }) }])
  expect(keys(' old ')).toEqual(['b'])
  await tell([{ type: 'gone', key: 'b' }])
  expect(keys('old')).toEqual([])
  expect(keys('new')).toEqual(['a'])
})

test('a node does not carry what the index keeps of it', async () => {
  const { tree } = await replica([window, row('a', 0)], APPS)
  expect(order(tree)).toEqual(['a'])
  expect(Object.keys({ ...tree.node('a') })).not.toContain('order')
})
