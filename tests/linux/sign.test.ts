import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import sharp from 'sharp'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { Display, ScreenGrabber } from '@deskhand/driver-linux'
import type { Sandbox } from '../../packages/deskhand/src/desktop/sandbox.ts'
import { World } from '../support/cli.ts'
import { describeDesktop, testDesktop } from '../support/desktop.ts'
import { send } from '../support/http.ts'
import { fixture, PYTHON } from '../support/linux.ts'
import { RfbClient } from '../support/rfb.ts'

const RULES = `[[rule]]
toolName = "*"
decision = "allow"
priority = 900
when = { risk = ["low", "medium", "high"] }
[[rule]]
toolName = "ui.click"
decision = "ask_user"
priority = 950
`
const [ACTING, WAITING, PAUSED, MARK] = [0x1f6feb, 0xd29922, 0xcf222e, 0xffffff]
const GROUND = 0x335577
const TARGET = 'role=button && name="Show"'

/** An X server of the test's own, as a person's desktop: nothing of it is a sandbox to Deskhand. */
describeDesktop('on a person’s own desktop', () => {
  let sandbox: Sandbox
  let app: ChildProcess
  let screen: ScreenGrabber
  let display: Display
  let world: World
  let url = ''
  let agent = ''
  beforeAll(async () => {
    sandbox = await testDesktop()
    execFileSync('xsetroot', ['-solid', '#335577'], { env: sandbox.env })
    app = spawn(PYTHON, [fixture('secrets_gtk3.py')], { env: sandbox.env, stdio: 'ignore' })
    screen = await ScreenGrabber.open(sandbox.env, 'GetImage')
    display = await Display.open(sandbox.env)
  })
  afterAll(async () => {
    app?.kill()
    screen?.close()
    display?.close()
    await sandbox?.down()
  })
  afterEach(() => world.end())

  async function up(config = ''): Promise<void> {
    const { DISPLAY, XAUTHORITY, DBUS_SESSION_BUS_ADDRESS, AT_SPI_BUS_ADDRESS } = sandbox.env
    world = new World({ DISPLAY, XAUTHORITY, DBUS_SESSION_BUS_ADDRESS, AT_SPI_BUS_ADDRESS } as Record<string, string>)
    world.file('deskhand.toml', `[desktop]\nkind = "host"\n${config}[policy]\nmode = "allow_actual_input_full"\nfiles = ["rules.toml"]\n`)
    world.file('rules.toml', RULES)
    url = (await world.server()).ready.url
    agent = (await world.run(['token', 'add', 'worker'])).out.trim().split(/\s+/).at(-1) ?? ''
    await expect.poll(async () => (await call('ui.query', { selector: TARGET })).status, { timeout: 30_000 }).toBe(200)
  }

  /** The colours of the topmost row of the screen, as it is. */
  const edge = async (): Promise<Set<number>> => new Set([...(await screen.grab({ x: 0, y: 0, w: display.width, h: 1 })).words].map(rgb))
  const call = (tool: string, args: object, waitMs?: number) =>
    send('POST', `${url}/api/v1/desktops/host/tools/${tool}`, {
      headers: { authorization: `Bearer ${agent}`, 'content-type': 'application/json' },
      body: Buffer.from(JSON.stringify({ args, waitMs })),
    })
  /** Every colour in the picture that an agent gets, or in so many rows of it. */
  const pictured = async (rows = Infinity): Promise<Set<number>> => {
    const { bytes } = await send('GET', `${url}/api/v1/desktops/host/picture`, { headers: { authorization: `Bearer ${agent}` } })
    const { data, info } = await sharp(bytes).removeAlpha().raw().toBuffer({ resolveWithObject: true })
    return new Set(Array.from({ length: info.width * Math.min(rows, info.height) }, (_, i) => data.readUIntBE(3 * i, 3)))
  }
  const coloursIn = (rgbs: Buffer): Set<number> => new Set(Array.from({ length: rgbs.length / 3 }, (_, i) => rgbs.readUIntBE(3 * i, 3)))
  const strips = async (): Promise<number> => {
    const { children } = await display.ask<{ children: number[] }>((reply) => display.client.QueryTree(display.root, reply))
    const sizes = await Promise.all(
      children.map((id) =>
        display.ask<{ width: number; height: number }>((reply) => display.client.GetGeometry(id, reply)).catch(() => undefined),
      ),
    )
    return sizes
      .filter((size) => size !== undefined && (size.width === display.width || size.height === display.height))
      .filter((size) => Math.min(size!.width, size!.height) < 10).length
  }

  test('a border shows that agents are paused, wait for an answer, and where they will click, and agents see nothing of it', async () => {
    await up()
    expect(await strips()).toBe(0)
    expect(await pictured(8)).toEqual(new Set([GROUND]))
    const clean = (await call('ui.snapshot', { scope: 'desktop' })).json as { text: string }
    const viewer = await RfbClient.open(`${url.replace('http', 'ws')}/desktops/host/vnc`, world.token('host', 'operator'))
    /** Whatever the live picture showed at any time. */
    const live = new Set<number>()
    viewer.onUpdate = () => coloursIn(viewer.pixels).forEach((colour) => live.add(colour))
    await expect.poll(() => live).toContain(GROUND)
    await world.run(['pause'])
    await expect.poll(edge, { timeout: 20_000 }).toEqual(new Set([PAUSED]))
    expect(await strips()).toBe(4)
    expect([...(await pictured())].filter((colour) => [ACTING, WAITING, PAUSED].includes(colour))).toEqual([])
    // What lies beside it stands in for it; it is not blacked out as a window of ours would be.
    expect(await pictured(8)).toEqual(new Set([GROUND]))
    const seen = (await call('ui.snapshot', { scope: 'desktop' })).json as { text: string }
    expect(seen.text.split('\n').slice(1)).toEqual(clean.text.split('\n').slice(1))

    await world.run(['resume'])
    await expect.poll(edge, { timeout: 20_000 }).not.toContain(PAUSED)
    const { bounds } = ((await call('ui.query', { selector: TARGET })).json as { data: { matches: { bounds: Box }[] } }).data.matches[0]!
    const asked = call('ui.click', { target: TARGET })
    await expect.poll(edge, { timeout: 20_000 }).toEqual(new Set([WAITING, MARK]))
    const row = [...(await screen.grab({ x: 0, y: 0, w: display.width, h: 1 })).words].map(rgb)
    const marked = row.flatMap((colour, x) => (colour === MARK ? [x] : []))
    expect(Math.abs((marked[0]! + marked.at(-1)!) / 2 - (bounds.x + bounds.w / 2))).toBeLessThan(3)
    expect([...(await pictured())].filter((colour) => colour === WAITING)).toEqual([])

    const [question] = JSON.parse((await world.run(['approvals', 'list', '--json'])).out) as { id: string }[]
    await world.run(['approvals', 'allow', question!.id])
    expect((await asked).json).toMatchObject({ status: 'success' })
    await expect.poll(strips, { timeout: 20_000 }).toBe(4)
    await expect.poll(edge, { timeout: 20_000 }).not.toContain(ACTING)
    expect([...live].filter((colour) => [ACTING, WAITING, PAUSED].includes(colour))).toEqual([])
    viewer.close()
  })

  test('it takes no input: to the X server the pointer is never in it', async () => {
    await up()
    await world.run(['pause'])
    await expect.poll(edge, { timeout: 20_000 }).toEqual(new Set([PAUSED]))
    const under = async (x: number, y: number): Promise<number> => {
      execFileSync('xdotool', ['mousemove', String(x), String(y)], { env: sandbox.env })
      return (await display.ask<{ child: number }>((reply) => display.client.QueryPointer(display.root, reply))).child
    }
    const places = [
      [1, 300],
      [600, 1],
      [display.width - 2, 300],
      [600, display.height - 2],
    ] as const
    for (const [x, y] of places) {
      const child = await under(x, y)
      if (child === 0) continue
      const { width, height } = await display.ask<{ width: number; height: number }>((reply) => display.client.GetGeometry(child, reply))
      expect(Math.min(width, height)).toBeGreaterThan(10)
    }
  })

  test('it can be turned off', async () => {
    await up('sign = false\n')
    const asked = call('ui.click', { target: TARGET })
    await expect.poll(async () => (await world.run(['approvals', 'list', '--json'])).out, { timeout: 20_000 }).toContain('Show')
    await world.run(['pause'])
    await world.run(['stop'])
    expect((await asked).status).not.toBe(200)
    expect(await strips()).toBe(0)
    expect(await edge()).not.toContain(PAUSED)
  })
})

interface Box {
  x: number
  y: number
  w: number
  h: number
}

const rgb = (word: number): number => word & 0xffffff
