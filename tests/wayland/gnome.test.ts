import { execFile } from 'node:child_process'
import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Client } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { waylandGaps } from '@deskhand/driver-linux'
import { use, World } from '../support/cli.ts'
import { hostOf } from '../support/driver-host.ts'
import { describeGnome, gnomeSession, personClicks } from '../support/gnome.ts'
import { fixture, listen, PYTHON } from '../support/linux.ts'
import type { PersonSession } from '../support/person-session.ts'

const FREE = `[[rule]]
toolName = "*"
decision = "allow"
priority = 900
when = { risk = ["low", "medium", "high"] }
`
const soon = { timeout: 60_000, interval: 100 }
interface Box {
  x: number
  y: number
  w: number
  h: number
}

const middle = ({ x, y, w, h }: Box): { x: number; y: number } => ({ x: Math.round(x + w / 2), y: Math.round(y + h / 2) })
const GIVE = ['consent', 'give', '--minutes', '30']

describeGnome("a person's own GNOME", { timeout: 240_000 }, () => {
  let session: PersonSession
  let world: World
  let broker: number
  let journal: string
  let client: Client
  let heard: () => string[]
  beforeAll(async () => {
    session = await gnomeSession({ isExtended: true })
    world = new World(session.env)
    world.file('deskhand.toml', '[policy]\nmode = "allow_actual_input_full"\n[human]\nmode = "enforce"\nidleSeconds = 1\n')
    const up = await world.up('--desktop', 'host', '--policy', world.file('free.toml', FREE))
    broker = up.pid
    journal = up.ready.journal
    heard = listen(session, PYTHON, [fixture('keys_gtk3.py'), 'several lines'])
    client = await world.mcp()
    await vi.waitFor(async () => expect((await use(client, 'ui.snapshot')).text).toContain('window "Keys"'), soon)
  }, 120_000)
  afterAll(async () => {
    await world?.end()
    await session?.down()
  }, 60_000)

  const typeLetter = async (keys: string) => (await use(client, 'ui.key', { keys })).record
  /** What a person does with the prompt of the portal, once it is there. */
  const answer = (text: 'Share' | 'Cancel' | 'look' | 'gone') =>
    promisify(execFile)(PYTHON, [fixture('answer_portal.py'), text], { env: session.env })
  const consents = (): { what: string; by: { id: string } }[] =>
    readdirSync(journal)
      .filter((name) => name.endsWith('.jsonl'))
      .toSorted()
      .flatMap((name) => readFileSync(join(journal, name), 'utf8').split('\n'))
      .filter((line) => line.includes('"what":"consent'))
      .map((line) => JSON.parse(line) as { what: string; by: { id: string } })

  test('doctor says what consent opens, and asks the person nothing for that', async () => {
    expect(await waylandGaps(session.env)).toEqual({})
    const checks = JSON.parse((await world.run(['doctor', '--json'])).out) as { what: string; ok: boolean }[]
    expect(checks.filter(({ what }) => what.startsWith('host ')).map(({ what, ok }) => `${what} ${ok}`)).toEqual([
      'host desktop true',
      'host pointer true',
      'host keys and text true',
      'host windows true',
      'host pictures true',
      'host clipboard true',
      'host person at controls true',
    ])
  })

  test('the operator consents, and the person refuses in the prompt of the portal, which no agent sees: nothing is sent', async () => {
    expect((await typeLetter('a'))['error']).toMatchObject({ code: 'NOT_CAPABLE', next: expect.stringContaining('consent give') })
    const given = world.run(GIVE)
    await answer('Cancel')
    expect(await given).toMatchObject({ code: 4, err: expect.stringContaining('did not allow it') })
    expect((await typeLetter('a'))['error']).toMatchObject({ code: 'NOT_CAPABLE' })
    expect(heard()).toEqual([])
    expect(consents()).toMatchObject([{ what: 'consent' }, { what: 'consent withdrawn', by: { id: 'the desktop' } }])
  })

  test('a consent that is withdrawn while the prompt waits takes the prompt away, and nothing is sent', async () => {
    const given = world.run(GIVE)
    await answer('look')
    expect(await world.run(['consent', 'withdraw'])).toMatchObject({ code: 0 })
    expect((await given).err).toContain('before the desktop was open')
    await answer('gone')
    expect((await typeLetter('a'))['error']).toMatchObject({ code: 'NOT_CAPABLE' })
    expect(consents().at(-1)).toMatchObject({ what: 'consent withdrawn' })
  })

  test('both consent: keys, any character and clicks by pixel reach the application, and pictures show it', async () => {
    const given = world.run(GIVE)
    await answer('Share')
    const { code, err } = await given
    expect(code, err).toBe(0)
    await expect.poll(async () => (await typeLetter('a'))['status'], soon).toBe('success')
    await expect.poll(heard, soon).toContain('press a')
    const field = 'role=textbox && window="Keys"'
    const typed = await use(client, 'ui.type', { target: field, text: 'Grüße 漢 😀 (B)', mode: 'replace' })
    expect(typed.record).toMatchObject({ status: 'success', effect: 'confirmed' })

    const said = listen(session, PYTHON, [fixture('form_gtk4.py')])
    await vi.waitFor(async () => expect((await use(client, 'ui.snapshot', { scope: 'desktop' })).text).toContain('Paid'), soon)
    const { record } = await use(client, 'ui.query', { selector: 'role=checkbox && name="Paid"' })
    const { bounds } = (record['data'] as { matches: { bounds: Box }[] }).matches[0]!
    expect((await use(client, 'gui_click', middle(bounds))).record).not.toHaveProperty('error')
    await expect.poll(said, soon).toContain('paid True')
    await use(client, 'ui.click', { target: 'role=menuitem && name="File"' })
    const entry = async () => {
      const found = (await use(client, 'ui.query', { selector: 'role=menuitem && name="Close"' })).record['data']
      return (found as { matches: { bounds?: Box }[] }).matches[0]?.bounds
    }
    const close = await vi.waitFor(async () => (await entry()) ?? expect.fail('no place yet'), soon)
    expect((await use(client, 'gui_click', middle(close))).record).not.toHaveProperty('error')
    await expect.poll(said, soon).toContain('menu Close')
    expect((await use(client, 'gui_screenshot')).record).not.toHaveProperty('error')
  })

  test("a person's input is noticed, and ours is not taken for it", async () => {
    const humans = async () => (await world.run(['journal', 'list', journal, '--type', 'human', '--json'])).out
    expect(await humans()).toBe('')
    await personClicks(session, { x: 5, y: 780 })
    await expect.poll(humans, soon).toContain('"keyEvents":')
  })

  test('a key held when the driver host is killed is let go, and the desktop asks its person anew before the next one', async () => {
    // They were just there.
    const activate = { target: 'role=window && name="Keys"', op: 'activate' }
    await expect.poll(async () => (await use(client, 'ui.window', activate)).record['status'], soon).toBe('success')
    await expect.poll(async () => (await typeLetter('b'))['status'], soon).toBe('success')
    await expect.poll(heard, soon).toContain('press b')
    void use(client, 'ui.key', { keys: 'Shift', holdMs: 9_000 })
    await expect.poll(heard, soon).toContain('press Shift_L')
    const before = heard().length
    process.kill(hostOf(broker), 'SIGKILL')
    await expect.poll(() => heard().slice(before), soon).toContain('release Shift_L')
    await answer('Share')
    await expect.poll(async () => (await typeLetter('c'))['status'], soon).toBe('success')
    await expect.poll(heard, soon).toContain('press c')
  })

  test('while the person has another keyboard layout no key is struck, as it would give another character', async () => {
    const layout = (name: string) =>
      promisify(execFile)('gsettings', ['set', 'org.gnome.desktop.input-sources', 'sources', `[('xkb', '${name}')]`], { env: session.env })
    await layout('de')
    const refused = { code: 'NOT_CAPABLE', message: expect.stringContaining('set to de') }
    await expect.poll(async () => (await typeLetter('d'))['error'], soon).toMatchObject(refused)
    expect((await typeLetter('q'))['error']).toMatchObject(refused)
    expect(heard()).not.toContain('press q')
    await layout('us')
    await expect.poll(async () => (await typeLetter('d'))['status'], soon).toBe('success')
  })

  test('the person ends the sharing in the bar of the shell: acting ends at once, and the journal says who ended it', async () => {
    /** Clicks where the button is by now, as the bar may just have moved, and answers with what the journal says. */
    const stop = async () => {
      const { stdout } = await promisify(execFile)(PYTHON, [fixture('place_atspi.py'), 'Stop Screen Sharing'], { env: session.env })
      const place = JSON.parse(stdout) as { x: number; y: number } | null
      if (place !== null) await personClicks(session, place)
      return consents().at(-1)
    }
    await expect.poll(stop, { ...soon, interval: 2_000 }).toMatchObject({ what: 'consent withdrawn', by: { id: 'the desktop' } })
    expect((await typeLetter('e'))['error']).toMatchObject({ code: 'NOT_CAPABLE', next: expect.stringContaining('consent give') })
    expect((await use(client, 'gui_screenshot')).record['error']).toContain('has not consented')
    expect(heard()).not.toContain('press e')
  })
})

