import { expect, test } from 'vitest'
import type { Change, Observe } from '../../driver/driver.ts'
import { COMPLETE, type FlatNode, type Principal, type TargetFacts } from '../../model/index.ts'
import type { Policy, Setting } from '../../policy/policy.ts'
import { LiveTree } from './live-tree.ts'
import { View } from './view.ts'

const SETTING: Setting = { desktop: 'virtual', driver: 'virtual', mode: 'simulation_only', now: 0 }
const agent = (id: string): Principal => ({ id, role: 'agent' })
const node = (key: string, parent: string | undefined, index: number, role: string, name?: string): FlatNode => ({
  key,
  parent,
  index,
  app: 'browser',
  role,
  name,
})

/** A browser with two pages, one of which is called Bank. */
async function browser(): Promise<{ tree: LiveTree; tell(...changes: Change[]): Promise<void> }> {
  let told: Change[] = []
  const nodes = [
    node('w', undefined, 0, 'window', 'Browser'),
    node('bank', 'w', 0, 'document', 'Bank'),
    node('b', 'bank', 0, 'button', 'Pay'),
    node('news', 'w', 1, 'document', 'News'),
    node('n', 'news', 0, 'button', 'Read'),
  ]
  const observe = {
    read: () => Promise.resolve({ cursor: '0', nodes, apps: [{ id: 'browser', name: 'browser' }], completeness: COMPLETE }),
    changes: () => Promise.resolve({ cursor: '0', changes: told }),
  }
  const tree = new LiveTree(observe as unknown as Observe)
  await tree.sync()
  return {
    tree,
    tell: (...changes) => {
      told = changes
      return tree.sync()
    },
  }
}

/** Hides pages called Bank from one agent, and counts what it is asked. */
function policyFor(who: string): Policy & { asked: number } {
  const policy = {
    version: '1',
    asked: 0,
    visible: () => {
      policy.asked++
      return true
    },
    sees: (target: TargetFacts, principal: Principal) => {
      policy.asked++
      return principal.id !== who || target.name !== 'Bank'
    },
  }
  return policy as unknown as Policy & { asked: number }
}

const viewOf = (tree: LiveTree, policy: Policy): View =>
  new View({ tree, policy: () => policy, setting: () => SETTING, mode: () => SETTING.mode, now: () => SETTING.now })

test('principals that take turns keep their views', async () => {
  const { tree } = await browser()
  const policy = policyFor('a')
  const view = viewOf(tree, policy)
  const look = (id: string) => view.of(agent(id)).see('b')?.name
  expect([look('a'), look('b')]).toEqual([undefined, 'Pay'])
  const { asked } = policy
  for (let i = 0; i < 10; i++) expect([look('a'), look('b')]).toEqual([undefined, 'Pay'])
  expect(policy.asked).toBe(asked)
})

test('more principals than are kept still see what is theirs', async () => {
  const { tree } = await browser()
  const view = viewOf(tree, policyFor('a7'))
  for (let i = 0; i < 100; i++) expect(view.of(agent(`a${i}`)).see('b')?.name).toBe(i === 7 ? undefined : 'Pay')
  expect(view.of(agent('a7')).see('b')).toBeUndefined()
})

test('another policy, another mode or another second is asked anew', async () => {
  const { tree } = await browser()
  let policy = policyFor('b')
  let setting = SETTING
  const view = new View({ tree, policy: () => policy, setting: () => setting, mode: () => setting.mode, now: () => setting.now })
  const look = () => view.of(agent('a')).see('b')?.name
  expect(look()).toBe('Pay')
  policy = policyFor('a')
  expect(look()).toBeUndefined()
  const changes = [{ mode: 'allow_actual_input_full' }, { now: SETTING.now + 1_000 }] as const
  for (const change of changes) {
    const { asked } = policy
    setting = { ...setting, ...change }
    look()
    expect(policy.asked).toBeGreaterThan(asked)
  }
})

test('a view that was taken before a change shows the tree after it', async () => {
  const { tree, tell } = await browser()
  const seen = viewOf(tree, policyFor('a')).of(agent('a'))
  expect(seen.see('n')?.name).toBe('Read')
  await tell({ type: 'put', node: node('news', 'w', 1, 'document', 'Bank') })
  expect(seen.see('n')).toBeUndefined()
  expect(seen.roots.map((r) => r.children.length)).toEqual([0])
})

test('a node that was taken before a change leads to nothing that was hidden by it', async () => {
  const { tree, tell } = await browser()
  const page = viewOf(tree, policyFor('a')).of(agent('a')).see('news')
  await tell(
    { type: 'put', node: node('news', 'w', 1, 'document', 'Bank') },
    { type: 'put', node: node('new', 'w', 2, 'document', 'Bank') },
  )
  expect(page?.name).toBe('News')
  expect(page?.children).toEqual([])
  expect(page?.parent).toBeUndefined()
})
