import { existsSync } from 'node:fs'
import { expect, onTestFinished, test } from 'vitest'
import type { Result } from '@deskhand/core/model'
import { ChildChannel } from '../../packages/deskhand/src/drivers/child-channel.ts'
import { open } from '../../packages/deskhand/src/wiring/open.ts'
import { OddDesk } from './odd-desk.ts'

const PATIENT = { timeout: 60_000 }
const GOES_ON = { status: 'success', effect: 'confirmed' }
const DOWN = /^(DRIVER_DEAD|PROTOCOL|TIMEOUT|NOT_FOUND|STALE_REF|LEASE_LOST)$/

test.concurrent.for([
  'die',
  'hang',
  'wrong shape',
  'asks for code',
  'resets',
  'floods with changes',
  'speaks of others',
  'prints',
  'floods with messages',
  'sends a huge line',
  'has more without end',
  'is slow',
  'hoards texts',
])('a driver that goes wrong (%s) is ended and started again, and the rest of the desktop goes on', async (mode, { expect }) => {
  const desk = await OddDesk.open()
  try {
    expect(await desk.send()).toMatchObject({ status: 'success', sent: 'all' })
    const [first] = desk.starts()
    desk.behave(mode)
    const isThere = async (): Promise<boolean> => {
      expect(await desk.call('ui.snapshot')).toMatchObject({ status: 'success' })
      return existsSync(`/proc/${first?.pid}/exe`)
    }
    await expect.poll(isThere, PATIENT).toBe(false)
    const { error } = await desk.send()
    if (error !== undefined) expect(error.code).toMatch(DOWN)
    expect(await desk.fill(mode)).toMatchObject(GOES_ON)

    desk.behave('good')
    await expect.poll(async () => (await desk.send()).status, PATIENT).toBe('success')
    expect(desk.starts().length).toBeGreaterThan(1)
  } finally {
    await desk.close()
  }
})

test('what a driver told of fails with DRIVER_DEAD while it is down, by its id and by a selector, and its id is stale once it is back', async () => {
  const desk = await OddDesk.open()
  onTestFinished(() => desk.close())
  const { resolvedTarget } = await desk.send()
  const byId = (tool = 'ui.click'): Promise<Result> => desk.call(tool, { target: resolvedTarget?.elementId, timeoutMs: 0 })
  expect(await byId()).toMatchObject({ status: 'success' })
  desk.behave('no start')
  process.kill(desk.starts()[0]!.pid, 'SIGKILL')
  const down = {
    sent: 'none',
    error: { code: 'DRIVER_DEAD', message: expect.stringContaining('the driver odd does not serve its windows') },
  }
  await expect.poll(byId, PATIENT).toMatchObject(down)
  expect(await desk.send()).toMatchObject(down)
  expect(await desk.call('ui.set', { target: 'odd:name=Customer', value: 'x' })).toMatchObject(down)
  expect(await desk.call('ui.query', { selector: 'odd:role=button' })).toMatchObject(down)
  expect(await desk.call('ui.query', { selector: 'role=tree' })).toMatchObject({ status: 'success', data: { count: 0 } })
  // What no driver alone answers for is only not found.
  expect(await desk.call('ui.click', { target: 'name=Send', timeoutMs: 0 })).toMatchObject({ error: { code: 'NOT_FOUND' } })
  expect(await desk.call('ui.click', { target: 'virtual:name=Send', timeoutMs: 0 })).toMatchObject({ error: { code: 'NOT_FOUND' } })
  expect((await desk.call('ui.snapshot', { scope: 'desktop' })).data).toMatchObject({ completeness: { reasons: [{ driver: 'odd' }] } })
  expect(await byId()).toMatchObject(down)

  // A call with patience waits for it to be back.
  const waiting = desk.call('ui.click', { target: 'odd:role=button && name=Send', timeoutMs: 60_000 })
  desk.behave('good')
  expect(await waiting).toMatchObject({ status: 'success' })
  expect(await byId()).toMatchObject({ error: { code: 'STALE_REF' } })
})

test('a driver whose tree makes no sense is named, with what is wrong, by a look for its elements as by a click', async () => {
  const desk = await OddDesk.open('no role')
  onTestFinished(() => desk.close())
  const wrong = { error: { code: 'DRIVER_DEAD', message: expect.stringMatching(/odd.*"admin" is no role/) } }
  const next = expect.stringContaining('deskhand driver check') as string
  expect(await desk.call('ui.query', { selector: 'odd:role=button' })).toMatchObject({ error: { ...wrong.error, next } })
  expect(await desk.send()).toMatchObject({ error: { ...wrong.error, next } })
})

test.concurrent.for([
  ['on press: die', 'DRIVER_DEAD'] as const,
  ['on press: no answer', 'DRIVER_DEAD'],
  ['on press: nonsense', 'PROTOCOL'],
  ['on press: speaks for the session', 'DRIVER_FAILED'],
])('a step that goes wrong (%s) fails with %s, and what the driver says is marked as its word', async ([mode, code], { expect }) => {
  const desk = await OddDesk.open()
  try {
    desk.behave(mode)
    const { error } = await desk.send()
    expect(error).toMatchObject({ code, message: expect.stringContaining('the driver odd') as string })
    expect(error?.next).not.toContain('Do as I say')
    if (code === 'PROTOCOL') expect(error?.next).toContain('deskhand driver check')
    expect(await desk.fill('on')).toMatchObject(GOES_ON)
  } finally {
    await desk.close()
  }
})

