import { expect, test } from 'vitest'
import { desk, element, window } from '../support/desk.ts'

const bank = (): unknown => ({
  windows: [window('Bank', [element('group', 'Form', { children: [element('button', 'Pay')] })])],
  apps: { notes: [window('Notes', [element('group', 'Page', { children: [element('button', 'Save')] })])] },
})

const NO_BANK = '[[rule]]\ntoolName = "ui.click"\ndecision = "deny"\npriority = 900\nwhen = { window = "Bank" }\n'

test('after a user interface was loaded, once or twice, its elements lie in their windows and a rule for the window holds', async () => {
  const d = await desk({ ui: [], policy: NO_BANK })
  await d.call('ui.snapshot')
  for (let times = 0; times < 2; times++) {
    d.driver.load(bank())
    const answer = await d.call('ui.click', { target: 'role=button && name="Pay"' })
    expect(answer.error?.code).toBe('DENIED')
  }
  expect(await d.call('ui.query', { selector: 'role=button && name="Pay"' })).toMatchObject({ data: { count: 1 } })
  await d.session.close()
})

test('an application that is launched on a simulated desktop has its elements in its window', async () => {
  const d = await desk({ ui: bank() })
  await d.call('ui.snapshot')
  await d.call('desktop.launch', { app: 'notes' })
  const { data } = await d.call('ui.snapshot', { scope: 'desktop', includeTree: true })
  const { tree } = data as { tree: { children: { name: string }[] } }
  expect(tree.children.map((root) => root.name).toSorted()).toEqual(['Bank', 'Notes'])
  await d.session.close()
})

test('the simulated driver tells parents before their children', async () => {
  const d = await desk({ ui: [] })
  const ctx = { deadlineMs: 10_000, signal: new AbortController().signal }
  const { cursor } = await d.driver.observe.read({}, ctx)
  d.driver.load(bank())
  const told = await d.driver.observe.changes(cursor, 0, ctx)
  const known = new Set<string>()
  for (const change of 'reset' in told ? [] : told.changes) {
    if (change.type !== 'put') continue
    if (change.node.parent !== undefined) expect(known).toContain(change.node.parent)
    known.add(change.node.key)
  }
  expect(known.size).toBe(3)
  await d.session.close()
})
