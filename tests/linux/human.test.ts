import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { within, type Step } from '@deskhand/core/driver'
import type { HumanSettings } from '@deskhand/core/session'
import { afterEach, expect, test, vi } from 'vitest'
import { bringUp } from '../../packages/deskhand/src/desktop/sandbox.ts'
import { World } from '../support/cli.ts'
import { OPERATOR } from '../support/desk.ts'
import { describeDesktop } from '../support/desktop.ts'
import { realDesk, type RealDesk } from '../support/governed.ts'
import { handled } from '../support/handled.ts'

const SETTINGS: HumanSettings = { mode: 'enforce', idleMs: 1500, waitMs: 30_000, corner: true }
const LONG = 'the agent writes this line again and again, and it must come out right. '.repeat(18).trim()
const ctx = within(20_000)
vi.setConfig({ testTimeout: 90_000 })

describeDesktop('a person at the controls of a real desktop', () => {
  let desk: RealDesk
  afterEach(() => desk.close())

  async function editor(settings: Partial<HumanSettings> = {}): Promise<string> {
    desk = await realDesk({ ports: { human: { ...SETTINGS, ...settings } } })
    const file = join(desk.sandbox.env['HOME'] ?? '', 'typed.txt')
    writeFileSync(file, '')
    await desk.show('typed.txt', 'mousepad', [file])
    return file
  }
  /** When this resolves the agent is in the middle of its typing. */
  async function drawn(times: number): Promise<void> {
    let { cursor } = await desk.driver.observe.watch('drawing', undefined, 0, ctx)
    for (let i = 0; i < times; i++) ({ cursor } = await desk.driver.observe.watch('drawing', cursor, 10_000, ctx))
  }
  const person = (...args: string[]): string => desk.ask('xdotool', ...args)
  const humans = async () => (await desk.journal()).filter((e) => e.type === 'human')
  async function saved(file: string): Promise<string> {
    const asked = await desk.call('ui.key', { keys: 'ctrl+s' })
    expect(asked).toMatchObject({ sent: 'all' })
    let before = '\0'
    await expect
      .poll(
        () => {
          const now = readFileSync(file, 'utf8')
          const same = now === before && now !== ''
          before = now
          return same
        },
        { timeout: 20_000, interval: 500 },
      )
      .toBe(true)
    return before
  }

  test('who moves the mouse holds the typing up, and it goes on exactly where it was', async () => {
    const file = await editor()
    const typing = desk.call('ui.type', { text: LONG })
    await drawn(3)
    person('mousemove_relative', '7', '5')
    await expect.poll(() => desk.session.state.human.paused, { timeout: 10_000 }).toBe(true)
    const seen = await desk.call('ui.capabilities')
    expect(seen.data).toMatchObject({ human: { mode: 'enforce', paused: true, since: expect.any(String) as string } })
    expect(seen.text).toContain('so input waits')
    expect(await typing).toMatchObject({ status: 'success', sent: 'all' })
    expect(desk.session.state.human.paused).toBe(false)
    expect(await saved(file)).toBe(LONG)
    expect(await humans()).toMatchObject([{ keyEvents: 0, touched: [] }])
    expect((await humans())[0]).toHaveProperty('pointerEvents')
  })

  test('who presses a key ends it: at most the two characters under way follow theirs, and the rest is not sent', async () => {
    const file = await editor()
    const typing = desk.call('ui.type', { text: LONG })
    await drawn(3)
    person('key', 'z')
    const result = await typing
    expect(result).toMatchObject({ status: 'error', sent: 'partial', error: { code: 'HUMAN_AT_CONTROLS', retry: 'observe_first' } })
    expect(result.error?.next).toContain('deskhand resume')
    const written = await saved(file)
    const at = written.indexOf('z')
    expect(at).toBeGreaterThan(0)
    expect(written.length - at - 1).toBeLessThanOrEqual(2)
    expect(written.replace('z', '')).toBe(LONG.slice(0, written.length - 1))
    const [visit] = await humans()
    expect(visit).toMatchObject({ keyEvents: 2, touched: [expect.stringContaining('textbox') as string] })
    expect(JSON.stringify(visit)).not.toContain('"z"')
  })

  test('a call waits until its deadline, then says who is there; the operator’s word lets it go on', async () => {
    const file = await editor({ idleMs: 3_600_000 })
    person('mousemove_relative', '3', '3')
    await expect.poll(() => desk.session.state.human.paused, { timeout: 10_000 }).toBe(true)
    const refused = await desk.call('ui.click', { target: 'role=menu && name="File"', timeoutMs: 200 })
    expect(refused).toMatchObject({ status: 'error', sent: 'none', effect: 'refused', error: { code: 'HUMAN_AT_CONTROLS' } })
    await desk.session.invoke('resume', {}, OPERATOR)
    expect(await desk.call('ui.type', { text: 'now' })).toMatchObject({ status: 'success' })
    expect(await saved(file)).toBe('now')
    expect(await desk.call('ui.snapshot')).toMatchObject({ status: 'success' })
  })

  test('what a script holds down is let go when a person comes, and its next step is told', async () => {
    await editor()
    const shift = (): boolean => /key\[50\]=down/.test(desk.ask('xinput', 'query-state', 'Virtual core XTEST keyboard'))
    const down: Step = { do: 'keys', events: [{ type: 'down', key: 'Shift' }] }
    const { signal } = new AbortController()
    await desk.session.hold(signal, async (hands) => {
      expect(await hands.step(down, {}, signal)).toMatchObject({ held: ['Shift'] })
      expect(shift()).toBe(true)
      person('mousemove_relative', '3', '3')
      await expect.poll(shift, { timeout: 10_000 }).toBe(false)
      await expect(hands.step({ do: 'text', text: 'a' }, {}, signal)).rejects.toMatchObject({ code: 'HUMAN_AT_CONTROLS' })
    })
  })

  test('an audit records and holds nobody up', async () => {
    const file = await editor({ mode: 'audit', idleMs: 200 })
    const typing = desk.call('ui.type', { text: LONG })
    await drawn(3)
    person('mousemove_relative', '7', '5')
    expect(await typing).toMatchObject({ status: 'success', sent: 'all' })
    expect(await saved(file)).toBe(LONG)
    await expect.poll(async () => (await humans()).length, { timeout: 10_000 }).toBe(1)
  })

  test('the pointer in a corner stops everything, unless the agent put it there', async () => {
    const file = await editor({ mode: 'off' })
    expect(await desk.call('ui.click_xy', { x: 0, y: 0 })).toMatchObject({ sent: 'all' })
    expect(person('getmouselocation')).toContain('x:0 y:0')
    await sleep(200)
    expect(desk.session.state.stopped).toBe(false)
    const typing = desk.call('ui.type', { target: 'role=textbox', text: 'x' }).then(() => desk.call('ui.type', { text: LONG }))
    await drawn(5)
    const [width = 0, height = 0] = person('getdisplaygeometry').split(' ').map(Number)
    person('mousemove', String(width - 1), String(height - 1))
    expect(await typing).toMatchObject({
      status: 'error',
      error: { code: 'STOPPED', message: expect.stringContaining('corner') as string },
    })
    expect(await desk.call('ui.click', { target: 'role=menu && name="File"' })).toMatchObject({ error: { code: 'STOPPED' } })
    const operator = async () => (await desk.journal()).filter((e) => e.type === 'operator')
    await expect.poll(operator, { timeout: 10_000 }).toMatchObject([{ what: 'stop', by: { id: 'the fail-safe corner' } }])
    await desk.session.invoke('resume', {}, OPERATOR)
    const written = await saved(file)
    expect(`x${LONG}`.startsWith(written)).toBe(true)
    expect(written.length).toBeLessThan(LONG.length)
  })

  test('a corner is a place like any other where the operator’s configuration says so', async () => {
    await editor({ mode: 'audit', corner: false, idleMs: 100 })
    person('mousemove', '0', '0')
    await expect.poll(async () => (await humans()).length, { timeout: 10_000 }).toBe(1)
    expect(desk.session.state.stopped).toBe(false)
  })

  test('our own input is never a person’s: drags, clicks, wheel, held keys and keys made for the purpose, beside a busy neighbour', async () => {
    desk = await realDesk()
    const other = await realDesk()
    try {
      await Promise.all([desk, other].map(busy))
    } finally {
      await other.close()
    }
  })
})

