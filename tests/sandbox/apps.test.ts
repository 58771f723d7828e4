import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { markOf } from '../../packages/deskhand/src/desktop/environment.ts'
import { identify, isAlive } from '@deskhand/core/platform'
import { marked } from '../../packages/deskhand/src/desktop/process.ts'
import { World } from '../support/cli.ts'
import { desk, element, window } from '../support/desk.ts'
import { describeDesktop } from '../support/desktop.ts'

interface App {
  name: string
  pid?: number
  executable?: string
  windows: { elementId: string; title?: string }[]
}

interface Answer {
  effect: string
  data: { applications: App[]; pid: number; count: number }
}

const applications = async (listing: Promise<{ data?: unknown }>) => ((await listing).data as Answer['data']).applications

describe('desktop.list and desktop.close on the simulated desktop', () => {
  const ui = [window('Notes', [element('button', 'Save')]), window('Vault', [element('button', 'Open')])]

  test('an application that a rule hides is neither listed nor closed', async () => {
    const { call, session } = await desk({
      ui,
      policy: '[[rule]]\ntoolName = "*"\ndecision = "deny"\npriority = 900\nwhen = { app = "vault" }',
    })
    const { data, text } = await call('desktop.list')
    expect((data as Answer['data']).applications.map((a) => a.name)).toEqual(['notes'])
    expect(text).not.toMatch(/vault/i)
    expect(await call('desktop.close', { app: 'vault', timeoutMs: 0 })).toMatchObject({ status: 'error', error: { code: 'NOT_FOUND' } })
    await session.close()
  })

  test('closing is decided, done, confirmed and recorded', async () => {
    const { call, session, journal } = await desk({ ui })
    expect(await call('desktop.close', { app: 'Notes' })).toMatchObject({
      status: 'success',
      effect: 'confirmed',
      risk: { factors: expect.arrayContaining([expect.objectContaining({ id: 'action.close' })]) as unknown },
    })
    expect((await journal()).map((e) => e.type)).toEqual(expect.arrayContaining(['decided', 'acting', 'done']))
    expect((await applications(call('desktop.list'))).map((a) => a.name)).toEqual(['vault'])
    await session.close()
  })

  test('a denied application stays', async () => {
    const { call, session } = await desk({
      ui,
      policy: '[[rule]]\ntoolName = "desktop.close"\ndecision = "deny"\npriority = 900\nwhen = { app = "notes" }',
    })
    expect(await call('desktop.close', { app: 'notes' })).toMatchObject({ error: { code: 'DENIED' } })
    expect(await applications(call('desktop.list'))).toHaveLength(2)
    await session.close()
  })

  test('an application that comes back is told as it is, and not ended where its process is not ours', async () => {
    const { call, session } = await desk({
      ui: [window('Notes', [element('button', 'Save')], { on: { close: [{ do: 'open', element: 'notes' }] } })],
    })
    expect(await call('desktop.close', { app: 'notes', timeoutMs: 50 })).toMatchObject({
      status: 'success',
      effect: 'unverified',
      text: expect.stringContaining('still there') as string,
    })
    expect(await call('desktop.close', { app: 'notes', timeoutMs: 50, force: true })).toMatchObject({
      status: 'error',
      sent: 'all',
      error: { code: 'NOT_CAPABLE' },
    })
    await session.close()
  })
})

