import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect as dial, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { World, type Up } from '../support/cli.ts'
import { send } from '../support/http.ts'

const world = new World()
let up: Up
let viewer = ''
beforeAll(async () => {
  up = await world.server()
  viewer = /[\w-]{40,}/.exec((await world.run(['token', 'add', 'watching', '--role', 'viewer'])).out)?.[0] ?? ''
})
afterAll(() => world.end())

const port = (): number => Number(new URL(up.ready.url).port)
const agent = (): string => world.token('virtual', 'agent')

async function dialled(): Promise<Socket> {
  const socket = dial(port(), '127.0.0.1')
  socket.on('error', () => {})
  await once(socket, 'connect')
  return socket
}
const head = (line: string, secret: string, ...more: string[]): string =>
  [`${line} HTTP/1.1`, `Host: 127.0.0.1:${port()}`, `Authorization: Bearer ${secret}`, ...more, '', ''].join('\r\n')

/** An operator who comes now is heard at once. */
async function operatorGetsIn(): Promise<void> {
  const headers = { authorization: `Bearer ${world.token('server', 'operator')}`, connection: 'close' }
  for (const path of ['pause', 'resume'])
    expect((await send('POST', `${up.ready.url}/api/v1/desktops/virtual/${path}`, { headers })).status).toBe(200)
}

test('an agent that opens every connection there is keeps no operator out', async () => {
  const open: Socket[] = []
  // Known by its head, and waited for until its body comes.
  const half = head('POST /api/v1/desktops/virtual/tools/ui.query', agent(), 'Content-Type: application/json', 'Content-Length: 9')
  while (open.length < 8_500) {
    const more = await Promise.all(Array.from({ length: 100 }, dialled))
    for (const socket of more) socket.resume().write(half)
    open.push(...more)
  }
  await operatorGetsIn()
  await expect.poll(() => open.filter((socket) => !socket.closed).length).toBeLessThanOrEqual(256)
  for (const socket of open) socket.destroy()
})

test('calls of an agent that wait by the thousands hold up no call of an operator', async () => {
  const body = JSON.stringify({ args: { until: { text: 'never there' }, timeoutMs: 100_000 } })
  const call = head(
    'POST /api/v1/desktops/virtual/tools/ui.wait',
    agent(),
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
  ).concat(body)
  const sockets = await Promise.all(Array.from({ length: 50 }, dialled))
  // As many as one may send in a second, and as many again, until the link to the desktop takes no more.
  for (let round = 0; round < 5; round++) {
    for (const socket of sockets) socket.resume().write(call.repeat(20))
    await operatorGetsIn()
  }
  for (const socket of sockets) socket.destroy()
  await operatorGetsIn()
})

test.each(['picture', 'journal?limit=1000', 'snapshot'])(
  'a viewer that asks for %s by the thousand is answered bit by bit, and the operator in between',
  async (path) => {
    const sockets = await Promise.all(Array.from({ length: 50 }, dialled))
    let answered = 0
    for (const socket of sockets) {
      socket.on('data', (part) => (answered += String(part).split('HTTP/1.1 200 OK').length - 1))
      socket.write(head(`GET /api/v1/desktops/virtual/${path}`, viewer).repeat(20))
    }
    // Until they have reached the desktop.
    await sleep(300)
    await operatorGetsIn()
    expect(answered).toBeLessThan(500)
    await expect.poll(() => answered).toBeGreaterThan(0)
    await operatorGetsIn()
    for (const socket of sockets) socket.destroy()
    await operatorGetsIn()
  },
)

test('heads that never end are let go, and keep nobody out', async () => {
  const slow = await Promise.all(Array.from({ length: 300 }, dialled))
  for (const socket of slow) socket.resume().write(`GET / HTTP/1.1\r\nHost: 127.0.0.1:${port()}\r\nX-A`)
  await operatorGetsIn()
  await expect.poll(() => slow.filter((socket) => !socket.closed).length, { timeout: 60_000, interval: 500 }).toBe(0)
})

test('a viewer that pings without end and takes no answer costs no memory', async () => {
  const used = (): number => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${up.pid}/status`, 'utf8'))?.[1]) / 1024
  const socket = await dialled()
  const upgrade = ['Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13', 'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==']
  socket.write(head('GET /desktops/virtual/events', viewer, ...upgrade))
  await once(socket, 'readable')
  const before = used()
  const ping = Buffer.concat([Buffer.from([0x89, 0xfd, 0, 0, 0, 0]), Buffer.alloc(125, 'a')])
  const many = Buffer.concat(Array<Buffer>(8_000).fill(ping))
  // A server that takes no more is as good as one that takes all and keeps nothing.
  for (let i = 0; i < 60 && !socket.destroyed; i++)
    if (!socket.write(many)) await new Promise<void>((done) => (socket.once('drain', done), setTimeout(done, 2_000)))
  await operatorGetsIn()
  expect(used() - before).toBeLessThan(100)
  socket.destroy()
})
