import fc from 'fast-check'
import { expect, test } from 'vitest'
import { FlatNode, PlatformIds, States } from '../../model/index.ts'
import { isFlatNode } from './nodes.ts'

const good: FlatNode = {
  key: 'k',
  parent: 'p',
  index: 0,
  app: 'a',
  role: 'checkbox',
  name: 'n',
  value: 'v',
  description: 'd',
  bounds: { x: -1.5, y: 0, w: 10, h: 10 },
  states: { enabled: true, checked: 'mixed' },
  platformIds: { atspiPath: '/x' },
  patterns: { toggle: true },
  actions: ['press'],
  attributes: { a: 'x', b: 1, c: false },
}

test('the check by hand and the schema agree about every node with one or two fields changed', () => {
  const wrong = fc.oneof(fc.jsonValue({ maxDepth: 1 }), fc.constant(undefined), fc.double())
  const top = fc.constantFrom(...Object.keys(FlatNode.shape))
  const inside = fc.oneof(
    fc.tuple(fc.constant('bounds'), fc.constantFrom('x', 'y', 'w', 'h', 'more')),
    fc.tuple(fc.constant('states'), fc.constantFrom(...Object.keys(States.shape), 'more')),
    fc.tuple(fc.constant('platformIds'), fc.constantFrom(...Object.keys(PlatformIds.shape), 'more')),
    fc.tuple(fc.constantFrom('patterns', 'attributes'), fc.string()),
  )
  const state = fc.constantFrom(true, false, 'mixed')
  const change = fc.tuple(
    fc.oneof(
      top.map((name) => [name]),
      inside,
    ),
    fc.oneof(wrong, fc.string(), fc.integer(), state),
  )
  const seen = { accepted: 0, refused: 0 }
  fc.assert(
    fc.property(fc.array(change, { minLength: 1, maxLength: 2 }), (changes) => {
      const node = changes.reduce((n, [path, value]) => put(n, path, value), { ...good } as Record<string, unknown>)
      const ok = FlatNode.safeParse(node).success
      expect(isFlatNode(node)).toBe(ok)
      seen[ok ? 'accepted' : 'refused']++
    }),
    { numRuns: 3000 },
  )
  expect(Math.min(seen.accepted, seen.refused)).toBeGreaterThan(100)
})

test.each([null, undefined, 'node', 7, [], [good]])('%j is no node', (value) => {
  expect(isFlatNode(value)).toBe(false)
})

function put(node: Record<string, unknown>, [name, inner]: string[], value: unknown): Record<string, unknown> {
  if (inner === undefined) return { ...node, [name!]: value }
  const holder = node[name!]
  return { ...node, [name!]: typeof holder === 'object' ? { ...holder, [inner]: value } : holder }
}
