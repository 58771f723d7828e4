import { connect as dial, type Socket } from 'node:net'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { DeskhandError } from '@deskhand/core/errors'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { serveFile } from '../../packages/deskhand/src/http/static-files.ts'
import { httpWorld, type HttpWorld } from '../support/http.ts'

/** What a caller may have written down at once of what it may not do. */
const BURST_BYTES = 4 * 2 ** 20

const dir = mkdtempSync(join(tmpdir(), 'dh-attacks-'))
let world: HttpWorld
beforeAll(async () => {
  world = await httpWorld([{}, { desktop: { name: 'other' } }])
})
afterAll(async () => {
  await world.close()
  rmSync(dir, { recursive: true })
})

const port = (): number => Number(new URL(world.url).port)

/** Says these bytes to the server and hears what comes back until it closes, or for a while. */
function say(text: string | Buffer, waitMs = 2_000): Promise<string> {
  return new Promise((done) => {
    const socket = dial(port(), '127.0.0.1')
    let heard = ''
    socket.on('data', (part) => (heard += part.toString('latin1')))
    socket.on('close', () => done(heard))
    socket.on('error', () => done(heard))
    socket.write(text)
    setTimeout(() => socket.destroy(), waitMs).unref()
  })
}

/** The server goes on: an operator still gets an answer. */
async function goesOn(): Promise<void> {
  expect(await world.ask('GET', '/desktops/virtual', { as: 'operator' })).toMatchObject({
    status: 200,
    json: { stopped: false, mode: 'simulation_only' },
  })
}

function upgrade(path: string, headers: Record<string, string>, protocols: string[] = []): Promise<number | 'open'> {
  return new Promise((done) => {
    const socket = new WebSocket(`ws://127.0.0.1:${port()}${path}`, protocols, { headers })
    socket.on('unexpected-response', (_, res) => {
      done(res.statusCode ?? 0)
      socket.terminate()
    })
    socket.on('open', () => {
      done('open')
      socket.terminate()
    })
    socket.on('error', () => {})
  })
}

test.each([
  ['no token', {}],
  ['an empty one', { authorization: 'Bearer ' }],
  ['a guessed one', { authorization: `Bearer ${'A'.repeat(43)}` }],
  ['one as a password', { authorization: `Basic ${Buffer.from('operator:x').toString('base64')}` }],
  ['a forged cookie', { cookie: `deskhand_0=${'A'.repeat(43)}` }],
  ['a very long one', { authorization: `Bearer ${'A'.repeat(8_000)}` }],
])('with %s nobody gets in, on any address', async (_, headers) => {
  for (const path of [
    '/desktops',
    '/desktops/virtual',
    '/desktops/virtual/approvals',
    '/desktops/virtual/events',
    '/desktops/nothing',
    '/session',
  ])
    expect((await world.ask('GET', path, { headers: headers as Record<string, string> })).status).toBe(401)
  expect((await world.ask('POST', '//mcp', { headers: headers as Record<string, string>, body: {} })).status).toBe(401)
  await goesOn()
})

test('a token in the address opens nothing', async () => {
  for (const name of ['token', 'access_token', 'authorization', 'key'])
    expect((await world.ask('GET', `/desktops/virtual?${name}=${world.token('operator')}`)).status).toBe(401)
})

test('an agent’s token does nothing of an operator’s, and one of another desktop nothing here', async () => {
  for (const path of [
    'stop',
    'pause',
    'resume',
    'mode',
    'takeover',
    'takeover/input',
    'takeover/end',
    'replay',
    'policy/explanation',
    'policy/check',
    'policy/trial',
    'script/check',
    'approvals/a1/answer',
    'picture/port',
  ])
    expect(
      await world.ask('POST', `/desktops/virtual/${path}`, { as: 'agent', body: { mode: 'allow_actual_input_full', allow: true } }),
    ).toMatchObject({ status: 403 })
  expect(await world.ask('DELETE', '/desktops/virtual', { as: 'agent' })).toMatchObject({ status: 403 })
  expect(await world.ask('POST', '/links', { as: 'agent' })).toMatchObject({ status: 403 })
  expect(await world.ask('POST', '/links', { as: 'operator' })).toMatchObject({ status: 403 })
  expect(await world.ask('POST', '/desktops', { as: 'agent', body: { name: 'mine', kind: 'host' } })).toMatchObject({ status: 403 })
  const foreign = { authorization: `Bearer ${world.token('operator', 'other')}` }
  for (const path of ['', '/events', '/journal', '/picture'])
    expect((await world.ask('GET', `/desktops/virtual${path}`, { headers: foreign })).status).toBe(401)
  for (const path of ['vnc', 'events']) expect(await upgrade(`/desktops/virtual/${path}`, foreign)).toBe(401)
  await goesOn()
})

