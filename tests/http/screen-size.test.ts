import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openServer } from '@deskhand/driver-linux'
import { bringUp, type Sandbox } from '../../packages/deskhand/src/desktop/sandbox.ts'
import { World } from '../support/cli.ts'
import { describeDesktop } from '../support/desktop.ts'
import { httpWorld } from '../support/http.ts'
import { start } from '../support/linux.ts'
import { RfbClient } from '../support/rfb.ts'

const CONTROL = 0xffe3
const [DONE, PROHIBITED, INVALID] = [0, 1, 3]
const EXTENDED = [7, -308]

describeDesktop('through the live picture of a sandbox', () => {
  const world = new World()
  let sandbox: Sandbox
  let url = ''
  beforeAll(async () => {
    sandbox = await bringUp({ stateDir: join(world.env['DESKHAND_STATE']!, 'sandboxes'), width: 1200, height: 900 })
  })
  afterAll(async () => {
    await world.stop()
    await sandbox?.down()
    await world.end()
  })

  async function up(clipboard: boolean): Promise<void> {
    await world.stop()
    world.env['DESKHAND_CONFIG'] = world.file('deskhand.toml', `[human]\nclipboard = ${clipboard}\n`)
    ;({ url } = (await world.server('--desktop', 'sandbox', '--sandbox', sandbox.record.id)).ready)
  }
  const token = (id: 'agent' | 'operator'): string => world.token('sandbox', id)
  const watch = (as: string): Promise<RfbClient> =>
    RfbClient.open(`${url.replace('http', 'ws')}/desktops/sandbox/vnc`, as, { encodings: EXTENDED })
  /** What the X server itself says, by a tool that knows nothing of Deskhand. */
  const x = (command: string, ...args: string[]): string => execFileSync(command, args, { env: sandbox.env, encoding: 'utf8' })
  const size = (): string => /current (\d+ x \d+)/.exec(x('xrandr', '--current'))?.[1] ?? ''

  test('its operator gives the screen another size, a viewer does not, and no size is larger than the X server was made for', async () => {
    await up(false)
    const viewer = await watch((await world.run(['token', 'add', 'guest', '--role', 'viewer'])).out.trim().split(/\s+/).at(-1) ?? '')
    const operator = await watch(token('operator'))
    viewer.resize(800, 600)
    await expect.poll(() => viewer.wishes, { timeout: 20_000 }).toEqual([PROHIBITED])
    expect(size()).toBe('1200 x 900')
    operator.resize(800, 600)
    await expect.poll(() => operator.wishes, { timeout: 20_000 }).toEqual([DONE])
    expect(size()).toBe('800 x 600')
    for (const client of [viewer, operator]) await expect.poll(() => [client.width, client.height], { timeout: 20_000 }).toEqual([800, 600])
    operator.resize(4000, 3000)
    await expect.poll(() => operator.wishes, { timeout: 20_000 }).toEqual([DONE, INVALID])
    expect(size()).toBe('800 x 600')
    operator.resize(1200, 900)
    await expect.poll(() => operator.wishes, { timeout: 20_000 }).toEqual([DONE, INVALID, DONE])
    expect(size()).toBe('1200 x 900')
    const { out } = await world.run(['journal', 'list', '--json'])
    expect(out).toContain('"what":"screen"')
    for (const client of [viewer, operator]) client.close()
  })

  test.each([true, false])('what they copy there reaches their client where the configuration allows it: %s', async (allowed) => {
    await up(allowed)
    const file = join(sandbox.env['HOME'] ?? '', `copied-${allowed}.txt`)
    writeFileSync(file, 'grün und blau')
    const editor = start(sandbox, 'mousepad', [file])
    const find = async (): Promise<{ bounds: { x: number; y: number } }[]> =>
      (
        JSON.parse((await world.run(['call', 'ui.query', JSON.stringify({ selector: 'role=textbox && visible=true' })])).out || '{}') as {
          data?: { matches: { bounds: { x: number; y: number } }[] }
        }
      ).data?.matches ?? []
    await expect.poll(async () => (await find()).length, { timeout: 30_000 }).toBe(1)
    const [{ bounds } = { bounds: { x: 0, y: 0 } }] = await find()
    const operator = await watch(token('operator'))
    const viewer = await watch((await world.run(['token', 'add', 'guest', '--role', 'viewer'])).out.trim().split(/\s+/).at(-1) ?? '')
    for (const mask of [0, 1, 0]) operator.pointer(mask, bounds.x + 20, bounds.y + 20)
    for (const letter of ['a', 'c']) {
      operator.key(true, CONTROL)
      operator.type(letter)
      operator.key(false, CONTROL)
    }
    if (allowed) await expect.poll(() => operator.cuts, { timeout: 20_000 }).toEqual(['grün und blau'])
    else {
      await expect.poll(clipboard, { timeout: 20_000 }).toBe('grün und blau')
      // The next key brings another look, if there were one.
      const seen = operator.updates
      operator.type('x')
      await expect.poll(() => operator.updates, { timeout: 20_000 }).toBeGreaterThan(seen + 2)
      expect(operator.cuts).toEqual([])
    }
    expect(viewer.cuts).toEqual([])
    for (const client of [viewer, operator]) client.close()
    editor.kill()
  })
  const clipboard = async (): Promise<string> => {
    const server = await openServer(sandbox.env)
    try {
      return (await server.clipboard?.read()) ?? ''
    } finally {
      server.close()
    }
  }
})

test('a simulated desktop keeps its size', async () => {
  const world = await httpWorld()
  try {
    const client = await RfbClient.open(`${world.url.replace('http', 'ws')}/desktops/virtual/vnc`, world.token('operator'), {
      encodings: EXTENDED,
    })
    client.resize(800, 600)
    await expect.poll(() => client.wishes).toEqual([INVALID])
    expect([client.width, client.height]).toEqual([1280, 800])
    expect((await world.ask('POST', '/desktops/virtual/screen', { as: 'agent', body: { width: 800, height: 600 } })).status).toBe(403)
    client.close()
  } finally {
    await world.close()
  }
})
