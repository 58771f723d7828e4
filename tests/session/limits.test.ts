import { expect, test, vi } from 'vitest'
import type { Session } from '@deskhand/core/session'
import { desk, element, OPERATOR, window } from '../support/desk.ts'

const UI = {
  windows: [window('Shop', [element('button', 'Order'), element('text_field', 'Name'), element('checkbox', 'Agree')])],
  apps: { editor: [window('Editor', [])], terminal: [window('Terminal', [])] },
}
const KEY = [
  { type: 'down', key: 'a' },
  { type: 'up', key: 'a' },
]

test.each([
  [
    'input.keys',
    { events: Array.from({ length: 100_000 }, () => KEY).flat() },
    'hold more than 20000 values; send the rest in calls of their own',
  ],
  [
    'input.pointer',
    { events: Array.from({ length: 2_001 }, () => ({ type: 'move', x: 1, y: 1 })) },
    'events: one call takes at most 2000 events',
  ],
  ['ui.key', { keys: Array.from({ length: 3_000 }, () => 'Tab') }, 'keys: one call takes at most 500 chords'],
  ['ui.key', { keys: 'a+'.repeat(500) }, 'send several as a list'],
  ['ui.type', { target: 'name="Name"', text: 'x'.repeat(5_000_000) }, 'text: one call takes at most 200000 characters'],
  ['desktop.launch', { app: 'editor', args: Array.from({ length: 30_000 }, () => '-') }, 'hold more than 20000 values'],
])('%s with more than one call takes is refused before it is read, with the way to go on', async (tool, args, words) => {
  const { call, driver } = await desk({ ui: UI })
  const { error, sent } = await call(tool, args)
  expect({ code: error?.code, sent }).toEqual({ code: 'BAD_ARGS', sent: 'none' })
  expect(error?.message).toContain(words)
  expect(driver.describe()[0]?.children?.find((c) => c.label_text === 'Name')?.value ?? '').toBe('')
})

const nested = (depth: number): unknown => {
  let condition: unknown = { text: 'x' }
  for (let i = 0; i < depth; i++) condition = { not: condition }
  return condition
}

test.each([
  ['ui.assert', { condition: nested(5_000) }],
  ['ui.click', { target: 'name="Order"', verify: nested(5_000) }],
  ['ui.batch', { steps: [{ tool: 'ui.assert', args: { condition: nested(5_000) } }] }],
  ['plan.rehearse', { actions: [{ tool: 'ui.assert', args: { condition: nested(5_000) } }] }],
])('%s with arguments that are nested thousands deep is refused as wrong arguments', async (tool, args) => {
  const { call } = await desk({ ui: UI })
  for (const callId of [undefined, 'deep']) {
    const { error } = await call(tool, args, { callId })
    expect(error?.code).toBe('BAD_ARGS')
    expect(error?.message).toContain('nested more than 100 deep')
  }
})

test('a condition of many parts is refused, as each of them may look through the whole tree', async () => {
  const { call } = await desk({ ui: UI })
  const { error } = await call('ui.assert', { condition: { any: Array.from({ length: 200 }, () => ({ text: 'x' })) } })
  expect(error?.message).toContain('at most 100 parts')
})

const ASK = '[[rule]]\ntoolName = "desktop.launch"\ndecision = "ask_user"\npriority = 500\n'

test('what is allowed for the session when a program is started holds for that program with those arguments alone', async () => {
  const { call, session } = await desk({ ui: UI, policy: ASK })
  const launch = (app: string, ...args: string[]) => call('desktop.launch', { app, args }, { waitMs: 60 })
  const first = await launch('editor', 'notes.txt')
  expect(first.error?.code).toBe('APPROVAL_PENDING')
  const [asked] = session.approvals.list()
  expect(asked?.offers).toMatchObject([{ scope: 'session', tools: ['desktop.launch'], apps: ['editor notes.txt'] }])
  await session.invoke('approvals.answer', { id: asked!.id, allow: true, scope: 'session' }, OPERATOR)
  await call('op.wait', { op: first.op })
  expect(session.approvals.grants()).toMatchObject([{ apps: ['editor notes.txt'] }])
  expect(await launch('editor', 'notes.txt')).toMatchObject({ status: 'success' })
  expect((await launch('editor', 'other.txt')).error?.code).toBe('APPROVAL_PENDING')
  expect((await launch('terminal', 'notes.txt')).error?.code).toBe('APPROVAL_PENDING')
  expect((await launch('terminal')).error?.code).toBe('APPROVAL_PENDING')
})

/** A call whose keys each may move the focus: from the fourth on `before` happens before each is sent. */
async function tabs(before: (session: Session) => void) {
  const { call, session, driver } = await desk({ ui: UI })
  await call('ui.focus', { target: 'name="Agree"' })
  const step = driver.act.step.bind(driver.act)
  let count = 0
  vi.spyOn(driver.act, 'step').mockImplementation((...given) => {
    if (++count > 3) before(session)
    return step(...given)
  })
  const result = await call('ui.key', { keys: Array.from({ length: 500 }, () => 'Tab') })
  return { result, call, sent: count }
}

test('stop ends a list of keys that each may move the focus between two of them', async () => {
  const { result, sent } = await tabs((session) => void session.invoke('stop', {}, OPERATOR))
  expect(result).toMatchObject({ error: { code: 'STOPPED' } })
  expect(sent).toBeLessThan(8)
})

test('a call that sends one thing after the other keeps the controls for half a minute and no longer', async () => {
  const now = performance.now.bind(performance)
  let later = 0
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => now() + later)
  try {
    const { result, sent, call } = await tabs(() => (later += 11_000))
    expect(result).toMatchObject({ sent: 'partial', error: { code: 'LEASE_LOST', message: 'only 12 events were sent' } })
    expect(sent).toBeLessThan(8)
    expect(await call('ui.click', { target: 'name="Order"' })).toMatchObject({ status: 'success' })
  } finally {
    clock.mockRestore()
  }
})
