import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { bringUp, type Sandbox } from '../../packages/deskhand/src/desktop/sandbox.ts'
import { World } from '../support/cli.ts'
import { describeDesktop } from '../support/desktop.ts'
import { handled } from '../support/handled.ts'
import { send, type Reply } from '../support/http.ts'
import { start } from '../support/linux.ts'
import { RfbClient } from '../support/rfb.ts'
import { XKeys } from '../support/x-keys.ts'

const SHIFT = 0xffe1
const CONTROL = 0xffe3
const ESCAPE = 0xff1b
/** Its key on every usual keyboard. */
const ESCAPE_CODE = 9

describeDesktop('the live picture of a real desktop', () => {
  let world: World
  let sandbox: Sandbox
  let url: string
  beforeEach(async () => {
    world = new World()
    sandbox = await bringUp({ stateDir: join(world.env['DESKHAND_STATE']!, 'sandboxes') })
    ;({ url } = (await world.server('--desktop', 'sandbox', '--sandbox', sandbox.record.id)).ready)
    await world.run(['token', 'add', 'watcher', '--role', 'viewer'])
  })
  afterEach(async () => {
    await sandbox.down()
    await world.end()
  })

  const local = (id: 'agent' | 'operator'): string => world.token('sandbox', id)
  const watch = (token: string): Promise<RfbClient> => RfbClient.open(`${url.replace('http', 'ws')}/desktops/sandbox/vnc`, token)
  const ask = (verb: string, path: string, as: 'agent' | 'operator', body?: unknown): Promise<Reply> =>
    send(verb, `${url}/api/v1/desktops/sandbox${path}`, {
      headers: { authorization: `Bearer ${local(as)}`, 'content-type': 'application/json' },
      body: body === undefined ? undefined : Buffer.from(JSON.stringify(body)),
    })
  /** What the X server itself says, by a tool that knows nothing of Deskhand. */
  const x = (command: string, ...args: string[]): string => execFileSync(command, args, { env: sandbox.env, encoding: 'utf8' })
  const keysDown = (): string[] =>
    [...x('xinput', '--query-state', 'Virtual core XTEST keyboard').matchAll(/key\[(\d+)\]=down/g)].map(([, code = '']) => code)

  async function editor(): Promise<{ file: string; at: { x: number; y: number } }> {
    const file = join(sandbox.env['HOME'] ?? '', 'typed.txt')
    writeFileSync(file, '')
    start(sandbox, 'mousepad', [file])
    const query = (): Promise<Reply> => ask('POST', '/tools/ui.query', 'agent', { args: { selector: 'role=textbox && visible=true' } })
    await expect.poll(async () => (await query()).json.data?.matches?.length ?? 0, { timeout: 30_000 }).toBeGreaterThan(0)
    const { x: left, y: top } = (await query()).json.data.matches[0].bounds
    return { file, at: { x: left + 20, y: top + 20 } }
  }

  test('an operator writes through it as at the desk: layouts, capitals, signs; what they held is let go when the line breaks', async () => {
    const { file, at } = await editor()
    const operator = await watch(local('operator'))
    operator.pointer(0, at.x, at.y)
    operator.pointer(1, at.x, at.y)
    operator.pointer(0, at.x, at.y)
    operator.type('ruhe ')
    // As clients send capitals and signs of their own layout: with the modifier beside the sign that it makes.
    for (const sign of ['Ä', '(', '€', 'ß', '漢']) {
      operator.key(true, SHIFT)
      operator.type(sign)
      operator.key(false, SHIFT)
    }
    operator.key(true, CONTROL)
    operator.type('s')
    operator.key(false, CONTROL)
    await expect.poll(() => readFileSync(file, 'utf8').trimEnd(), { timeout: 20_000 }).toBe('ruhe Ä(€ß漢')
    operator.key(true, SHIFT)
    await expect.poll(keysDown, { timeout: 10_000 }).not.toEqual([])
    operator.socket.terminate()
    await expect.poll(keysDown, { timeout: 10_000 }).toEqual([])
    const { json } = await ask('GET', '', 'operator')
    expect(json.human).toMatchObject({ takenBy: 'operator', paused: true })
    expect((await ask('POST', '/takeover/end', 'operator')).status).toBe(200)
  })

  /** As a VNC client sends what was copied beside it. */
  const cut = (client: RfbClient, text: string): void => client.send([6, 0, 0, 0, 0, 0, 0, text.length, ...Buffer.from(text, 'latin1')])

  function chord(client: RfbClient, letter: string): void {
    client.key(true, CONTROL)
    client.type(letter)
    client.key(false, CONTROL)
  }

  test('dead keys make one character with the next, and the clipboard of a client stays outside', async () => {
    const { file, at } = await editor()
    const operator = await watch(local('operator'))
    for (const mask of [0, 1, 0]) operator.pointer(mask, at.x, at.y)
    const [acute, diaeresis, caron] = [0xfe51, 0xfe57, 0xfe5a]
    for (const [dead, letter] of [
      [acute, 'e'],
      [diaeresis, 'o'],
      [caron, 's'],
      [acute, ' '],
      [acute, 'q'],
    ] as const) {
      operator.key(true, dead)
      operator.key(false, dead)
      operator.type(letter)
    }
    cut(operator, 'secretly')
    chord(operator, 'v')
    operator.type('.')
    chord(operator, 's')
    await expect.poll(() => readFileSync(file, 'utf8').trimEnd(), { timeout: 20_000 }).toBe('éöš´q.')
    operator.close()
  })

  test('where the configuration lets it in, an operator’s clipboard is pasted, and nobody else’s', async () => {
    await world.stop()
    world.env['DESKHAND_CONFIG'] = world.file('clipboard.toml', '[human]\nclipboard = true\n')
    ;({ url } = (await world.server('--desktop', 'sandbox', '--sandbox', sandbox.record.id)).ready)
    const { file, at } = await editor()
    const viewer = await watch((await world.run(['token', 'add', 'guest', '--role', 'viewer'])).out.trim())
    const operator = await watch(local('operator'))
    for (const mask of [0, 1, 0]) operator.pointer(mask, at.x, at.y)
    cut(operator, 'größer: 5 £')
    cut(viewer, 'not this')
    chord(operator, 'v')
    // The application asks for what it pastes after the key, so that a save right behind it may come too soon.
    const saved = (): string => {
      chord(operator, 's')
      return readFileSync(file, 'utf8').trimEnd()
    }
    await expect.poll(saved, { timeout: 20_000, interval: 500 }).toBe('größer: 5 £')
    const { text } = await ask('GET', '/journal?newest=true&limit=200', 'operator')
    expect(text).not.toContain('größer')
    for (const one of [viewer, operator]) one.close()
  })

  test('an operator’s key breaks an agent’s typing off between two events', async () => {
    const { file, at } = await editor()
    const text = 'the agent writes this line again and again. '.repeat(30)
    const operator = await watch(local('operator'))
    expect((await ask('POST', '/tools/ui.click', 'agent', { args: { target: 'role=textbox && visible=true' } })).status).toBe(200)
    const seen = operator.updates
    // Without a target it is typed key by key, into what has the focus.
    const typing = handled(ask('POST', '/tools/ui.type', 'agent', { args: { text } }))
    await expect.poll(() => operator.updates, { timeout: 20_000 }).toBeGreaterThan(seen + 2)
    operator.pointer(1, at.x, at.y)
    operator.pointer(0, at.x, at.y)
    expect((await typing).json).toMatchObject({ code: 'HUMAN_AT_CONTROLS', result: { sent: expect.stringMatching(/partial|unknown/) } })
    operator.key(true, CONTROL)
    operator.type('s')
    operator.key(false, CONTROL)
    await expect.poll(() => readFileSync(file, 'utf8').length, { timeout: 20_000 }).toBeGreaterThan(0)
    await sleep(500)
    expect(text.startsWith(readFileSync(file, 'utf8').trimEnd())).toBe(true)
    operator.close()
  })

  test('after the first key of an operator the X server hears of none of the agent’s, and none stays down', async () => {
    await editor()
    const operator = await watch(local('operator'))
    expect((await ask('POST', '/tools/ui.click', 'agent', { args: { target: 'role=textbox && visible=true' } })).status).toBe(200)
    const keys = await XKeys.watch(sandbox.env)
    const typing = handled(ask('POST', '/tools/ui.type', 'agent', { args: { text: 'The Agent Writes. '.repeat(60) } }))
    await expect.poll(() => keys.heard.length, { timeout: 20_000, interval: 5 }).toBeGreaterThan(20)
    operator.key(true, ESCAPE)
    operator.key(false, ESCAPE)
    expect((await typing).json).toMatchObject({ code: 'HUMAN_AT_CONTROLS' })
    await expect.poll(() => keys.heard.filter((k) => k.code === ESCAPE_CODE).map((k) => k.isDown)).toEqual([true, false])
    // What an agent asks for from now on waits for the hand-back.
    const later = handled(ask('POST', '/tools/ui.type', 'agent', { args: { text: 'later', timeoutMs: 1_000 } }))
    expect((await later).json).toMatchObject({ code: 'HUMAN_AT_CONTROLS', result: { sent: 'none' } })
    const first = keys.heard.findIndex((k) => k.code === ESCAPE_CODE)
    expect(first).toBeGreaterThan(20)
    expect(keys.heard.slice(first).filter((k) => k.code !== ESCAPE_CODE)).toEqual([])
    expect(keysDown()).toEqual([])
    await keys.end()
    operator.close()
  })

  test('nothing that a viewer sends reaches the X server', async () => {
    await editor()
    const token = (await world.run(['token', 'add', 'guest', '--role', 'viewer'])).out.trim()
    const viewer = await watch(token)
    await expect.poll(() => viewer.updates).toBeGreaterThan(0)
    x('xdotool', 'mousemove', '5', '5')
    await ask('POST', '/resume', 'operator')
    const keys = await XKeys.watch(sandbox.env)
    viewer.pointer(1, 300, 300)
    viewer.pointer(0, 300, 300)
    viewer.key(true, SHIFT)
    viewer.type('secretly')
    // A wish that is refused is answered after everything before it.
    viewer.resize(1, 1)
    await expect.poll(() => viewer.wishes.length).toBe(1)
    const operator = await watch(local('operator'))
    operator.key(true, ESCAPE)
    operator.key(false, ESCAPE)
    await expect.poll(() => keys.heard.map((k) => k.code), { timeout: 20_000 }).toEqual([ESCAPE_CODE, ESCAPE_CODE])
    expect(x('xdotool', 'getmouselocation')).toMatch(/^x:5 y:5 /)
    expect(keysDown()).toEqual([])
    await keys.end()
    operator.close()
    viewer.close()
  })
})
