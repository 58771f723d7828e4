import { once } from 'node:events'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Activity, type Driver, within } from '@deskhand/core/driver'
import type { FlatNode } from '@deskhand/core/model'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { govern, type TestDesk } from '../support/desk.ts'
import { Seen } from '../support/seen.ts'
import { describeWine, double, inside, NODE, onZ, openWine, type Wine } from '../support/wine.ts'

const fixture = (name: string): string => fileURLToPath(new URL(`../fixtures/windows/${name}`, import.meta.url))
const MANY = 10_000
const seen = new Seen('airbag')

interface Watched {
  wine: Wine
  driver: Driver
  desk: Pick<TestDesk, 'session' | 'call' | 'journal'>
  field(): Promise<FlatNode | undefined>
  /** What came since the window was ready: Wine itself injects an event while one is opened. */
  foreign(): Promise<Activity['foreign']>
  inject(events: number, mark?: string): Promise<void>
}

/** The contract's window with the keyboard in a field, and an airbag of this mode around it. */
async function watched(mode: string): Promise<Watched> {
  const wine = await openWine()
  const { driver } = await wine.driver({ DESKHAND_AIRBAG: mode })
  const desk = await govern(driver, '', { desktop: 'sandbox', mode: 'allow_actual_input_full' })
  wine.run([NODE, onZ(fixture('contract.mjs')), '0'], { log: join(wine.folder, 'fixture.out') })
  const field = async (): Promise<FlatNode | undefined> =>
    (await driver.observe.read({}, within(60_000))).nodes.find((n) => n.role === 'textbox' && n.name === 'Name')
  await vi.waitFor(async () => expect(await field()).toBeDefined(), { timeout: 60_000 })
  expect((await desk.call('ui.click', { target: 'role=textbox && name="Name"' })).error).toBeUndefined()
  const count = async (): Promise<NonNullable<Activity['foreign']>> =>
    (await driver.observe.watch('drawing', undefined, 0, within(20_000))).foreign ?? { seen: 0, swallowed: 0 }
  const before = await count()
  return {
    wine,
    driver,
    desk,
    field,
    foreign: async () => {
      const { seen: now, swallowed } = await count()
      return { seen: now - before.seen, swallowed: swallowed - before.swallowed }
    },
    inject: async (events, mark = '0') => {
      await once(wine.run([NODE, onZ(fixture('stranger.mjs')), String(events), mark], { log: join(wine.folder, 'stranger.out') }), 'exit')
    },
  }
}

async function close({ wine, driver, desk }: Watched): Promise<void> {
  await desk.session.close()
  await driver.close()
  await wine.down()
}

