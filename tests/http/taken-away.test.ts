import { once } from 'node:events'
import { request } from 'node:http'
import { duplexPair } from 'node:stream'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { WebSocket } from 'ws'
import { Link } from '@deskhand/core/driver'
import { CLIENT } from '../../packages/deskhand/src/broker/protocol.ts'
import { TokenFiles } from '../../packages/deskhand/src/broker/token-files.ts'
import { httpWorld, type HttpWorld } from '../support/http.ts'
import { RfbClient } from '../support/rfb.ts'

let world: HttpWorld
beforeAll(async () => void (world = await httpWorld()))
afterAll(() => world.close())

const DESK = '/desktops/virtual'
const address = (path: string): string => `${world.url.replace('http', 'ws')}/desktops/virtual/${path}`

/** Signs a browser in, by a link. */
async function signedIn(): Promise<{ cookie: string; word: string }> {
  const code = new URL(world.server.openingLink()).hash.slice(1)
  const { headers, json } = await world.ask('POST', '/session', { body: { code } })
  return { cookie: String(headers['set-cookie']).split(';')[0] ?? '', word: json.csrf as string }
}

async function opened(path: string, protocols: string[], headers: Record<string, string>): Promise<WebSocket> {
  const socket = new WebSocket(address(path), protocols, { headers })
  await once(socket, 'open')
  return socket
}

/** Presses a button in the picture, as a client by the book. */
async function click(headers: Record<string, string>, protocols: string[]): Promise<void> {
  const client = await RfbClient.over(new WebSocket(address('vnc'), ['binary', ...protocols], { headers }))
  await expect.poll(() => client.updates).toBeGreaterThan(0)
  client.pointer(1, 5, 5)
  client.pointer(0, 5, 5)
  // A size that is not served is answered after everything that was sent before it.
  client.resize(1, 1)
  await expect.poll(() => client.wishes.length).toBe(1)
  client.close()
}
const takenBy = async () => (await world.ask('GET', DESK, { as: 'viewer' })).json.human.takenBy as string | undefined

test('a cookie alone, which a browser sends to every port of this host, only looks; the word beside it is told once', async () => {
  const { cookie, word } = await signedIn()
  const session = await world.ask('GET', '/session', { headers: { cookie } })
  expect(session.json.who).toEqual({ id: 'operator', role: 'viewer' })
  expect(session.text).not.toContain(word)
  expect((await world.ask('POST', `${DESK}/stop`, { headers: { cookie }, body: {} })).status).toBe(403)
  expect((await world.ask('GET', `${DESK}/settings`, { headers: { cookie } })).status).toBe(403)
  expect((await world.ask('GET', `${DESK}/settings`, { headers: { cookie, 'x-deskhand-csrf': word } })).status).toBe(200)
  await click({ cookie, origin: world.url }, [])
  expect(await takenBy()).toBeUndefined()
  await click({ cookie, origin: world.url }, [`deskhand.word.${word}`])
  expect(await takenBy()).toBe('operator')
  await world.ask('POST', `${DESK}/resume`, { as: 'operator', body: {} })
})

test('a word that was offered as a protocol is not said again', async () => {
  const { cookie, word } = await signedIn()
  const socket = await opened('vnc', ['binary', `deskhand.word.${word}`], { cookie, origin: world.url })
  expect(socket.protocol).toBe('binary')
  socket.terminate()
})

test('feeds and pictures end when their token is taken away or their person signs out, and others go on', async () => {
  const { json } = await world.ask('POST', `${DESK}/tokens`, { as: 'operator', body: { id: 'guest', role: 'viewer' } })
  const guest = { authorization: `Bearer ${json.token as string}` }
  const { cookie, word } = await signedIn()
  const own = { cookie, origin: world.url }
  const going = [
    await opened('vnc', ['binary'], guest),
    await opened('events', [], guest),
    await opened('vnc', ['binary', `deskhand.word.${word}`], own),
    await opened('events', [], own),
  ]
  const staying = [
    await opened('vnc', ['binary'], { authorization: `Bearer ${world.token('viewer')}` }),
    await opened('events', [], { authorization: `Bearer ${world.token('viewer')}` }),
  ]
  const feed = request(`${world.url}/api/v1${DESK}/events`, { headers: guest }).end()
  const [stream] = (await once(feed, 'response')) as [NodeJS.ReadableStream]
  const ends = [...going.map((socket) => once(socket, 'close')), new Promise((done) => stream.resume().on('error', done))]
  expect((await world.ask('DELETE', `${DESK}/tokens/guest`, { as: 'operator' })).status).toBe(200)
  expect((await world.ask('DELETE', '/session', { headers: { cookie, 'x-deskhand-csrf': word } })).status).toBe(200)
  await Promise.all(ends)
  expect(staying.map((socket) => socket.readyState)).toEqual([WebSocket.OPEN, WebSocket.OPEN])
  for (const socket of staying) socket.terminate()
})

test('an agent that says who it is again and again, over one connection or many, is looked up once at a time', async () => {
  const looked = vi.spyOn(TokenFiles.prototype, 'principal')
  const token = world.token('agent')
  const links = Array.from({ length: 3 }, () => {
    const [ours, theirs] = duplexPair()
    world.desks[0]!.broker.serve(theirs, 'owner')
    return new Link(ours, CLIENT)
  })
  for (const link of links) {
    expect(await link.call('auth', { token })).toEqual({ id: 'agent', role: 'agent' })
    for (let i = 0; i < 50; i++) await expect(link.call('auth', { token })).rejects.toMatchObject({ code: 'BAD_ARGS' })
  }
  looked.mockClear()
  const looks = (): number => looked.mock.calls.filter(([given]) => given === token).length
  await expect.poll(looks).toBeGreaterThan(0)
  // Under load it may be the second time by now.
  expect(looks()).toBeLessThan(links.length)
  looked.mockRestore()
  for (const link of links) await link.close()
})
