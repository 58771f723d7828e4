import { readFileSync } from 'node:fs'
import type { Change } from '@deskhand/core/driver'
import { COMPLETE, walk, type AppIdentity, type FlatNode, type UiNode } from '@deskhand/core/model'
import type { Policy, Setting } from '@deskhand/core/policy'
import { generate, match, parse } from '@deskhand/core/selector'
import { changesSince, toldOf } from '../packages/core/src/session/see/changes.ts'
import { outline } from '../packages/core/src/session/see/outline.ts'
import { tokens } from '../packages/core/src/session/see/tokens.ts'
import { LiveTree } from '../packages/core/src/session/see/live-tree.ts'
import { View } from '../packages/core/src/session/see/view.ts'
import { median, spent, time, type Report } from './report.ts'

/** What an agent meets first: finding an element, and reading the screen as text. */
export default async function perception(report: Report): Promise<void> {
  await replicas(report)
  await exact(report)
  await selectors(report)
  await outlines(report)
}

/** How long it takes to take over a desktop, and a flood of changes. */
async function replicas(report: Report): Promise<void> {
  const nodes = rowsOf(3_750)
  const seeds = await time(30, () => live({ nodes, apps: APPS }))
  report.add({ name: 'seed the replica with 15,000 nodes', unit: 'ms', ours: seeds })
  const firsts: number[] = []
  for (let i = 0; i < 15; i++) {
    const { tree } = await live({ nodes, apps: APPS })
    firsts.push(await spent(() => match('role=dialog', tree)))
  }
  report.add({ name: 'first match in 15,000 nodes, which makes the index', unit: 'ms', ours: median(firsts) })
  const { tree, tell } = await live({ nodes: rowsOf(0), apps: APPS })
  match('role=row', tree)
  const row = (i: number, index: number): Change => ({
    type: 'put',
    node: { key: `r${i}`, parent: '0', index, app: 'a', role: 'row', name: `Row ${i}` },
  })
  const rows = Array.from({ length: 5_000 }, (_, i) => i)
  const flood = await time(10, async () => {
    await tell(rows.map((i) => row(i, i)))
    await tell([row(5_000, 0), ...rows.map((i) => row(i, i + 1))])
    await tell([...rows, 5_000].map((i) => ({ type: 'gone', key: `r${i}` })))
  })
  report.add({ name: 'add 5,000 rows to a list, shift all of them, remove all of them', unit: 'ms', ours: flood })
}

/** Selectors with an exact role or name. */
async function exact(report: Report): Promise<void> {
  const [small, large] = [await table(2_500), await table(25_000)]
  const bar = { of: 'ours', atMost: 5 } as const
  const add = (name: string, ours: number): void => report.add({ name: `100,000 nodes: ${name}`, unit: 'ms', ours, bar })
  for (const [name, selector] of EXACT) {
    const [smallMs, largeMs] = [await time(100, () => match(selector, small.tree)), await time(40, () => match(selector, large.tree))]
    report.add({ name: `100,000 nodes: ${name}`, unit: 'ms', ours: largeMs, peer: 10 * smallMs, peerName: 'ten times 10,000', bar })
  }
  const seen = new View({
    tree: large.tree,
    policy: () => HIDING,
    setting: () => SETTING,
    mode: () => SETTING.mode,
    now: () => SETTING.now,
  }).of({ id: 'agent', role: 'agent' })
  for (const [name, selector] of EXACT) add(`${name}, one application hidden`, await time(40, () => match(selector, seen)))
  let count = 25_000
  for (const [name, selector] of EXACT) {
    const [after, hidden]: [number[], number[]] = [[], []]
    for (let i = 0; i < 30; i++) {
      const row = rowOf(++count).map((node): Change => ({ type: 'put', node }))
      await large.tell([
        ...row,
        { type: 'gone', key: `${count - 20_000}g` },
        { type: 'put', node: { ...rowOf(count)[0], name: 'renamed' } },
      ])
      after.push(await spent(() => match(selector, large.tree)))
      hidden.push(await spent(() => match(selector, seen)))
    }
    add(`${name}, right after changes`, median(after))
    add(`${name}, right after changes, one application hidden`, median(hidden))
  }
}