describeGnome("a person's own GNOME without our extension", { timeout: 240_000 }, () => {
  test('says what the operator can do about it, asks the person nothing, and elements are operated by their own actions', async () => {
    const session = await gnomeSession()
    const world = new World(session.env)
    try {
      world.file('deskhand.toml', '[policy]\nmode = "allow_actual_input_full"\n')
      await world.up('--desktop', 'host', '--policy', world.file('free.toml', FREE))
      const heard = listen(session, PYTHON, [fixture('form_gtk4.py')])
      const client = await world.mcp()
      await vi.waitFor(async () => expect((await use(client, 'ui.snapshot')).text).toContain('Paid'), soon)
      const checks = JSON.parse((await world.run(['doctor', '--json'])).out) as { what: string }[]
      expect(checks.find((c) => c.what === 'host pointer')).toMatchObject({ ok: false, fix: expect.stringContaining('consent gnome') })
      await world.run(GIVE)
      const { record } = await use(client, 'ui.key', { keys: 'a' })
      expect(record['error']).toMatchObject({ code: 'NOT_CAPABLE', next: expect.stringContaining('consent gnome') })
      const set = await use(client, 'ui.set', { target: 'role=textbox && name="Name"', value: 'Anna' })
      expect(set.record).toMatchObject({ status: 'success', effect: 'confirmed' })
      await expect.poll(heard, soon).toContain('name Anna')
    } finally {
      await world.end()
      await session.down()
    }
  })
})