describeDesktop('a person at the controls of a sandbox, from the command line', () => {
  test('agents make way unless told otherwise; status says so, and resume lets them go on', async () => {
    const world = new World()
    const sandbox = await bringUp({ stateDir: join(world.env['DESKHAND_STATE'] ?? '', 'sandboxes') })
    try {
      writeFileSync(join(world.dir, 'deskhand.toml'), '[human]\nidleSeconds = 3600\nwaitSeconds = 60\n')
      await world.up('--desktop', 'sandbox', '--sandbox', sandbox.record.id)
      expect((await world.run(['call', 'desktop.launch', '{"app":"mousepad"}'])).code).toBe(0)
      const status = async (): Promise<string> => (await world.run(['status'])).out
      expect(await status()).toContain('human input enforce')
      expect(await status()).not.toContain('a person')
      execFileSync('xdotool', ['mousemove_relative', '5', '5'], { env: sandbox.env })
      await expect.poll(status, { timeout: 20_000 }).toContain('agents wait')
      const waiting = world.run(['call', 'ui.type', '{"text":"after you"}'])
      const late = await world.run(['call', 'ui.click', '{"target":"role=menu && name=\\"File\\"","timeoutMs":100}'])
      expect(late).toMatchObject({ code: 1 })
      expect(late.out + late.err).toContain('HUMAN_AT_CONTROLS')
      expect((await world.run(['resume'])).out).toContain('resumed')
      expect((await waiting).code).toBe(0)
      expect(await status()).not.toContain('agents wait')
    } finally {
      await sandbox.down()
      await world.end()
    }
  })
})