describeWine('the airbag that only looks, on Wine', () => {
  let on: Watched
  beforeAll(async () => {
    on = await watched('audit_only')
  })
  afterAll(() => close(on))

  test('sees what another program injects, lets it through, and has it on the record', async () => {
    await on.inject(20)
    await vi.waitFor(async () => expect(await on.foreign()).toEqual({ seen: 20, swallowed: 0 }), { timeout: 20_000 })
    await vi.waitFor(async () => expect((await on.field())?.value).toBe('aaaaaaaaaa'), { timeout: 20_000 })
    await vi.waitFor(async () => expect(JSON.stringify(await on.desk.journal())).toContain('foreign input'), { timeout: 20_000 })
    seen.on('Wine', 'AUDIT_ONLY: injected events of another program are seen and written down')
  })

  test('does not take what the agent types for foreign', async () => {
    const before = await on.foreign()
    expect((await on.desk.call('ui.key', { keys: ['End', 'm', 'i', 'n', 'e'] })).error).toBeUndefined()
    await vi.waitFor(async () => expect((await on.field())?.value).toBe('aaaaaaaaaamine'), { timeout: 20_000 })
    expect(await on.foreign()).toEqual(before)
  })

  test('where hooks are refused, Raw Input tells of what other programs inject, not of what the agent types, and nothing is swallowed', async () => {
    const { driver } = await on.wine.driver({ DESKHAND_AIRBAG: 'enforce', NODE_OPTIONS: double('refuses-hooks.mjs') })
    const { airbag, can } = await driver.observe.info(within(20_000))
    expect(airbag).toEqual({ mode: 'audit_only', reason: expect.stringContaining('refused the low-level hooks') as string })
    expect(can.humanInput.ok).toBe(true)
    const foreign = async (): Promise<Activity['foreign']> => (await driver.observe.watch('drawing', undefined, 0, within(20_000))).foreign
    const { seen: before = 0 } = (await foreign()) ?? {}
    const value = (await on.field())?.value ?? ''
    const lease = await vi.waitFor(() => driver.act.take(20_000, within(20_000)), { timeout: 20_000, interval: 100 })
    const events = (['down', 'up'] as const).map((type) => ({ type, key: 'b' }))
    await driver.act.step(lease, { do: 'keys', events }, {}, within(20_000))
    await driver.act.drop(lease)
    await on.inject(20, '1234567')
    await vi.waitFor(async () => expect(await foreign()).toEqual({ seen: before + 20, swallowed: 0 }), { timeout: 20_000 })
    await vi.waitFor(async () => expect((await on.field())?.value).toBe(`${value}baaaaaaaaaa`), { timeout: 20_000 })
    await driver.close()
    seen.on('Wine', 'AUDIT_ONLY by Raw Input, where hooks are refused (their refusal is a double): events with a foreign mark are seen')
  })

  test('what is meant for the window of an excepted program is let through, and seen', async () => {
    const { driver } = await on.wine.driver({ DESKHAND_AIRBAG: 'enforce', DESKHAND_AIRBAG_EXCEPT: 'other|Node.exe' })
    const value = (await on.field())?.value ?? ''
    await on.inject(20)
    const foreign = async (): Promise<Activity['foreign']> => (await driver.observe.watch('drawing', undefined, 0, within(20_000))).foreign
    await vi.waitFor(async () => expect(await foreign()).toMatchObject({ seen: 20, swallowed: 0 }), { timeout: 20_000 })
    await vi.waitFor(async () => expect((await on.field())?.value).toBe(`${value}aaaaaaaaaa`), { timeout: 20_000 })
    await driver.close()
    seen.on('Wine', 'ENFORCE: input into the windows of excepted programs passes, and is seen')
  })

  test('hooks whose decisions take too long go away, so that input passes again, and the driver says so', async () => {
    const env = { DESKHAND_AIRBAG: 'enforce', DESKHAND_AIRBAG_EXCEPT: 'other', NODE_OPTIONS: double('slow-hooks.mjs') }
    const { driver } = await on.wine.driver(env)
    expect((await driver.observe.info(within(20_000))).airbag).toEqual({ mode: 'enforce' })
    const value = (await on.field())?.value ?? ''
    await vi.waitFor(
      async () => {
        await on.inject(2)
        expect((await on.field())?.value).not.toBe(value)
      },
      { timeout: 60_000 },
    )
    await vi.waitFor(async () => expect((await driver.observe.info(within(20_000))).airbag).toMatchObject(gone('took too long')), {
      timeout: 20_000,
    })
    await driver.close()
    seen.on('a double', 'hooks that exceed their time budget go away, and the driver says so')
  })

  test('the driver says when the process with its hooks has ended, and that a person is not seen any more', async () => {
    for (const pid of inside(on.wine, 'hooks.js')) process.kill(pid, 'SIGKILL')
    const info = () => on.driver.observe.info(within(20_000))
    await vi.waitFor(async () => expect((await info()).airbag).toMatchObject(gone('ended')), { timeout: 20_000 })
    expect((await info()).can.humanInput).toMatchObject({ ok: false, reason: expect.stringContaining('ended') as string })
    const value = (await on.field())?.value ?? ''
    await on.inject(2)
    await vi.waitFor(async () => expect((await on.field())?.value).toBe(`${value}a`), { timeout: 20_000 })
    seen.on('Wine', 'the end of the process with the hooks is told, and input passes')
  })
})

const gone = (why: string) => ({ mode: 'off', reason: expect.stringContaining(why) as string })

describeWine('the airbag that swallows, on Wine', () => {
  let on: Watched
  beforeAll(async () => {
    on = await watched('enforce')
  })
  afterAll(() => close(on))

  test('none of 10,000 events that another program injects arrives, also not with a guessed mark, and the agent goes on', async () => {
    await on.inject(MANY)
    await on.inject(100, '1234567')
    await vi.waitFor(async () => expect(await on.foreign()).toEqual({ seen: MANY + 100, swallowed: MANY + 100 }), { timeout: 60_000 })
    expect((await on.field())?.value).toBe('')
    expect((await on.desk.call('ui.key', { keys: ['m', 'i', 'n', 'e'] })).error).toBeUndefined()
    await vi.waitFor(async () => expect((await on.field())?.value).toBe('mine'), { timeout: 20_000 })
    seen.on('Wine', 'ENFORCE: 10,000 injected events are swallowed, also with a guessed mark; those of the agent pass')
  })

  test('is known in what the driver says of itself', async () => {
    expect((await on.driver.observe.info(within(20_000))).airbag).toEqual({ mode: 'enforce' })
  })

  test('its hooks end with the driver, also when that is killed: input passes again', async () => {
    for (const pid of inside(on.wine, 'wine-driver.mjs')) process.kill(pid, 'SIGKILL')
    const { driver } = await on.wine.driver()
    on = { ...on, driver }
    const value = async (): Promise<string | undefined> =>
      (await driver.observe.read({}, within(60_000))).nodes.find((n) => n.role === 'textbox' && n.name === 'Name')?.value
    await vi.waitFor(
      async () => {
        await on.inject(2)
        expect(await value()).toMatch(/^minea+$/)
      },
      { timeout: 60_000 },
    )
    seen.on('Wine', 'the hooks end with a driver that is killed')
  })

  test('docs/windows.md says of the airbag what was seen here', () => {
    seen.mustBeTold()
  })
})