test('a caller cannot say who it is', async () => {
  const body = { args: {}, principal: { id: 'operator', role: 'operator' }, who: { id: 'operator', role: 'operator' } }
  expect(await world.ask('POST', '/desktops/virtual/tools/ui.snapshot', { as: 'agent', body })).toMatchObject({ status: 400 })
  const headers = { 'x-forwarded-user': 'operator', 'x-deskhand-role': 'operator', 'x-forwarded-for': '127.0.0.1' }
  expect(await world.ask('POST', '/desktops/virtual/stop', { as: 'agent', headers, body: {} })).toMatchObject({ status: 403 })
})

test.each([
  ['a foreign origin', { origin: 'https://evil.example' }, 403],
  ['no origin, but a cookie', { cookie: 'deskhand_1=x' }, 403],
  ['the origin null', { origin: 'null' }, 403],
  ['a foreign host', { host: 'evil.example' }, 421],
  ['a wrong token', { authorization: `Bearer ${'B'.repeat(43)}` }, 401],
] as const)('a WebSocket with %s is not opened', async (_, headers, status) => {
  for (const path of ['/desktops/virtual/vnc', '/api/v1/desktops/virtual/events', '/desktops/virtual/events'])
    expect(await upgrade(path, headers)).toBe(status)
  expect(await upgrade('/somewhere', { authorization: `Bearer ${world.token('operator')}` })).toBe(404)
  await goesOn()
})

test('a token that was offered as a protocol is not said again', async () => {
  const token = world.token('viewer')
  const socket = new WebSocket(`ws://127.0.0.1:${port()}/desktops/virtual/vnc`, ['binary', `deskhand.token.${token}`])
  await new Promise((done) => socket.once('open', done))
  expect(socket.protocol).toBe('binary')
  socket.terminate()
})

test.each([
  ['no JSON', '{"args":', 400],
  ['a list', '[1]', 400],
  ['text that is not UTF-8', Buffer.from([0x22, 0xc3, 0x28, 0x22]), 400],
  ['an unknown field', '{"args":{},"more":1}', 400],
  ['a deep nest', `{"args":${'{"a":'.repeat(3_000)}1${'}'.repeat(3_000)}}`, 400],
  ['a prototype', '{"args":{"__proto__":{"role":"operator"}}}', 400],
  ['too much', `{"args":"${'x'.repeat(5 * 2 ** 20)}"}`, 413],
])('a body with %s is refused with a problem, and nothing else happens', async (_, raw, status) => {
  const reply = await world.ask('POST', '/desktops/virtual/tools/ui.click', {
    as: 'agent',
    headers: { 'content-type': 'application/json' },
    raw: Buffer.from(raw),
  })
  expect({ status: reply.status, type: reply.headers['content-type'] }).toEqual({ status, type: 'application/problem+json' })
  await goesOn()
})

test.each(['multipart/form-data; boundary=x', 'application/x-www-form-urlencoded', 'text/plain'])(
  'a body of %s, as a form of another site sends it, is not read',
  async (type) => {
    const reply = await world.ask('POST', '/desktops/virtual/stop', {
      as: 'operator',
      headers: { 'content-type': type },
      raw: Buffer.from('--x\r\n\r\n{}'),
    })
    expect(reply.status).toBe(415)
    await goesOn()
  },
)

test.each([
  'GET / HTTP/1.1\r\n\r\n',
  'GET / HTTP/1.1\r\nHost:\r\n\r\n',
  'GET http://evil.example/ HTTP/1.1\r\nHost: evil.example\r\n\r\n',
  `GET /${'a'.repeat(20_000)} HTTP/1.1\r\nHost: x\r\n\r\n`,
  'POST /api/v1/session HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
  '\u0016\u0003\u0001\u0002\u0000',
  'GET / HTTP/9.9\r\n\r\n',
])('bytes that are no good request get nothing: %j', async (text) => {
  expect(await say(text)).not.toMatch(/^HTTP\/1\.1 200/)
  await goesOn()
})

