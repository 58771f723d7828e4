import { once } from 'node:events'
import { connect as dial } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Link } from '@deskhand/core/driver'
import { WebSocket } from 'ws'
import { CLIENT } from '../../packages/deskhand/src/broker/protocol.ts'
import { handled } from '../support/handled.ts'
import { httpWorld, type HttpWorld } from '../support/http.ts'
import { RfbClient } from '../support/rfb.ts'

const DESK = '/desktops/virtual'

let world: HttpWorld
beforeAll(async () => void (world = await httpWorld()))
afterAll(() => world.close())

/** A token that is made for one test and taken away in it. */
async function guest(role: 'agent' | 'viewer'): Promise<{ token: string; headers: Record<string, string>; remove(): Promise<void> }> {
  const { json } = await world.ask('POST', `${DESK}/tokens`, { as: 'operator', body: { id: 'guest', role } })
  const token = json.token as string
  return {
    token,
    headers: { authorization: `Bearer ${token}` },
    remove: async () => expect((await world.ask('DELETE', `${DESK}/tokens/guest`, { as: 'operator' })).status).toBe(200),
  }
}

const underWay = async (): Promise<{ tool: string }[]> =>
  (await world.ask('GET', `${DESK}/operations`, { as: 'operator' })).json.filter((o: { state: string }) => o.state !== 'done')

test('whatever an agent asks for that is no agent’s is in the record, with the agent’s name', async () => {
  const asked: [verb: string, path: string][] = [
    ['GET', `${DESK}/events`],
    ['GET', `${DESK}/picture/status`],
    ['POST', `${DESK}/picture/port`],
    ['DELETE', `${DESK}/picture/port`],
    ['GET', `${DESK}/journal`],
    ['POST', '/links'],
    ['POST', '/desktops'],
  ]
  for (const [verb, path] of asked)
    expect((await world.ask(verb, path, { as: 'agent', ...(verb === 'POST' && { body: {} }) })).status).toBe(403)
  expect((await world.ask('GET', '//metrics', { as: 'agent' })).status).toBe(403)
  const socket = new WebSocket(`${world.url.replace('http', 'ws')}${DESK}/vnc`, 'binary', {
    headers: { authorization: `Bearer ${world.token('agent')}` },
  })
  socket.on('error', () => {})
  await once(socket, 'unexpected-response')
  const refused = async (): Promise<string[]> => {
    const { json } = await world.ask('GET', `${DESK}/journal?types=rejected&limit=100`, { as: 'operator' })
    return (json as { tool: string; principal: { id: string } }[]).filter((e) => e.principal.id === 'agent').map((e) => e.tool)
  }
  const http = asked.filter(([, path]) => !path.endsWith('journal')).map(([verb, path]) => `http ${verb} /api/v1${path}`)
  await expect.poll(refused).toEqual(expect.arrayContaining([...http, 'http GET /metrics', `http GET ${DESK}/vnc`, 'journal.read']))
})

test('calls that are under way end when their token is taken away: with a callId, without, by MCP, and over the socket', async () => {
  const { headers, token, remove } = await guest('agent')
  const args = { until: { text: 'never there' }, timeoutMs: 120_000 }
  const call = (body: object) => handled(world.ask('POST', `${DESK}/tools/ui.wait`, { headers, body }))
  const asked = [call({ args }), call({ args, callId: 'a-call-of-a-guest' })]
  const mcp = handled(
    world.ask('POST', '//mcp', {
      headers: { ...headers, accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-11-25' },
      body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'ui.wait', arguments: args } },
    }),
  )
  const socket = dial(join(world.desks[0]!.state, 'desktops/virtual/socket'))
  await once(socket, 'connect')
  const link = new Link(socket, CLIENT)
  expect(await link.call('auth', { token })).toEqual({ id: 'guest', role: 'agent' })
  void link.call('call', { tool: 'ui.wait', args }, { deadlineMs: 120_000 }).catch(() => {})
  await expect.poll(async () => (await underWay()).length).toBe(4)
  await remove()
  for (const { status, json } of await Promise.all(asked))
    expect({ status, code: json.code }).toEqual({ status: 401, code: 'UNAUTHORIZED' })
  expect((await mcp).text).toContain('UNAUTHORIZED')
  await link.closed
  await expect.poll(underWay).toEqual([])
})

test('a client cancels nothing of another’s, whatever session and call it names', async () => {
  const { headers: other, remove } = await guest('agent')
  const own = { authorization: `Bearer ${world.token('agent')}` }
  const session = {
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': '2025-11-25',
    'mcp-session-id': 'one-and-the-same',
  }
  const say = (who: Record<string, string>, message: object) =>
    world.ask('POST', '//mcp', { headers: { ...session, ...who }, body: { jsonrpc: '2.0', ...message } })
  const cancel = { method: 'notifications/cancelled', params: { requestId: 7 } }
  const args = { until: { text: 'never there' }, timeoutMs: 120_000 }
  const call = handled(say(own, { id: 7, method: 'tools/call', params: { name: 'ui.wait', arguments: args } }))
  await expect.poll(async () => (await underWay()).length).toBe(1)
  await say(other, cancel)
  await world.ask('POST', `${DESK}/tools/ui.query`, { headers: other, body: { args: { selector: 'role=window' } } })
  expect((await underWay()).map((o) => o.tool)).toEqual(['ui.wait'])
  await say(own, cancel)
  await expect.poll(underWay).toEqual([])
  await call
  await remove()
})

test('a client that takes no notice of the end of its picture is cut off, and what it sends then goes nowhere', async () => {
  const code = new URL(world.server.openingLink()).hash.slice(1)
  const opened = await world.ask('POST', '/session', { body: { code } })
  const [cookie, word] = [String(opened.headers['set-cookie']).split(';')[0] ?? '', opened.json.csrf as string]
  const socket = new WebSocket(`${world.url.replace('http', 'ws')}${DESK}/vnc`, ['binary', `deskhand.word.${word}`], {
    headers: { cookie, origin: world.url },
  })
  const client = await RfbClient.over(socket)
  const viewers = async (): Promise<number> => (await world.ask('GET', `${DESK}/picture/status`, { as: 'viewer' })).json.viewers
  await expect.poll(viewers).toBe(1)
  socket.pause()
  expect((await world.ask('DELETE', '/session', { headers: { cookie, 'x-deskhand-csrf': word } })).status).toBe(200)
  await expect.poll(viewers, { timeout: 20_000 }).toBe(0)
  client.pointer(1, 5, 5)
  client.pointer(0, 5, 5)
  expect((await world.ask('GET', DESK, { as: 'viewer' })).json.human.takenBy).toBeUndefined()
  socket.terminate()
})
