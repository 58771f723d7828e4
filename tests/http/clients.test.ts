import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { request } from 'node:https'
import type { IncomingMessage } from 'node:http'
import { connect as dial, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { httpWorld, type HttpWorld, type Reply } from '../support/http.ts'

let dir: string
let world: HttpWorld
beforeEach(() => void (dir = mkdtempSync(join(tmpdir(), 'dh-clients-'))))
afterEach(async () => {
  await world.close()
  rmSync(dir, { recursive: true })
})

const port = (): number => Number(new URL(world.url).port)

async function dialled(): Promise<Socket> {
  const socket = dial(port(), '127.0.0.1')
  socket.on('error', () => {})
  await once(socket, 'connect')
  return socket
}

/** Says these bytes and hears what comes back until the server closes. */
async function say(text: string): Promise<string> {
  const socket = await dialled()
  let heard = ''
  socket.on('data', (part) => (heard += part.toString('utf8')))
  socket.write(text)
  await once(socket, 'close')
  return heard
}

/** As clients of Java and curl begin, which would rather speak HTTP/2. */
const OFFER = ['Connection: Upgrade, HTTP2-Settings', 'Upgrade: h2c', 'HTTP2-Settings: AAEAAEAAAAIAAAABAAMAAABkAAQBAAAAAAUAAEAA']

test('a client that offers HTTP/2 is answered as if it had not', async () => {
  world = await httpWorld()
  const head = (line: string, ...more: string[]): string =>
    [`${line} HTTP/1.1`, `Host: 127.0.0.1:${port()}`, `Authorization: Bearer ${world.token('agent')}`, ...OFFER, ...more, '', ''].join(
      '\r\n',
    )
  expect(await say(head('GET /api/v1/desktops/virtual/snapshot'))).toMatch(/^HTTP\/1\.1 200 OK/)
  const body = JSON.stringify({ args: { selector: 'role=window', limit: 3 }, intent: 'ä'.repeat(500) })
  const call = head(
    'POST /api/v1/desktops/virtual/tools/ui.query',
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
  )
  expect(await say(call + body)).toMatch(/^HTTP\/1\.1 200 OK[^]*"matches"/)
  expect(await say(head('GET /api/v1/desktops/virtual/approvals').replace('127.0.0.1', 'evil.example'))).toMatch(/^HTTP\/1\.1 421/)
})

test.each([
  ['a head that is too large', `GET / HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`, 431],
  ['no HTTP', '\u0016\u0003\u0001\u0002\u0000\r\n\r\n', 400],
  ['two lengths', 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n', 400],
])('a client that sends %s is told what is wrong with it', async (_, text, status) => {
  world = await httpWorld()
  expect(await say(text)).toMatch(new RegExp(`^HTTP/1\\.1 ${status} [^]*application/problem\\+json[^]*"code":"BAD_ARGS"`))
})

test('a request that states a whole address means that one, and two strokes are no host', async () => {
  world = await httpWorld()
  const get = (target: string): Promise<string> => say(`GET ${target} HTTP/1.1\r\nHost: 127.0.0.1:${port()}\r\nConnection: close\r\n\r\n`)
  expect(await get(`http://127.0.0.1:${port()}/healthz`)).toMatch(/^HTTP\/1\.1 200/)
  expect(await get('http://evil.example/healthz')).toMatch(/^HTTP\/1\.1 421/)
  expect(await get('//evil.example/healthz')).not.toContain('"ok"')
})

test('a stranger’s opening code is as long as one, and no more of it is kept', async () => {
  world = await httpWorld()
  expect((await world.ask('POST', '/session', { body: { code: 'x'.repeat(10_000) } })).status).toBe(413)
})

test('over TLS, too, strangers end no connection of those who are known', async () => {
  const [cert, key] = [join(dir, 'cert.pem'), join(dir, 'key.pem')]
  const made = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-keyout', key, '-out', cert]
  expect(spawnSync('openssl', [...made, '-subj', '/CN=x', '-days', '2', '-addext', 'subjectAltName=IP:127.0.0.1']).status).toBe(0)
  const ca = readFileSync(cert)
  world = await httpWorld([{}], { tls: { cert: ca, key: readFileSync(key) } })
  const feed = request(`${world.url}/api/v1/desktops/virtual/events`, {
    ca,
    agent: false,
    headers: { authorization: `Bearer ${world.token('viewer')}` },
  })
  const [events] = (await once(feed.end(), 'response')) as [IncomingMessage]
  let heard = ''
  events.on('error', () => {}).on('data', (part: Buffer) => (heard += part.toString('utf8')))
  const strangers = await Promise.all(Array.from({ length: 300 }, dialled))
  for (const socket of strangers) socket.resume()
  await expect.poll(() => strangers.filter((socket) => !socket.closed).length).toBe(256)
  await world.desks[0]!.opened.session.noted('pause', { id: 'operator', role: 'operator' }, {})
  await expect.poll(() => heard).toContain('event: journal')
  for (const socket of strangers) socket.destroy()
  feed.destroy()
})

test('of what an agent sends so much is held at a time, and no more; who sends a lot at once is told so, and others go on', async () => {
  world = await httpWorld()
  const size = 4 * 2 ** 20
  const head = [
    'POST /api/v1/desktops/virtual/tools/ui.query HTTP/1.1',
    `Host: 127.0.0.1:${port()}`,
    `Authorization: Bearer ${world.token('agent')}`,
    'Content-Type: application/json',
    `Content-Length: ${size}`,
  ]
  const heard: string[] = []
  const sockets = await Promise.all(Array.from({ length: 24 }, dialled))
  for (const socket of sockets) {
    socket.on('data', (part) => heard.push(part.toString('utf8', 0, 12)))
    socket.write(`${head.join('\r\n')}\r\n\r\n`)
    // All but its last byte.
    socket.write(Buffer.alloc(size - 1, ' '))
  }
  // 16 of them fit in 64 MiB.
  await expect.poll(() => heard, { timeout: 20_000 }).toEqual(Array(8).fill('HTTP/1.1 429'))
  expect((await world.ask('GET', '/desktops/virtual/approvals', { as: 'viewer' })).status).toBe(200)
  for (const socket of sockets) socket.destroy()
  const query = (): Promise<Reply> =>
    world.ask('POST', '/desktops/virtual/tools/ui.query', { as: 'agent', body: { args: { selector: 'role=window' } } })
  await expect.poll(async () => (await query()).status).toBe(200)
})