async function busy(desk: RealDesk): Promise<void> {
  await desk.show('Question', 'zenity', ['--entry', '--title', 'Question'])
  await desk.show('Mousepad', 'mousepad')
  const { observe, act } = desk.driver
  const { nodes } = await observe.read({}, ctx)
  const places = nodes.flatMap((n) => (n.parent === undefined && n.bounds !== undefined ? [n.bounds] : []))
  expect(places.length).toBe(2)
  const lease = await act.take(60_000, ctx)
  const clicks = (x: number, y: number): Step => ({
    do: 'pointer',
    events: [
      { type: 'move', x, y },
      { type: 'down', button: 'left' },
      { type: 'up', button: 'left' },
    ],
  })
  const [first] = places
  const steps: Step[] = [
    ...places.flatMap((b) => [...places, ...places].map(() => clicks(b.x + b.w / 2, b.y + b.h / 2))),
    {
      do: 'pointer',
      events: [
        { type: 'move', x: (first?.x ?? 0) + 30, y: (first?.y ?? 0) - 8 },
        { type: 'down', button: 'left' },
        ...Array.from({ length: 40 }, (_, i) => ({
          type: 'move' as const,
          x: (first?.x ?? 0) + 30 + i * 4,
          y: (first?.y ?? 0) - 8 + i * 2,
        })),
        { type: 'up', button: 'left' },
      ],
    },
    { do: 'pointer', events: [{ type: 'move', x: 9000, y: -50 }] },
    { do: 'pointer', events: [{ type: 'move', x: 400, y: 300 }] },
    {
      do: 'pointer',
      events: [
        { type: 'move', x: 400, y: 300 },
        { type: 'wheel', dx: 2, dy: -4 },
      ],
    },
    {
      do: 'keys',
      events: [
        { type: 'down', key: 'a' },
        { type: 'pause', ms: 1200 },
        { type: 'up', key: 'a' },
      ],
    },
    { do: 'text', text: 'Straße 漢字 😀 ÀÉÎÕÜ αβγδεζηθικλμνξοπρστυφχψω \\o/ (a+b)*c' },
  ]
  // Watched meanwhile, as a session does: the pointer is compared all the time.
  const { cursor, human: before } = await observe.watch('input', undefined, 0, ctx)
  const watching = handled(observe.watch('input', cursor, 4000, within(20_000)))
  for (const step of steps) expect(await act.step(lease, step, {}, ctx)).toMatchObject({ sent: 'all' })
  expect((await watching).human).toEqual(before)
  expect((await observe.watch('input', undefined, 0, ctx)).human).toEqual(before)
  desk.ask('xdotool', 'key', 'b')
  expect((await observe.watch('input', cursor, 5000, ctx)).human.keys).toBe(before.keys + 2)
}
