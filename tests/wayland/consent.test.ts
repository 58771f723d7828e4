import { execFile } from 'node:child_process'
import { copyFileSync, readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Client } from '@modelcontextprotocol/client'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Sandbox } from '../../packages/deskhand/src/desktop/sandbox.ts'
import { use, World } from '../support/cli.ts'
import { describeWayland, testDesktop } from '../support/desktop.ts'
import { fixture, listen, PYTHON, start } from '../support/linux.ts'

const FREE = `[[rule]]
toolName = "*"
decision = "allow"
priority = 900
when = { risk = ["low", "medium", "high"] }
`
const soon = { timeout: 30_000, interval: 100 }

describeWayland("a person's own Wayland desktop", () => {
  let desktop: Sandbox
  let world: World
  let journal: string
  let client: Client
  let heard: () => string[]
  beforeEach(async () => {
    desktop = await testDesktop({ display: 'wayland' })
    // What a session of sway tells its programs; nothing says that Deskhand brought it up.
    const { WAYLAND_DISPLAY, XDG_RUNTIME_DIR, DBUS_SESSION_BUS_ADDRESS, AT_SPI_BUS_ADDRESS, DESKHAND_SWAYSOCK } = desktop.env
    const own = { WAYLAND_DISPLAY, XDG_RUNTIME_DIR, DBUS_SESSION_BUS_ADDRESS, AT_SPI_BUS_ADDRESS, SWAYSOCK: DESKHAND_SWAYSOCK }
    // A variable of the environment is no consent.
    world = new World({ ...(own as Record<string, string>), DESKHAND_CONSENT: 'given' })
    world.file('deskhand.toml', `[policy]\nmode = "allow_actual_input_full"\n[human]\nmode = "off"\n`)
    const up = await world.up('--desktop', 'host', '--policy', world.file('free.toml', FREE))
    journal = up.ready.journal
    heard = listen(desktop, PYTHON, [fixture('keys_gtk3.py'), 'several lines'])
    client = await world.mcp()
    await expect.poll(async () => (await use(client, 'ui.snapshot')).text, soon).toContain('window "Keys"')
  })
  afterEach(async () => {
    await world?.end()
    await desktop?.down()
  })

  /** Types until it is refused. */
  const typeOn = async (): Promise<Awaited<ReturnType<typeof use>> | undefined> => {
    for (let calls = 0; calls < 100; calls++) {
      const typed = await use(client, 'ui.key', { keys: Array.from({ length: 200 }, () => 'b') })
      if (typed.record['status'] !== 'success') return typed
    }
    return undefined
  }
  /** What pyatspi finds. */
  const seenOutside = async (): Promise<string> =>
    (await promisify(execFile)(PYTHON, [fixture('dump_atspi.py')], { env: desktop.env })).stdout
  const typeLetter = () => use(client, 'ui.key', { keys: 'a' })
  const consents = (): { what: string; detail?: Record<string, unknown> }[] =>
    readdirSync(journal)
      .filter((name) => name.endsWith('.jsonl'))
      .toSorted()
      .flatMap((name) => readFileSync(join(journal, name), 'utf8').split('\n'))
      .filter((line) => line.includes('"what":"consent'))
      .map((line) => JSON.parse(line) as { what: string })

  test('gets no key and shows no pixel until the operator consents, and none once that is withdrawn', async () => {
    const refused = async (): Promise<void> => {
      const { record } = await typeLetter()
      expect(record['error']).toMatchObject({ code: 'NOT_CAPABLE', next: expect.stringContaining('deskhand consent give') })
      expect((await use(client, 'gui_screenshot')).record['error']).toContain('has not consented to input and pictures')
    }
    await refused()
    expect(heard()).toEqual([])

    expect(await world.run(['consent', 'give', '--minutes', '10'])).toMatchObject({ code: 0 })
    await expect.poll(async () => JSON.stringify((await typeLetter()).record), soon).toContain('"status":"success"')
    await expect.poll(heard, soon).toContain('press a')
    expect((await use(client, 'gui_screenshot')).record).not.toHaveProperty('error')
    expect(consents()).toMatchObject([{ what: 'consent', detail: { covers: ['input', 'pictures', 'clipboard'] } }])

    const typing = typeOn()
    await expect.poll(heard, soon).toContain('press b')
    expect(await world.run(['consent', 'withdraw'])).toMatchObject({ code: 0 })
    expect((await typing)?.record['status']).toBe('error')
    const letters = heard().length
    await refused()
    expect(heard()).toHaveLength(letters)
    expect(consents().map(({ what }) => what)).toEqual(['consent', 'consent withdrawn'])
  })

  test('is closed again when the time that was given is over', async () => {
    expect(await world.run(['consent', 'give', '--minutes', '0.2'])).toMatchObject({ code: 0 })
    await expect.poll(consents, soon).toMatchObject([{ what: 'consent' }, { what: 'consent withdrawn', detail: { expired: true } }])
    expect((await typeLetter()).record['error']).toMatchObject({ code: 'NOT_CAPABLE' })
    expect(heard()).not.toContain('press a')
  })

  test('doctor says what the operator’s consent opens there', async () => {
    const { out } = await world.run(['doctor', '--json'])
    const checks = JSON.parse(out) as { what: string; ok: boolean; detail: string }[]
    const hosts = checks.filter(({ what }) => what.startsWith('host '))
    expect(hosts.map(({ what, ok }) => `${what} ${ok}`)).toEqual([
      'host desktop true',
      'host pointer true',
      'host keys and text true',
      'host windows true',
      'host pictures true',
      'host clipboard true',
      'host person at controls true',
    ])
    expect(hosts[1]?.detail).toContain('deskhand consent give')
  })

  test('an agent neither sees nor presses the prompt of a portal, with consent or without', async () => {
    const before = (await use(client, 'ui.query', { selector: 'role=textbox' })).record['data'] as { matches: { elementId: string }[] }
    const portal = join(world.dir, 'xdg-desktop-portal-test')
    copyFileSync('/usr/bin/zenity', portal)
    const prompt = start(desktop, portal, ['--question', '--title', 'Share the screen?'])
    await expect.poll(seenOutside, soon).toContain('Share the screen?')
    const seesNothingOfIt = async (): Promise<void> => {
      const asked = [
        await use(client, 'ui.snapshot', { scope: 'desktop', includeTree: true, all: true }),
        await use(client, 'desktop.list'),
      ]
      expect(JSON.stringify(asked)).toContain('Keys')
      expect(JSON.stringify(asked)).not.toContain('Share the screen?')
      const pressed = await use(client, 'ui.click', { target: 'role=button && name="Yes"' })
      expect(pressed.record['error']).toMatchObject({ code: 'NOT_FOUND' })
    }
    await seesNothingOfIt()

    expect(await world.run(['consent', 'give', '--minutes', '10'])).toMatchObject({ code: 0 })
    // The driver was started anew: an element of the one before is gone, and is not taken for one of this.
    const gone = await use(client, 'ui.focus', { target: before.matches[0]?.elementId })
    expect(gone.record['error']).toMatchObject({ code: 'STALE_REF' })
    await seesNothingOfIt()
    // It has the keyboard.
    expect((await typeLetter()).record['error']).toMatchObject({ code: 'DENIED' })
    expect(prompt.exitCode).toBeNull()
  })

  test('an agent cannot consent', async () => {
    const { code, err } = await world.run(['call', 'consent.give', '{"minutes":10}'])
    expect(code, err).not.toBe(0)
    expect((await typeLetter()).record['error']).toMatchObject({ code: 'NOT_CAPABLE' })
  })
})

test('a desktop that asks for no consent says so', async () => {
  const world = new World()
  try {
    await world.up()
    const { code, err } = await world.run(['consent', 'give'])
    expect([code, err]).toEqual([1, expect.stringContaining('this desktop asks for no consent')])
  } finally {
    await world.end()
  }
})
