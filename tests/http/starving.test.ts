import { once } from 'node:events'
import { connect as dial } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { httpWorld, type HttpWorld } from '../support/http.ts'

let world: HttpWorld
beforeAll(async () => {
  world = await httpWorld([{}, { desktop: { name: 'other' } }])
})
afterAll(() => world.close())

const FLOOD = 20_000

/** Sends far more than anyone may until a request is refused for that; the rest of it is still being answered then. */
async function flood(header: string): Promise<() => void> {
  const { port, host } = new URL(world.url)
  const socket = dial(Number(port), '127.0.0.1')
  await once(socket, 'connect')
  socket.write(`GET /api/v1/desktops/virtual/nothing HTTP/1.1\r\nHost: ${host}\r\n${header}\r\n\r\n`.repeat(FLOOD))
  let heard = ''
  for await (const part of socket.iterator({ destroyOnReturn: false })) {
    heard = heard.slice(-20) + String(part)
    if (heard.includes('HTTP/1.1 429')) break
  }
  socket.resume().on('error', () => {})
  return () => socket.destroy()
}

test('an agent that sends too much uses up nothing of an agent of the same name on another desktop', async () => {
  const end = await flood(`Authorization: Bearer ${world.token('agent')}`)
  expect(await world.ask('GET', '/desktops/virtual/nothing', { as: 'agent' })).toMatchObject({ status: 429 })
  const headers = { authorization: `Bearer ${world.token('agent', 'other')}` }
  expect(await world.ask('POST', '/desktops/other/tools/ui.snapshot', { headers, body: { args: {} } })).toMatchObject({ status: 200 })
  end()
})

test('a program that was sent the cookie of an operator, as every port of the host is, cannot keep the operator out with it', async () => {
  const [, code] = world.server.openingLink().split('#')
  const opened = await world.ask('POST', '/session', { body: { code } })
  const cookie = String(opened.headers['set-cookie']).split(';')[0] ?? ''
  const end = await flood(`Cookie: ${cookie}`)
  expect(await world.ask('GET', '/desktops/virtual', { headers: { cookie } })).toMatchObject({ status: 429 })
  const headers = { cookie, 'x-deskhand-csrf': opened.json.csrf as string }
  expect(await world.ask('POST', '/desktops/virtual/stop', { headers, body: {} })).toMatchObject({ status: 200 })
  end()
})
