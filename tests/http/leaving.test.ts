import { readdirSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { once } from 'node:events'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { World, type Up } from '../support/cli.ts'
import { send } from '../support/http.ts'

const ASK = '[[rule]]\ntoolName = "ui.click"\ndecision = "ask_user"\npriority = 900\nwhen = { name = "Archive" }\n'
const SLOW = 'import pyautogui, time\nfor i in range(500):\n    pyautogui.moveTo(10 + i % 50, 20)\n    time.sleep(0.02)\n'
const TIMES = 12

const world = new World()
let up: Up
let operator = ''
let agent = ''
let script = ''
beforeAll(async () => {
  up = await world.server('--policy', world.file('ask.toml', ASK))
  const add = async (...args: string[]) => (await world.run(['token', 'add', ...args])).out.trim().split(/\s+/).at(-1) ?? ''
  operator = await add('boss', '--role', 'operator')
  agent = await add('worker')
  const page = (await send('GET', `${up.ready.url}/`)).text
  script = /(?:src|href)="(\/[^"]+\.js)"/.exec(page)?.[1] ?? ''
})
afterAll(() => world.end())

const where = (): { host: string; port: number } => ({ host: '127.0.0.1', port: Number(new URL(up.ready.url).port) })
const head = (verb: string, path: string, token: string, more: Record<string, string | number> = {}): string =>
  [`${verb} ${path} HTTP/1.1`, `host: 127.0.0.1:${where().port}`, `authorization: Bearer ${token}`]
    .concat(Object.entries(more).map(([name, value]) => `${name}: ${value}`))
    .join('\r\n') + '\r\n\r\n'
const posted = (path: string, token: string, body: object, more: Record<string, string> = {}): string => {
  const text = JSON.stringify(body)
  return head('POST', path, token, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text), ...more }) + text
}
const UPGRADE = {
  connection: 'Upgrade',
  upgrade: 'websocket',
  'sec-websocket-version': '13',
  'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==',
}
/** A frame of a client: masked with zeros. */
const frame = (...bytes: number[]): Buffer => Buffer.from([0x82, 0x80 | bytes.length, 0, 0, 0, 0, ...bytes])
const SHAKE = [frame(...Buffer.from('RFB 003.008\n')), frame(1), frame(1)]
const WHOLE = [frame(2, 0, 0, 1, 0, 0, 0, 7), frame(3, 0, 0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff)]

const API = '/api/v1/desktops/virtual'
const MCP = { accept: 'application/json, text/event-stream', 'mcp-session-id': 'x' }
const rpc = (name: string, args: object) => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name, arguments: args, _meta: { progressToken: 1 } },
})

/** What is sent; the client leaves at once, or as soon as an answer begins to come. */
const STREAMS: [string, () => (string | Buffer)[]][] = [
  ['a page, asked for many times over one connection', () => [head('GET', script, operator).repeat(20)]],
  ['events', () => [head('GET', `${API}/events`, operator)]],
  ['events over a WebSocket', () => [head('GET', `${API}/events`, operator, UPGRADE)]],
  ['the picture, before it is there', () => [head('GET', `${API}/vnc`, operator, UPGRADE), ...SHAKE]],
  ['the picture, in the middle of one', () => [head('GET', `${API}/vnc`, operator, UPGRADE), ...SHAKE, ...WHOLE]],
  ['a screenshot', () => [head('GET', `${API}/picture`, operator).repeat(3)]],
  ['the journal', () => [head('GET', `${API}/journal?limit=1000`, operator).repeat(3)]],
  ['a call that waits for a person', () => [posted(`${API}/tools/ui.click`, agent, { args: { target: 'role=button && name="Archive"' } })]],
  ['a call over MCP', () => [posted('/mcp', agent, rpc('ui.snapshot', {}), MCP)]],
  ['a script over MCP that tells how far it is', () => [posted('/mcp', agent, rpc('script.run', { script: SLOW }), MCP)]],
  [
    'half a body',
    () => [head('POST', `${API}/tools/ui.click`, agent, { 'content-type': 'application/json', 'content-length': 500 }), '{"args":'],
  ],
]

async function visit(parts: (string | Buffer)[], stays: 'not at all' | 'until something comes', how: 'reset' | 'end'): Promise<void> {
  const socket: Socket = connect(where())
  socket.on('error', () => {})
  await once(socket, 'connect')
  for (const part of parts) socket.write(part)
  if (stays === 'until something comes') await Promise.race([once(socket, 'readable'), new Promise((done) => setTimeout(done, 500))])
  if (how === 'reset') socket.resetAndDestroy()
  else socket.destroy()
}

const files = (): number => readdirSync(`/proc/${up.pid}/fd`).length
const json = async (path: string) =>
  (await send('GET', `${up.ready.url}${API}${path}`, { headers: { authorization: `Bearer ${operator}` } })).json

describe.each(STREAMS)('clients that leave %s', (_, parts) => {
  test.each(['not at all', 'until something comes'] as const)('and stay %s', async (stays) => {
    const before = files()
    for (const how of ['reset', 'end'] as const) await Promise.all(Array.from({ length: TIMES }, () => visit(parts(), stays, how)))
    expect((await send('GET', `${up.ready.url}/healthz`)).json).toMatchObject({ ok: true })
    // A connection of this test's own may be kept for the next request.
    await expect.poll(files, { timeout: 20_000 }).toBeLessThanOrEqual(before + 3)
    const running = async () => ((await json('/operations')) as { state: string }[]).filter((op) => op.state !== 'done').length
    await expect.poll(running, { timeout: 20_000 }).toBe(0)
    expect(await json('/approvals')).toEqual([])
    await expect.poll(async () => (await json('/picture/status')).viewers, { timeout: 20_000 }).toBe(0)
  })
})

test('a log that nobody reads any more ends no server', async () => {
  const own = new World()
  try {
    const child = own.start('up', '--port', '0', '--json', '--log', 'debug')
    const [line] = (await once(child.stdout, 'data')) as [Buffer]
    const { url } = JSON.parse(line.toString('utf8')) as { url: string }
    child.stderr.destroy()
    for (let i = 0; i < 5; i++) expect((await send('GET', `${url}/healthz`)).json).toMatchObject({ ok: true })
    expect({ code: child.exitCode, signal: child.signalCode }).toEqual({ code: null, signal: null })
  } finally {
    await own.end()
  }
})
