import fc from 'fast-check'
import { expect, test } from 'vitest'
import { walk, type UiNode, type UiTree } from '../model/index.ts'
import type { Selector } from './ast.ts'
import { trees } from './fixtures/arbitraries.ts'
import { box, recorded, treeOf } from './fixtures/trees.ts'
import { generate, generator } from './generate.ts'
import { labelOf } from './labels.ts'
import { match } from './match.ts'
import { parse } from './parse.ts'

function everyNodeIsNamed(tree: UiTree): void {
  const name = generator(tree)
  for (const node of walk(tree.roots)) {
    const found = match(name(node), tree).map((m) => m.node)
    if (found.length !== 1 || found[0] !== node)
      throw new Error(`${name(node)} finds ${found.map((n) => n.key).join(', ')} instead of ${node.key}`)
  }
}

/** Everything that some step of the selector describes by itself. */
function related(selector: Selector, tree: UiTree): Set<UiNode> {
  const finds = selector.alternatives.flatMap((path) => [
    path.first,
    ...path.links.flatMap((link) => (link.type === 'nth' ? [] : [link.find])),
  ])
  const found = finds.flatMap((first) => match({ alternatives: [{ first, links: [] }] }, tree).map((m) => m.node))
  return new Set(found.flatMap((n) => [n, ...(labelOf(n, () => true)?.parent?.children ?? []), ...(n.name ? [] : walk(n.children))]))
}

function everyNameSurvives(tree: UiTree): void {
  const name = generator(tree)
  const nodes = [...walk(tree.roots)]
  const selectors = nodes.map((node) => name(node))
  for (const [i, node] of nodes.entries()) {
    const selector = parse(selectors[i] ?? '')
    const kept = related(selector, tree)
    for (let up = node.parent; up; up = up.parent) kept.add(up)
    const before = new Map(nodes.map((n) => [n, n.name]))
    for (const other of nodes) if (!kept.has(other) && other.name) other.name = `renamed ${other.key}`
    const found = match(selector, tree).map((m) => m.node.key)
    for (const [other, was] of before) other.name = was
    if (found.length !== 1 || found[0] !== node.key)
      throw new Error(`after renaming, ${selectors[i]} finds ${found.join(', ')} instead of ${node.key}`)
  }
}

test.each(['mousepad', 'gtk3-widget-factory'] as const)(
  'every node of %s gets a selector of its own, which survives that others are renamed',
  (app) => {
    everyNodeIsNamed(recorded(app))
    everyNameSurvives(recorded(app))
  },
)

test('every node of any tree gets a selector of its own, which survives that others are renamed', () => {
  fc.assert(
    fc.property(trees, (tree) => {
      everyNodeIsNamed(tree)
      everyNameSurvives(tree)
    }),
    { numRuns: 300 },
  )
})

test('two trees at once: what is unique to one application is scoped to it', () => {
  const both: UiTree = {
    ...recorded('mousepad'),
    roots: [...recorded('mousepad').roots, ...recorded('gtk3-widget-factory').roots.map((r) => rekeyed(r))],
  }
  everyNodeIsNamed(both)
})

function rekeyed(node: UiNode, parent?: UiNode): UiNode {
  const copy: UiNode = { ...node, key: `w${node.key}`, parent, children: [] }
  copy.children = node.children.map((child) => rekeyed(child, copy))
  return copy
}

const named = (key: string, tree: UiTree): string => {
  const node = [...walk(tree.roots)].find((n) => n.key === key)
  if (!node) throw new Error(`no ${key}`)
  return generate(node, tree)
}

const shop = treeOf(
  {
    role: 'window',
    name: 'Shop',
    ...box(0, 0, 500, 500),
    children: [
      { role: 'button', name: 'Buy', platformIds: { automationId: 'buy', atspiPath: '/7' } },
      { role: 'button', name: 'OK' },
      { role: 'label', name: 'Mail', ...box(0, 50, 50, 20) },
      { role: 'textbox', ...box(60, 50, 90, 20), platformIds: { atspiPath: '/8' } },
      { role: 'textbox', ...box(60, 90, 90, 20), platformIds: { atspiPath: '/9' } },
      { role: 'statusbar' },
      {
        role: 'list',
        name: 'Cart',
        children: [
          { role: 'listitem', name: 'Tea' },
          { role: 'listitem', name: 'Tea' },
          { role: 'listitem', name: 'Milk' },
        ],
      },
    ],
  },
  { role: 'dialog', name: 'Really?', children: [{ role: 'button', name: 'OK' }] },
)

test.each([
  ['a stable id comes first', 'n1', 'automationId="buy"'],
  ['then role and name', 'n3', 'role=label && name="Mail"'],
  ['a name that occurs twice is scoped to its window', 'n2', 'window="Shop" && role=button && name="OK"'],
  ['likewise in a dialog', 'n12', 'window="Really?" && role=button && name="OK"'],
  ['a role that occurs once in its application is scoped to that', 'n6', 'app="invoices" && role=statusbar'],
  ['a nameless field is known by its label', 'n4', 'role=textbox && name="Mail"'],
  ['equal names in a list count within the list', 'n9', 'role=list && name="Cart" >> role=listitem && name="Tea" >> nth=1'],
])('%s', (_, key, selector) => {
  expect(named(key, shop)).toBe(selector)
})

test('paths that change with every run are never used', () => {
  for (const node of walk(recorded('mousepad').roots)) expect(generate(node, recorded('mousepad'))).not.toContain('atspiPath')
})

test('a very long name is shortened to its beginning when that is enough', () => {
  const tree = treeOf({ role: 'label', name: `Terms: ${'x'.repeat(500)}` }, { role: 'label', name: 'Other' })
  expect(named('n0', tree).length).toBeLessThan(100)
  everyNodeIsNamed(tree)
})

test('a node with no known role still gets a selector that parses', () => {
  const tree = treeOf({ role: 'flux capacitor', name: 'x' }, { role: 'flux capacitor' })
  everyNodeIsNamed(tree)
})
