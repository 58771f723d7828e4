import { readFileSync, readdirSync } from 'node:fs'
import type { Client } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { openServer, waylandGaps } from '@deskhand/driver-linux'
import { use, World } from '../support/cli.ts'
import { hostOf } from '../support/driver-host.ts'
import { describeKwin, kwinSession } from '../support/kwin.ts'
import { fixture, listen, PYTHON } from '../support/linux.ts'
import type { PersonSession } from '../support/person-session.ts'

const FREE = `[[rule]]
toolName = "*"
decision = "allow"
priority = 900
when = { risk = ["low", "medium", "high"] }
`
const soon = { timeout: 30_000, interval: 100 }

describeKwin("a person's own KDE", () => {
  let session: PersonSession
  let world: World
  let broker: number
  let journal: string
  let client: Client
  let heard: () => string[]
  beforeAll(async () => {
    session = await kwinSession()
    world = new World(session.env)
    world.file('deskhand.toml', '[policy]\nmode = "allow_actual_input_full"\n[human]\nmode = "enforce"\nidleSeconds = 1\n')
    const up = await world.up('--desktop', 'host', '--policy', world.file('free.toml', FREE))
    broker = up.pid
    journal = up.ready.journal
    heard = listen(session, PYTHON, [fixture('keys_gtk3.py'), 'several lines'])
    client = await world.mcp()
    await vi.waitFor(async () => expect((await use(client, 'ui.snapshot')).text).toContain('window "Keys"'), soon)
  }, 60_000)
  afterAll(async () => {
    await world?.end()
    await session?.down()
  }, 60_000)

  const typeLetter = async (keys: string) => (await use(client, 'ui.key', { keys })).record

  test('KWin is told to trust Deskhand by a line that doctor names, and the operator consents: without both nothing is sent', async () => {
    expect((await typeLetter('a'))['error']).toMatchObject({ code: 'NOT_CAPABLE', next: expect.stringContaining('consent give') })
    const checks = JSON.parse((await world.run(['doctor', '--json'])).out) as { what: string }[]
    const told = (what: string) => checks.find((c) => c.what === what)
    expect(told('host pointer')).toMatchObject({ ok: false, fix: expect.stringContaining('deskhand consent kwin') })
    expect(told('host windows')).toMatchObject({ ok: true })
    await world.run(['consent', 'give', '--minutes', '10'])
    expect((await typeLetter('a'))['error']).toMatchObject({ code: 'NOT_CAPABLE', next: expect.stringContaining('consent kwin') })
    expect(heard()).toEqual([])

    expect(await world.run(['consent', 'kwin'])).toMatchObject({ code: 0 })
    // KWin takes notice of it within seconds.
    await expect.poll(() => waylandGaps(session.env), soon).toEqual({})
    await world.run(['consent', 'give', '--minutes', '10'])
    await expect.poll(async () => (await typeLetter('a'))['status'], soon).toBe('success')
    await expect.poll(heard, soon).toContain('press a')
  })

  test('a key held when the driver host is killed is let go', async () => {
    void use(client, 'ui.key', { keys: 'Shift', holdMs: 9_000 })
    await expect.poll(heard, soon).toContain('press Shift_L')
    const before = heard().length
    process.kill(hostOf(broker), 'SIGKILL')
    await expect.poll(() => heard().slice(before), soon).toContain('release Shift_L')
  })

  test('leaves no script in KWin but that of the driver that runs', async () => {
    await expect.poll(async () => (await typeLetter('c'))['status'], soon).toBe('success')
    const run = session.env['XDG_RUNTIME_DIR'] ?? ''
    const scripts = readdirSync(run).filter((name) => /^deskhand-.*\.js$/.test(name))
    expect(scripts).toEqual([expect.stringContaining(`deskhand-${hostOf(broker)}-`)])
    expect(readFileSync(`${run}/${scripts[0]}`, 'utf8')).toContain('workspace')
  })

  test("a person's input is noticed, and ours is not taken for it", async () => {
    const humans = async () => (await world.run(['journal', 'list', journal, '--type', 'human', '--json'])).out
    expect(await humans()).toBe('')
    const person = await openServer({ ...session.env, DESKHAND_CONSENT: 'given' })
    try {
      await person.input?.tap('x')
      await expect.poll(heard, soon).toContain('press x')
    } finally {
      person.close()
    }

    await expect.poll(humans, soon).toContain('"keyEvents":')
  })

  test('withdrawn consent closes it at once', async () => {
    await world.run(['consent', 'withdraw'])
    expect((await typeLetter('e'))['error']).toMatchObject({ code: 'NOT_CAPABLE' })
    expect((await use(client, 'gui_screenshot')).record['error']).toContain('has not consented')
    expect(heard()).not.toContain('press e')
  })
})
