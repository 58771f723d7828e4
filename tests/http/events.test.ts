import { request, type IncomingMessage } from 'node:http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { httpWorld, type HttpWorld } from '../support/http.ts'

let world: HttpWorld
beforeAll(async () => void (world = await httpWorld()))
afterAll(() => world.close())

const EVENTS = '/api/v1/desktops/virtual/events'
const idOf = (event: string): number => Number(event.split('-')[1])

/** Reads server-sent events until enough came, then breaks the connection. */
function read(after: string | undefined, count: number, headers: Record<string, string> = {}): Promise<string[]> {
  return new Promise((done, fail) => {
    const req = request(`${world.url}${EVENTS}`, {
      headers: { authorization: `Bearer ${world.token('viewer')}`, ...(after !== undefined && { 'last-event-id': after }), ...headers },
    })
    req.on('error', fail)
    req.on('response', (res: IncomingMessage) => {
      const ids: string[] = []
      let text = ''
      res.setEncoding('utf8').on('data', (part: string) => {
        text += part
        for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
          const [, id] = /^id: (.*)$/m.exec(text.slice(0, end)) ?? []
          text = text.slice(end + 2)
          if (id !== undefined) ids.push(id)
        }
        if (ids.length < count) return
        res.destroy()
        done(ids.slice(0, count))
      })
      res.on('error', () => {})
    })
    req.end()
  })
}

async function happen(times: number): Promise<void> {
  for (let i = 0; i < times; i++) await world.ask('POST', `/desktops/virtual/${i % 2 === 0 ? 'pause' : 'resume'}`, { as: 'operator' })
}

test('a reader that comes back after every break loses no event and hears none twice', async () => {
  const { event: begin } = (await world.ask('GET', '/desktops/virtual', { as: 'viewer' })).json
  const happening = happen(120)
  const heard: string[] = []
  for (let i = 0; i < 20; i++) heard.push(...(await read(heard.at(-1) ?? begin, 10)))
  await happening
  expect(heard.map(idOf)).toEqual(Array.from({ length: 200 }, (_, i) => idOf(begin) + 1 + i))
})

test('an event of another life of the desktop is answered with what was missed, and the feed goes on', async () => {
  const [missed] = await read('00000000-5', 1)
  expect(missed).toMatch(/-0$/)
})

test('the same feed comes over a WebSocket, from any event on', async () => {
  const { event: begin } = (await world.ask('GET', '/desktops/virtual', { as: 'viewer' })).json
  await happen(4)
  const socket = new WebSocket(`${world.url.replace('http', 'ws')}${EVENTS}?after=${begin}`, {
    headers: { authorization: `Bearer ${world.token('viewer')}` },
  })
  const heard: { id: string; type: string }[] = []
  await new Promise<void>((done, fail) => {
    socket.on('error', fail)
    socket.on('message', (data: Buffer) => {
      heard.push(JSON.parse(data.toString('utf8')))
      if (heard.length === 8) done()
    })
  })
  socket.terminate()
  expect(heard.map((e) => idOf(e.id))).toEqual(Array.from({ length: 8 }, (_, i) => idOf(begin) + 1 + i))
  expect(new Set(heard.map((e) => e.type))).toEqual(new Set(['journal', 'control']))
})

test('an agent reads nothing of what others do', async () => {
  const { status, json } = await world.ask('GET', '/desktops/virtual/events', { as: 'agent' })
  expect({ status, code: json.code }).toEqual({ status: 403, code: 'UNAUTHORIZED' })
})

test('a caller whose connection broke in the middle of a call has its outcome by the callId, and the call was made once', async () => {
  const args = { target: 'name="Already paid"' }
  const sent = request(`${world.url}/api/v1/desktops/virtual/tools/ui.click`, {
    method: 'POST',
    headers: { authorization: `Bearer ${world.token('agent')}`, 'content-type': 'application/json' },
  })
  sent.on('error', () => {})
  await world.ask('POST', '/desktops/virtual/pause', { as: 'operator' })
  sent.end(JSON.stringify({ args, callId: 'once' }))
  await expect
    .poll(async () =>
      (await world.ask('GET', '/desktops/virtual/operations', { as: 'operator' })).json.map((o: { state: string }) => o.state),
    )
    .toContain('running')
  sent.destroy()
  await world.ask('POST', '/desktops/virtual/resume', { as: 'operator' })
  const found = await world.ask('GET', '/desktops/virtual/calls/once?waitMs=5000', { as: 'agent' })
  expect(found).toMatchObject({ status: 200, json: { effect: 'confirmed' } })
  const again = await world.ask('POST', '/desktops/virtual/tools/ui.click', { as: 'agent', body: { args, callId: 'once' } })
  expect(again.json.op).toBe(found.json.op)
  const acted = await world.ask('GET', '/desktops/virtual/journal?types=acting', { as: 'operator' })
  expect(acted.json).toHaveLength(1)
  expect(await world.ask('GET', '/desktops/virtual/calls/other', { as: 'agent' })).toMatchObject({
    status: 404,
    json: { code: 'UNKNOWN_OP' },
  })
})
