import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { processes } from '@deskhand/core/platform'
import { World } from '../support/cli.ts'
import { send, type Reply } from '../support/http.ts'
import { RfbClient } from '../support/rfb.ts'

let world: World
beforeEach(() => void (world = new World()))
afterEach(() => world.end())

const ask = (url: string, verb: string, path: string, secret = world.token('server', 'operator'), body?: unknown): Promise<Reply> =>
  send(verb, `${url}/api/v1${path}`, {
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
    body: body === undefined ? undefined : Buffer.from(JSON.stringify(body)),
  })

/** The broker that a server started, by the process table. */
function brokerOf(pid: number): number {
  const found = processes().find((p) => p.parent === pid)
  if (found === undefined) throw new Error(`no process was started by ${pid}`)
  return found.id.pid
}
const isThere = (pid: number): boolean => processes().some((p) => p.id.pid === pid)

test('one command serves a desktop at one address: a person opens the link, an agent calls by its token', async () => {
  const { ready } = await world.server()
  expect(ready).toMatchObject({ name: 'virtual', url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/), mcp: `${ready.url}/mcp` })
  const page = await send('GET', `${ready.url}/`)
  expect(page).toMatchObject({ status: 200, text: expect.stringContaining('<title>Deskhand') })
  const opened = await send('POST', `${ready.url}/api/v1/session`, {
    headers: { 'content-type': 'application/json' },
    body: Buffer.from(JSON.stringify({ code: new URL(ready.open).hash.slice(1) })),
  })
  expect(opened.status).toBe(200)
  const click = await ask(ready.url, 'POST', '/desktops/virtual/tools/ui.click', world.token('virtual', 'agent'), {
    args: { target: 'name="Already paid"' },
  })
  expect(click).toMatchObject({ status: 200, json: { effect: 'confirmed' } })
  const { out } = await world.run(['call', 'ui.query', '{"selector":"name=\\"Already paid\\" && checked=true"}'])
  expect(out).toMatch(/checked/)
})

test('a second start finds the first, and gives a link of its own', async () => {
  const first = await world.server()
  const { code, out } = await world.run(['up', '--json'])
  const second = JSON.parse(out) as { url: string; open: string; found: boolean }
  expect({ code, url: second.url, found: second.found }).toEqual({ code: 0, url: first.ready.url, found: true })
  expect(second.open).not.toBe(first.ready.open)
})

test('no file of a server holds what lets a client in, and its own socket takes nothing but its user', async () => {
  const { ready } = await world.server()
  const state = join(world.dir, 'state')
  const files = readdirSync(state, { recursive: true, encoding: 'utf8' }).map((name) => join(state, name))
  const texts = files.filter((file) => statSync(file).isFile()).map((file) => readFileSync(file, 'latin1'))
  const words = new Set(texts.flatMap((text) => [...text.matchAll(/[\w-]{43,200}/g)].map(([word]) => word)))
  expect(words.size).toBeGreaterThan(3)
  for (const word of words) expect((await ask(ready.url, 'GET', '/session', word)).status).toBe(401)
  for (const socket of ['server/socket', 'desktops/virtual/socket']) expect(statSync(join(state, socket)).mode & 0o777).toBe(0o600)
  expect(statSync(join(state, 'server')).mode & 0o777).toBe(0o700)
})

test('several desktops stand behind one server, and one that dies takes no other with it', async () => {
  const { pid, ready } = await world.server()
  const added = await world.run(['--name', 'second', 'up', '--desktop', 'virtual', '--json'])
  expect(JSON.parse(added.out)).toMatchObject({ name: 'second', url: ready.url })
  const { json } = await ask(ready.url, 'GET', '/desktops')
  expect(json.map((d: { name: string }) => d.name)).toEqual(['virtual', 'second'])
  const agent = world.token('second', 'agent')
  expect(await ask(ready.url, 'GET', '/desktops/second', agent)).toMatchObject({ status: 200 })
  expect(await ask(ready.url, 'GET', '/desktops/virtual', agent)).toMatchObject({ status: 401 })
  expect((await ask(ready.url, 'GET', '/desktops', agent)).json).toMatchObject([{ name: 'second' }])
  process.kill(brokerOf(pid), 'SIGKILL')
  await expect.poll(async () => (await ask(ready.url, 'GET', '/desktops')).json.map((d: { name: string }) => d.name)).toEqual(['second'])
  expect(await ask(ready.url, 'GET', '/desktops/second', agent)).toMatchObject({ status: 200 })
})

test('what kills the server ends its brokers, also while somebody watches, and the next start works', async () => {
  const { pid, ready } = await world.server()
  const broker = brokerOf(pid)
  const viewer = await RfbClient.open(`${ready.url.replace('http', 'ws')}/desktops/virtual/vnc`, world.token('server', 'operator'))
  await expect.poll(() => viewer.updates).toBeGreaterThan(0)
  expect(isThere(broker)).toBe(true)
  process.kill(pid, 'SIGKILL')
  await expect.poll(() => isThere(broker), { timeout: 20_000 }).toBe(false)
  expect((await world.server()).ready.found).toBeUndefined()
})

test('an operator ends it from the command line, and from the API', async () => {
  const first = await world.server()
  expect(await world.run(['down'])).toMatchObject({ code: 0 })
  expect(await first.ended).toBe(0)
  const second = await world.server()
  expect(await ask(second.ready.url, 'DELETE', '/desktops/virtual')).toMatchObject({ status: 200 })
  expect(await second.ended).toBe(0)
})

test('another address than the loopback is refused without TLS or a named proxy', async () => {
  const { code, err } = await world.run(['up', '--host', '0.0.0.0', '--port', '0'])
  expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining('--tls-cert') })
})
