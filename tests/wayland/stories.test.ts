import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Client } from '@modelcontextprotocol/client'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { bringUp, type Sandbox } from '../../packages/deskhand/src/desktop/sandbox.ts'
import { use, World } from '../support/cli.ts'
import { describeWayland } from '../support/desktop.ts'
import { hostOf } from '../support/driver-host.ts'
import { fixture, listen, PYTHON } from '../support/linux.ts'

/** So many letters take several times as long as a command takes to come in between. */
const LONG = 30_000
const soon = { timeout: 30_000, interval: 100 }

let world: World
let sandbox: Sandbox

describeWayland('an agent on a Wayland desktop', () => {
  beforeEach(async () => {
    world = new World()
    sandbox = await bringUp({ stateDir: join(world.env['DESKHAND_STATE']!, 'sandboxes'), display: 'wayland' })
  })
  afterEach(async () => {
    await sandbox.down()
    await world.end()
  })

  async function agent(): Promise<{ pid: number; client: Client; journal: string }> {
    const { pid, ready } = await world.up('--desktop', 'sandbox', '--sandbox', sandbox.record.id)
    return { pid, client: await world.mcp(), journal: ready.journal }
  }

  test('writes Unicode in mousepad and saves it, and the file has exactly these bytes', async () => {
    const { client } = await agent()
    const text = 'Grüße 漢字 😀 (a+b)*c ~`|\nline two'
    const file = join(world.dir, 'grüße.txt')
    writeFileSync(file, '')
    expect((await use(client, 'desktop.launch', { app: 'mousepad', args: [file] })).record).toMatchObject({ status: 'success' })
    expect((await use(client, 'ui.type', { target: 'role=textbox', text })).record).toMatchObject({ effect: 'confirmed' })
    const opened = await use(client, 'ui.click', {
      target: 'role=menu && name="File"',
      verify: { uiState: { target: 'role=menuitem && name="Save"', visible: true } },
    })
    expect(opened.record).toMatchObject({ verification: { passed: true } })
    await use(client, 'ui.click', { target: 'role=menuitem && name="Save"' })
    await expect.poll(() => readFileSync(file, 'utf8').replace(/\n$/, ''), { timeout: 10_000 }).toBe(text)
  })

  test('a key that is held does not repeat, and is let go when the driver host is killed', async () => {
    const { pid, client } = await agent()
    const heard = listen(sandbox, '/usr/bin/python3', [fixture('keys_gtk3.py')])
    await expect.poll(async () => (await use(client, 'ui.snapshot')).text, { timeout: 20_000 }).toContain('Keys')
    expect((await use(client, 'ui.key', { keys: 'x', holdMs: 1_500 })).record).toMatchObject({ sent: 'all' })
    await expect.poll(heard, { timeout: 10_000 }).toContain('release x')
    expect(heard().filter((line) => line.endsWith(' x'))).toEqual(['press x', 'release x'])
    void use(client, 'ui.key', { keys: 'Shift', holdMs: 9_000 })
    await expect.poll(heard, { timeout: 10_000 }).toContain('press Shift_L')
    process.kill(hostOf(pid), 'SIGKILL')
    await expect.poll(heard, { timeout: 10_000 }).toContain('release Shift_L')
  })
  test('stop ends a long text between two keys, and nothing stays held', async () => {
    const { client } = await agent()
    const heard = listen(sandbox, PYTHON, [fixture('keys_gtk3.py'), 'several lines'])
    await expect.poll(async () => (await use(client, 'ui.snapshot')).text, soon).toContain('window "Keys"')
    const typing = use(client, 'ui.type', { text: 'b'.repeat(LONG) })
    await expect.poll(heard, soon).toContain('press b')
    expect(await world.run(['stop'])).toMatchObject({ code: 0 })
    expect((await typing).record).toMatchObject({ status: 'error', error: { code: 'STOPPED' } })
    const letters = (what: string): number => heard().filter((line) => line === `${what} b`).length
    await expect.poll(() => letters('press') - letters('release'), soon).toBe(0)
    expect(letters('press')).toBeLessThan(LONG)
    expect((await use(client, 'ui.key', { keys: 'c' })).record).toMatchObject({ error: { code: 'STOPPED' } })
  })

  test("a person's keys are noticed, and end what an agent types", async () => {
    world.file('deskhand.toml', '[human]\nmode = "enforce"\nidleSeconds = 1\n')
    const { client, journal } = await agent()
    const heard = listen(sandbox, PYTHON, [fixture('keys_gtk3.py'), 'several lines'])
    await expect.poll(async () => (await use(client, 'ui.snapshot')).text, soon).toContain('window "Keys"')
    const humans = async () => (await world.run(['journal', 'list', journal, '--type', 'human', '--json'])).out
    expect((await use(client, 'ui.key', { keys: 'a' })).record).toMatchObject({ status: 'success' })
    expect(await humans()).toBe('')
    const typing = use(client, 'ui.type', { text: 'b'.repeat(LONG) })
    await expect.poll(heard, soon).toContain('press b')
    await promisify(execFile)('wtype', ['x'], { env: sandbox.env })
    expect((await typing).record).toMatchObject({ status: 'error', error: { code: 'HUMAN_AT_CONTROLS' } })
    await expect.poll(humans, soon).toContain('"keyEvents":')
  })
})