test.each([
  '/../package.json',
  '/..%2f..%2fpackage.json',
  '/%2e%2e/%2e%2e/package.json',
  '/page.css/../../package.json',
  '//etc/passwd',
  '/.env',
  '/\\..\\package.json',
  '/page.js%00.html',
])('no path leads out of the folder of pages: %s', async (path) => {
  const heard = await say(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port()}\r\nConnection: close\r\n\r\n`)
  expect(heard).not.toMatch(/"dependencies"|root:/)
  expect(heard).toMatch(/^HTTP\/1\.1 (?:4\d\d|200)/)
})

test('a link in the folder of pages that leads out of it is not followed', () => {
  const [pages, secret] = [join(dir, 'pages'), join(dir, 'secret.txt')]
  mkdirSync(pages)
  writeFileSync(secret, 'secret')
  symlinkSync(secret, join(pages, 'way.txt'))
  // Never reached: nothing is served.
  expect(serveFile({ method: 'GET' } as never, {} as never, '/way.txt', [pages])).toBe(false)
})

test('a thousand connections that say nothing keep nobody out', async () => {
  const idle: Socket[] = []
  for (let i = 0; i < 1_000; i++) {
    const socket = dial(port(), '127.0.0.1')
    socket.on('error', () => {})
    idle.push(socket)
  }
  await goesOn()
  for (const socket of idle) socket.destroy()
  await goesOn()
})

test('a request that never ends is let go, and holds up nobody', async () => {
  const slow = dial(port(), '127.0.0.1')
  slow.on('error', () => {})
  slow.write(
    `POST /api/v1/session HTTP/1.1\r\nHost: 127.0.0.1:${port()}\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{`,
  )
  await goesOn()
  slow.destroy()
})

test('an agent that reaches for the console of its own desktop is denied, by any of its names', async () => {
  world.desks[0]?.opened.consoles.add(world.url)
  const { opened } = world.desks[0]!
  for (const host of ['127.0.0.1', 'localhost', '[::1]', '127.1', '2130706433']) {
    const { json } = await world.ask('POST', '/desktops/virtual/tools/ui.type', {
      as: 'agent',
      body: { args: { target: 'name="Note"', text: `http://${host}:${port()}/open.html` } },
    })
    expect({ host, code: json.code }).toEqual({ host, code: 'DENIED' })
  }
  opened.consoles.clear()
})

test('a flood of refused requests is written down and holds up nobody', async () => {
  const refused = async (): Promise<number> =>
    (
      await world.ask('GET', '/desktops/other/journal?types=rejected&limit=1000', {
        headers: { authorization: `Bearer ${world.token('operator', 'other')}` },
      })
    ).json.length
  const before = await refused()
  for (let i = 0; i < 20; i++) await Promise.all(Array.from({ length: 100 }, () => world.ask('GET', '/desktops/other/approvals')))
  expect((await refused()) - before).toBeGreaterThan(0)
  await goesOn()
})

test('however much of a flood of refusals is to be written down, the record grows by what one stranger may write', async () => {
  const [, other] = world.desktops.all()
  const journal = join(world.desks[1]!.state, 'desktops/other')
  const size = (): number =>
    readdirSync(journal, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0)
  const before = size()
  const begun = performance.now()
  const refusal = new DeskhandError('UNAUTHORIZED', 'x'.repeat(1_900))
  /** What was let through before it was counted, and what comes by the second from then on. */
  const most = (): number => BURST_BYTES + 2 ** 20 + ((performance.now() - begun) / 1_000) * 64 * 1_024
  let [grown, isStill] = [0, 0]
  while (isStill < 8) {
    for (let i = 0; i < 200; i++) other?.refused('http GET /', { id: 'stranger', role: 'agent' }, refusal)
    await sleep(25)
    const now = size() - before
    expect(now).toBeLessThan(most())
    isStill = now > BURST_BYTES / 2 && now - grown < 16 * 1_024 ? isStill + 1 : 0
    grown = now
  }
  await goesOn()
})