describeDesktop('a broker on a sandbox', () => {
  let world: World
  beforeEach(() => {
    world = new World()
  })
  afterEach(() => world.end())

  const call = async (tool: string, args: unknown = {}) => JSON.parse((await world.run(['call', tool, JSON.stringify(args)])).out) as Answer
  const list = async () =>
    JSON.parse((await world.run(['desktop', 'list', '--json'])).out) as { id: string; state: string; keeper?: number }[]

  test('starts, lists and closes only what the list allows, by its windows, and by force where it does not listen', async () => {
    writeFileSync(join(world.dir, 'deskhand.toml'), '[desktop]\nkind = "sandbox"\napps = ["mousepad", "xterm"]\n')
    await world.up()
    expect(await call('desktop.launch', { app: 'zenity', args: ['--info'] })).toMatchObject({
      error: { code: 'DENIED', message: expect.stringContaining('desktop.apps') as string },
    })
    const launched = await call('desktop.launch', { app: 'mousepad' })
    expect(launched).toMatchObject({ status: 'success', effect: 'confirmed' })
    expect(await applications(call('desktop.list'))).toMatchObject([
      {
        pid: launched.data.pid,
        executable: expect.stringMatching(/\/mousepad$/) as string,
        windows: [{ title: expect.stringContaining('Mousepad') as string }],
      },
    ])
    const editor = identify(launched.data.pid)!
    expect(await call('desktop.close', { app: 'mousepad' })).toMatchObject({
      status: 'success',
      effect: 'confirmed',
      via: 'window manager',
    })
    await expect.poll(() => isAlive(editor)).toBe(false)

    const deaf = await call('desktop.launch', { app: 'xterm', args: ['-e', 'sh', '-c', 'trap "" HUP TERM; sleep 1000'] })
    const stubborn = identify(deaf.data.pid)!
    process.kill(stubborn.pid, 'SIGSTOP')
    expect(await call('desktop.close', { app: String(stubborn.pid), timeoutMs: 500 })).toMatchObject({
      status: 'success',
      effect: 'unverified',
      text: expect.stringContaining('still there') as string,
    })
    expect(isAlive(stubborn)).toBe(true)
    expect(await call('desktop.close', { app: 'xterm', timeoutMs: 500, force: true })).toMatchObject({
      status: 'success',
      effect: 'confirmed',
      via: 'process',
    })
    expect(isAlive(stubborn)).toBe(false)
  })

  test('supervises it: the accessibility bus comes back and the driver with it', async () => {
    const { pid } = await world.up('--desktop', 'sandbox')
    const [one] = await list()
    expect(one).toMatchObject({ state: 'up', keeper: pid })
    const launchers = () =>
      marked(markOf(one!.id)).filter((p) => readFileSync(`/proc/${p.pid}/cmdline`, 'utf8').includes('at-spi-bus-launcher'))
    const [launcher] = launchers()
    process.kill(launcher!.pid, 'SIGKILL')
    await expect.poll(() => launchers().map((p) => p.pid)[0] ?? launcher!.pid, { timeout: 10_000 }).not.toBe(launcher!.pid)
    await expect
      .poll(async () => (await call('desktop.launch', { app: 'mousepad' })).effect, { timeout: 25_000, interval: 1000 })
      .toBe('confirmed')
    expect((await call('ui.query', { selector: 'app=mousepad && role=menuitem' })).data.count).toBeGreaterThan(3)
  })

  test('ends with the reason when its X server dies, and leaves nothing', async () => {
    const child = world.start('up', '--json', '--desktop', 'sandbox')
    let err = ''
    child.stderr.setEncoding('utf8').on('data', (s: string) => (err += s))
    await new Promise((ready) => child.stdout.once('data', ready))
    const [one] = await list()
    const [server] = marked(markOf(one!.id)).filter((p) => readFileSync(`/proc/${p.pid}/cmdline`, 'utf8').includes('Xvfb'))
    const ended = new Promise((done) => child.once('exit', done))
    process.kill(server!.pid, 'SIGKILL')
    expect(await ended).toBe(1)
    expect(err).toContain(`NO_DESKTOP: the sandbox ${one!.id} died: xvfb ended`)
    expect(await list()).toEqual([])
    expect(marked(markOf(one!.id))).toEqual([])
  })

  test('that was killed leaves a desktop that the next one clears away, by its own ids', async () => {
    const { pid } = await world.up('--desktop', 'sandbox')
    const [one] = await list()
    process.kill(pid, 'SIGKILL')
    await expect.poll(async () => (await list())[0]?.state, { timeout: 10_000 }).toBe('dead')
    await world.up('--desktop', 'sandbox')
    expect((await list()).map((s) => s.state)).toEqual(['up'])
    expect(marked(markOf(one!.id))).toEqual([])
  })

  test('attaches to one that is up, alone, and leaves it up', async () => {
    const id = (JSON.parse((await world.run(['desktop', 'up', '--json'])).out) as { id: string }).id
    const { pid } = await world.up('--desktop', 'sandbox', '--sandbox', id)
    expect(await list()).toMatchObject([{ id, state: 'up', keeper: pid }])
    const second = await world.run(['--name', 'other', 'up', '--desktop', 'sandbox', '--sandbox', id])
    expect(second).toMatchObject({ code: 1, err: expect.stringContaining('BROKER_BUSY') as string })
    await world.run(['down'])
    await expect.poll(async () => (await list())[0]?.keeper, { timeout: 10_000 }).toBeUndefined()
    expect(await list()).toMatchObject([{ id, state: 'up' }])
    await world.run(['desktop', 'down', id])
  })
})