test.concurrent.for(['same key twice', 'endless depth', 'bounds from nowhere', 'no role', 'an endless attribute', 'endless actions'])(
  'a tree that cannot be (%s) is not taken',
  async (mode, { expect }) => {
    const desk = await OddDesk.open(mode)
    try {
      const look = await desk.call('ui.snapshot', { scope: 'desktop' })
      expect(look.text).toContain('Form')
      expect(look.text).not.toContain('Presses')
      expect(JSON.stringify(look.data)).toContain('the driver odd')
      desk.behave('good')
      await expect.poll(async () => (await desk.send()).status, PATIENT).toBe('success')
    } finally {
      await desk.close()
    }
  },
)

test('a driver speaks for no window but its own', async () => {
  // What the desktop's own application may do, one that only calls itself so may not.
  const desk = await OddDesk.open(
    'good',
    `
    [[rule]]
    toolName = "ui.*"
    decision = "deny"
    priority = 100
    [rule.when]
    app = "driver:odd"
    name = "Send"
    [[rule]]
    toolName = "ui.click"
    decision = "ask_user"
    priority = 90
    [[rule]]
    toolName = "ui.click"
    decision = "allow"
    priority = 95
    [rule.when]
    app = "virtual:form"
  `,
  )
  onTestFinished(() => desk.close())
  const { data } = await desk.call('ui.describe', { element: 'odd:name=Customer' })
  const told = JSON.stringify(data)
  expect(data).toMatchObject({ attributes: { kept: 1 } })
  for (const claim of ['"bounds"', '"focused"', 'bank.example', 'windowHandle']) expect(told).not.toContain(claim)

  const ended = (code: string): object => ({ status: 'error', error: { code } })
  expect(await desk.send()).toMatchObject(ended('DENIED'))
  expect(await desk.call('ui.click', { target: 'odd:role=label', timeoutMs: 0 })).toMatchObject(ended('APPROVAL_NEEDED'))
  const own = await desk.call('ui.click', { target: 'virtual:name=Save' })
  expect(own).toMatchObject({ status: 'success' })

  // It says that its field has the focus; keys still go where the desktop's own driver says.
  await desk.call('ui.click', { target: 'virtual:name=Name' })
  expect(await desk.call('ui.type', { text: 'mine' })).toMatchObject({ status: 'success', sent: 'all' })
  expect((await desk.call('ui.describe', { element: 'virtual:name=Name' })).data).toMatchObject({ value: 'mine' })
  const keyed = await desk.call('ui.key', { target: 'odd:name=Customer', keys: 'a', timeoutMs: 0 })
  expect(keyed).toMatchObject({ status: 'error', sent: 'none' })
})

test('a driver that does not start leaves the desktop as it is, is tried less and less often, and is taken in when it is there', async () => {
  const desk = await OddDesk.open('no start')
  onTestFinished(() => desk.close())
  expect(await desk.fill('alone')).toMatchObject({ ...GOES_ON, driver: { name: 'virtual+odd', version: '0.1.0+' } })
  await expect.poll(() => desk.starts().length, PATIENT).toBeGreaterThanOrEqual(4)
  const [first = 0, second = 0, third = 0, fourth = 0] = desk.starts().map((s) => s.at)
  // Between two starts lies the wait, and the start of a process, which may take longer the first time.
  expect(third - first).toBeGreaterThanOrEqual(1000)
  expect(fourth - first).toBeGreaterThanOrEqual(3000)
  expect(fourth - third).toBeGreaterThan(second - first)
  desk.behave('good')
  await expect.poll(async () => (await desk.send()).status, PATIENT).toBe('success')
  await expect.poll(async () => (await desk.send()).driver?.version, PATIENT).toBe('0.1.0+1')
})

test.each([
  ['its name', { name: 'virtual' }],
  ['a prefix', { name: 'odd', prefixes: ['odd', 'virtual'] }],
])("a driver that would take %s of the desktop's own driver keeps the desktop from coming up", async (_, entry) => {
  const mcp = { command: [process.execPath, '-e', ''] as [string, ...string[]] }
  const opened = open({ config: { desktop: { kind: 'virtual' }, drivers: [{ ...entry, mcp }] } })
  await expect(opened).rejects.toMatchObject({ code: 'BAD_CONFIG', message: expect.stringContaining('virtual:') as string })
})

test('a driver that floods its log is ended', async () => {
  const channel = new ChildChannel({ command: ['sh', '-c', 'exec yes >&2'] })
  onTestFinished(() => channel.close())
  expect(await channel.ended).toMatchObject({ code: 'PROTOCOL', message: expect.stringContaining('bytes in a second') as string })
})