const EXACT = [
  ['a name, 1 match', 'name="Invoice 1200"'],
  ['a role, 1 match', 'role=dialog'],
  ['role and name, 1 match', 'role=textbox && name="Amount 1200"'],
  ['a text, 1 match', '"Invoice 1200"'],
  ['a role inside a name, 1 match', 'name="Line 1200" >> role=button'],
  ['a role, 25,000 matches', 'role=button'],
] as const

async function selectors(report: Report): Promise<void> {
  const five = 'role=textbox && enabled=true && visible=true && name~="amount" && value^="12"'
  const { tree: small } = await table(2_500)
  const { tree: large } = await table(25_000)
  const one = `name="Invoice 1200" >> right-of >> ${five}`
  const all = 'role=label && name~="invoice" >> right-of >> role=textbox && enabled=true && visible=true'
  const [smallMs, largeMs] = [await time(100, () => match(one, small)), await time(20, () => match(one, large))]
  report.add({ name: 'match 10,000 nodes: five predicates, one relation', unit: 'ms', ours: smallMs, bar: { of: 'ours', atMost: 5 } })
  report.add({ name: 'match 100,000 nodes, the same', unit: 'ms', ours: largeMs, peer: 10 * smallMs, peerName: 'ten times 10,000' })
  const [every, everyLarge] = [
    await time(40, () => match(all, small, { limit: 20 })),
    await time(10, () => match(all, large, { limit: 20 })),
  ]
  report.add({ name: 'match 10,000 nodes: 2,500 anchors', unit: 'ms', ours: every })
  report.add({ name: 'match 100,000 nodes: 25,000 anchors', unit: 'ms', ours: everyLarge, peer: 10 * every, peerName: 'ten times 10,000' })
  const parsed = await time(50, () => {
    for (let i = 0; i < 500; i++) parse(one)
  })
  report.add({ name: 'parse that selector', unit: 'µs', ours: parsed * 2, bar: { of: 'ours', atMost: 20 } })
  const node = [...walk(small.roots)][5_000] as UiNode
  report.add({ name: 'generate a selector in 10,000 nodes', unit: 'ms', ours: await time(40, () => generate(node, small)) })
}

async function outlines(report: Report): Promise<void> {
  const id = (node: UiNode): string => `e${node.key}`
  const { tree: window } = await form(125)
  const { tree: mousepad } = await recorded()
  report.add({ name: 'outline of 500 nodes', unit: 'ms', ours: await time(50, () => outline(window, { id })) })
  for (const [name, tree] of [
    ['500 nodes', window],
    ['mousepad', mousepad],
  ] as const) {
    const text = outline(tree, { id, budget: 1e6 }).text
    const share =
      (100 * tokens(text)) /
      tokens(
        JSON.stringify(
          tree.roots.map((root) => json(root)),
          null,
          2,
        ),
      )
    report.add({ name: `outline of ${name}, of its JSON`, unit: '% of tokens', ours: share, bar: { of: 'ours', atMost: 35 } })
  }
  report.add({
    name: 'outline of mousepad',
    unit: 'tokens',
    ours: tokens(outline(mousepad, { id }).text),
    peer: 3400,
    peerName: 'playwright-mcp',
    bar: { of: 'ratio', atLeast: 1 },
  })
  const before = toldOf(window.roots, new Map())
  const changed = [...walk(window.roots)].find((n) => n.role === 'textbox') as UiNode
  changed.value = 'something else'
  report.add({
    name: 'difference after one change',
    unit: 'tokens',
    ours: tokens(changesSince(before, window.roots, { id, isThere: () => true }, { budget: 250 }).text),
    bar: { of: 'ours', atMost: 200 },
  })
}

const json = ({ key, parent: _parent, index: _index, app: _app, children, ...face }: UiNode): object => ({
  id: `e${key}`,
  ...face,
  children: children.map(json),
})

