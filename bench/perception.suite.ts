import { readFileSync } from 'node:fs'
import { COMPLETE, walk, type AppIdentity, type FlatNode, type UiNode, type UiTree } from '@deskhand/core/model'
import { generate, match, parse } from '@deskhand/core/selector'
import { diff, outline, tokens } from '../packages/core/src/session/outline.ts'
import { LiveTree } from '../packages/core/src/session/tree.ts'
import { time, type Report } from './report.ts'

/** What an agent meets first: finding an element, and reading the screen as text. */
export default async function perception(report: Report): Promise<void> {
  await selectors(report)
  await outlines(report)
}

async function selectors(report: Report): Promise<void> {
  const five = 'role=textbox && enabled=true && visible=true && name~="amount" && value^="12"'
  const small = await table(2_500)
  const large = await table(25_000)
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
  const window = await form(125)
  const mousepad = await recorded()
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
  const before = outline(window, { id }).state
  const changed = [...walk(window.roots)].find((n) => n.role === 'textbox') as UiNode
  changed.value = 'something else'
  report.add({
    name: 'difference after one change',
    unit: 'tokens',
    ours: tokens(diff(before, window, { id }).text),
    bar: { of: 'ours', atMost: 200 },
  })
}

const json = ({ key, parent: _parent, index: _index, app: _app, children, ...face }: UiNode): object => ({
  id: `e${key}`,
  ...face,
  children: children.map(json),
})

/** Rows of a group with a label, a field and a button: four nodes each. */
function table(rows: number): Promise<UiTree> {
  const nodes: FlatNode[] = [{ key: '0', index: 0, app: 'a', role: 'window', name: 'Invoices' }]
  const states = { visible: true, enabled: true, focusable: true }
  for (let r = 0; r < rows; r++) {
    const at = (x: number, w: number) => ({ bounds: { x, y: r * 24, w, h: 24 }, states, app: 'a' })
    nodes.push({ key: `${r}g`, parent: '0', index: r, role: 'group', name: `Line ${r}`, ...at(0, 800) })
    nodes.push({ key: `${r}l`, parent: `${r}g`, index: 0, role: 'label', name: `Invoice ${r}`, ...at(0, 100) })
    nodes.push({ key: `${r}t`, parent: `${r}g`, index: 1, role: 'textbox', name: `Amount ${r}`, value: String(r), ...at(110, 100) })
    nodes.push({ key: `${r}b`, parent: `${r}g`, index: 2, role: 'button', name: 'Delete', ...at(220, 80) })
  }
  return live({ nodes, apps: [{ id: 'a', name: 'invoices' }] })
}

/** One window with lines of a label, a checkbox, a field and a button: nothing that an outline could fold. */
function form(rows: number): Promise<UiTree> {
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

function recorded(): Promise<UiTree> {
  const file: Seed = JSON.parse(readFileSync(new URL('../packages/core/src/selector/fixtures/mousepad.json', import.meta.url), 'utf8'))
  return live(file)
}

interface Seed {
  nodes: FlatNode[]
  apps: AppIdentity[]
}

/** The replica that a session searches, seeded by a driver that can do nothing else. */
async function live(seed: Seed): Promise<UiTree> {
  const refuse = (): Promise<never> => Promise.reject(new Error('only a tree'))
  const tree = new LiveTree({
    read: async () => ({ ...seed, cursor: '0', completeness: COMPLETE }),
    changes: async () => ({ cursor: '0', changes: [] }),
    info: refuse,
    screens: refuse,
    watch: refuse,
    check: refuse,
    hit: refuse,
    capture: refuse,
    develop: refuse,
    readClipboard: refuse,
    pointer: refuse,
  })
  await tree.sync()
  return tree
}
