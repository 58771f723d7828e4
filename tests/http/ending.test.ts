import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { request as plain, type IncomingMessage } from 'node:http'
import { request } from 'node:https'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { World } from '../support/cli.ts'
import { handled } from '../support/handled.ts'
import { send } from '../support/http.ts'

let world: World
beforeEach(() => void (world = new World()))
afterEach(() => world.end())

const bearer = (...who: Parameters<World['token']>): Record<string, string> => ({ authorization: `Bearer ${world.token(...who)}` })

test('a server that is asked to end tells everybody who waits or watches, and loses nothing that it acknowledged', async () => {
  const ask = '[[rule]]\ntoolName = "ui.click"\ndecision = "ask_user"\npriority = 900\nwhen = { name = "Archive" }\n'
  const up = await world.server('--policy', world.file('ask.toml', ask))
  const api = `${up.ready.url}/api/v1/desktops/virtual`
  const agent = { ...bearer('virtual', 'agent'), 'content-type': 'application/json' }
  const call = (target: string) =>
    send('POST', `${api}/tools/ui.click`, { headers: agent, body: Buffer.from(JSON.stringify({ args: { target } })) })
  expect((await call('name="Already paid"')).json).toMatchObject({ effect: 'confirmed' })
  const operator = bearer('server', 'operator')
  const [feed] = (await once(plain(`${api}/events`, { headers: operator }).end(), 'response')) as [IncomingMessage]
  const told = once(feed.resume(), 'end')
  const sockets = ['events', 'vnc'].map((path) => new WebSocket(`${api.replace('http', 'ws')}/${path}`, 'binary', { headers: operator }))
  await Promise.all(sockets.map((socket) => once(socket, 'open')))
  const closed = sockets.map((socket) => once(socket, 'close'))
  const waiting = handled(call('role=button && name="Archive"'))
  await expect.poll(async () => (await send('GET', `${api}/approvals`, { headers: operator })).json.length).toBe(1)
  process.kill(up.pid, 'SIGTERM')
  expect((await waiting).json).toMatchObject({ code: expect.any(String), next: expect.any(String) })
  await told
  for (const [code] of (await Promise.all(closed)) as [number][]) expect([1000, 1001]).toContain(code)
  expect(await up.ended).toBe(0)
  const journal = (await world.run(['journal', 'list', '--json'])).out
  expect(journal).toContain('"effect":"confirmed"')
  expect(await world.run(['journal', 'verify'])).toMatchObject({ code: 0 })
})

test('one that is asked to end while it comes up ends in order, too', async () => {
  const child = world.start('up', '--port', '0')
  const ended = once(child, 'exit')
  while (!existsSync(join(world.dir, 'state/server/socket'))) await new Promise((done) => setTimeout(done, 2))
  child.kill('SIGTERM')
  expect(await ended).toEqual([0, null])
  expect((await world.server()).ready.found).toBeUndefined()
})

test('with a certificate everything is behind TLS, the picture too, and the cookie never travels without', async () => {
  const [cert, key] = [join(world.dir, 'cert.pem'), join(world.dir, 'key.pem')]
  const made = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-keyout', key, '-out', cert]
  spawnSync('openssl', [...made, '-subj', '/CN=deskhand', '-days', '2', '-addext', 'subjectAltName=IP:127.0.0.1'])
  const ca = readFileSync(cert)
  const { ready } = await world.server('--tls-cert', cert, '--tls-key', key)
  expect(ready.url).toMatch(/^https:/)
  // No client knows who signed this certificate: a second start comes in by the server's own socket.
  expect(JSON.parse((await world.run(['up', '--json'])).out)).toMatchObject({ url: ready.url, found: true })
  const ask = async (method: string, path: string, body?: unknown): Promise<IncomingMessage> => {
    const headers = { 'content-type': 'application/json', ...bearer('server', 'operator') }
    const req = request(`${ready.url}${path}`, { method, ca, headers })
    req.end(body === undefined ? undefined : JSON.stringify(body))
    const [res] = (await once(req, 'response')) as [IncomingMessage]
    return res.resume()
  }
  expect((await ask('GET', '/api/v1/desktops/virtual')).statusCode).toBe(200)
  const opened = await ask('POST', '/api/v1/session', { code: new URL(ready.open).hash.slice(1) })
  expect(String(opened.headers['set-cookie'])).toMatch(/; HttpOnly; SameSite=Strict; Secure$/)
  const socket = new WebSocket(`${ready.url.replace('https', 'wss')}/desktops/virtual/vnc`, 'binary', {
    ca,
    headers: bearer('server', 'operator'),
  })
  const [hello] = (await once(socket, 'message')) as [Buffer]
  expect(hello.toString()).toBe('RFB 003.008\n')
  socket.terminate()
  await expect(send('GET', `${ready.url.replace('https', 'http')}/healthz`)).rejects.toThrow(/socket hang up|ECONNRESET/)
})

test.each(['deskhand.example', 'deskhand.example:443'])(
  'behind a proxy that the configuration names as %s, its name counts and no other, and the cookie is for TLS alone',
  async (name) => {
    world.env['DESKHAND_CONFIG'] = world.file('deskhand.toml', `[server]\nhosts = ["${name}"]\n`)
    const { ready } = await world.server()
    const open = (host: string, origin: string) =>
      send('POST', `${ready.url}/api/v1/session`, {
        headers: { host, origin, 'content-type': 'application/json' },
        body: Buffer.from(JSON.stringify({ code: new URL(ready.open).hash.slice(1) })),
      })
    expect((await open('other.example', 'https://other.example')).status).toBe(421)
    const opened = await open('deskhand.example', 'https://deskhand.example')
    expect({ status: opened.status, cookie: String(opened.headers['set-cookie']) }).toEqual({
      status: 200,
      cookie: expect.stringMatching(/; Secure$/),
    })
  },
)