/** A window with rows, and beside it a dialog and a window of another application. */
function table(rows: number): Promise<Live> {
  const dialog: FlatNode = { key: 'd', index: 1, app: 'a', role: 'dialog', name: 'Print' }
  const other: FlatNode = { key: 'h', index: 2, app: 'h', role: 'window', name: 'Passwords' }
  return live({ nodes: [...rowsOf(rows), dialog, other], apps: APPS })
}

const rowsOf = (count: number): FlatNode[] => [
  { key: '0', index: 0, app: 'a', role: 'window', name: 'Invoices' },
  ...Array.from({ length: count }, (_, r) => rowOf(r)).flat(),
]

/** A group with a label, a field and a button. */
function rowOf(r: number): [FlatNode, ...FlatNode[]] {
  const states = { visible: true, enabled: true, focusable: true }
  const at = (x: number, w: number) => ({ bounds: { x, y: r * 24, w, h: 24 }, states, app: 'a' })
  return [
    { key: `${r}g`, parent: '0', index: r, role: 'group', name: `Line ${r}`, ...at(0, 800) },
    { key: `${r}l`, parent: `${r}g`, index: 0, role: 'label', name: `Invoice ${r}`, ...at(0, 100) },
    { key: `${r}t`, parent: `${r}g`, index: 1, role: 'textbox', name: `Amount ${r}`, value: String(r), ...at(110, 100) },
    { key: `${r}b`, parent: `${r}g`, index: 2, role: 'button', name: 'Delete', ...at(220, 80) },
  ]
}

const APPS: AppIdentity[] = [
  { id: 'a', name: 'invoices' },
  { id: 'h', name: 'passwords' },
]

const SETTING: Setting = { desktop: 'virtual', driver: 'virtual', mode: 'simulation_only', now: 0 }

/** Hides one application. */
const HIDING: Policy = {
  version: '1',
  visible: (app) => app.id !== 'h',
  sees: () => true,
  pictured: () => true,
  masked: () => false,
  private: { own: {} },
  assess: () => unused(),
  decide: () => unused(),
}

function unused(): never {
  throw new Error('only visibility is asked')
}

/** One window with lines of a label, a checkbox, a field and a button: nothing that an outline could fold. */
function form(rows: number): Promise<Live> {
  const nodes: FlatNode[] = [{ key: '0', index: 0, app: 'a', role: 'window', name: 'Invoices' }]
  const states = { visible: true, enabled: true, focusable: true }
  for (let r = 0; r < rows; r++) {
    const at = (c: number) => ({ parent: '0', index: 4 * r + c, bounds: { x: 150 * c, y: r * 24, w: 140, h: 24 }, states, app: 'a' })
    nodes.push({ key: `${r}l`, role: 'label', name: `Invoice ${r}`, ...at(0) })
    nodes.push({ key: `${r}c`, role: 'checkbox', name: `Paid ${r}`, ...at(1) })
    nodes.push({ key: `${r}t`, role: 'textbox', name: `Amount ${r}`, value: String(r), ...at(2) })
    nodes.push({ key: `${r}b`, role: 'button', name: `Delete ${r}`, ...at(3) })
  }
  return live({ nodes, apps: [{ id: 'a', name: 'invoices' }] })
}

function recorded(): Promise<Live> {
  const file: Seed = JSON.parse(readFileSync(new URL('../packages/core/src/selector/fixtures/mousepad.json', import.meta.url), 'utf8'))
  return live(file)
}

interface Seed {
  nodes: FlatNode[]
  apps: AppIdentity[]
}

interface Live {
  tree: LiveTree
  /** Reports changes, as the driver would. */
  tell(changes: Change[]): Promise<void>
}

/** The replica that a session searches, with a driver that can do nothing but report. */
async function live(seed: Seed): Promise<Live> {
  let told: Change[] = []
  const refuse = (): Promise<never> => Promise.reject(new Error('only a tree'))
  const tree = new LiveTree({
    read: async () => ({ ...seed, cursor: '0', completeness: COMPLETE }),
    changes: async () => ({ cursor: '0', changes: told }),
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
  })
  await tree.sync()
  return {
    tree,
    tell: (changes) => {
      told = changes
      return tree.sync()
    },
  }
}
