import { once } from 'node:events'
import { connect as dial, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { httpWorld, type HttpWorld } from '../support/http.ts'

let world: HttpWorld
beforeAll(async () => void (world = await httpWorld()))
afterAll(() => world.close())

const port = (): number => Number(new URL(world.url).port)

/** The server goes on: an operator still gets an answer, and no client took the desktop. */
async function goesOn(): Promise<void> {
  const { status, json } = await world.ask('GET', '/desktops/virtual', { as: 'operator' })
  expect({ status, stopped: json.stopped, takenBy: json.human.takenBy }).toEqual({ status: 200, stopped: false, takenBy: undefined })
}

async function picture(as: 'viewer' | 'operator' = 'viewer'): Promise<WebSocket> {
  const socket = new WebSocket(`ws://127.0.0.1:${port()}/desktops/virtual/vnc`, 'binary', {
    headers: { authorization: `Bearer ${world.token(as)}` },
  })
  socket.on('error', () => {})
  await once(socket, 'open')
  return socket
}

const VERSION = Buffer.from('RFB 003.008\n')
/** A client that has come as far as messages: version, security type, shared. */
const GREETING = [VERSION, Buffer.from([1]), Buffer.from([1])]
const message = (type: number, ...rest: number[]): Buffer => Buffer.from([type, ...rest])

test.each<[string, (Buffer | string)[]]>([
  ['another protocol', [Buffer.from('GET / HTTP/1.1\r\n\r\n')]],
  ['a version of the future', [Buffer.from('RFB 004.000\n')]],
  ['a security type that was not offered', [VERSION, message(19)]],
  ['a message of no known type', [...GREETING, message(200, 0, 0, 0)]],
  ['a pixel format that nobody serves', [...GREETING, message(0, 0, 0, 0, 7, 255, 255, 255, ...Array<number>(12).fill(255))]],
  ['more encodings than there are', [...GREETING, message(2, 0, 255, 255)]],
  ['a clipboard of four gigabytes', [...GREETING, message(6, 0, 0, 0, 255, 255, 255, 255)]],
  ['a frame that is too large', [Buffer.alloc((1 << 20) + 1)]],
  ['text', ['hello']],
])('a picture connection that sends %s is closed, and the server goes on', async (_, sent) => {
  const socket = await picture()
  const closed = once(socket, 'close')
  for (const part of sent) socket.send(part)
  await closed
  await goesOn()
})

test('no bytes whatever of a viewer make the server fail, or reach the desktop', async () => {
  const input = fc.oneof(
    fc.uint8Array({ maxLength: 400 }),
    fc.record({ type: fc.constantFrom(3, 4, 5, 6), rest: fc.uint8Array({ maxLength: 60 }) }).map(({ type, rest }) => [type, ...rest]),
  )
  const before = (await world.ask('GET', '/desktops/virtual/journal?newest=true&limit=1000', { as: 'operator' })).json.length
  await fc.assert(
    fc.asyncProperty(fc.array(input, { maxLength: 5 }), async (parts) => {
      const socket = await picture()
      for (const part of [...GREETING, ...parts.map((p) => Buffer.from(p))]) socket.send(part)
      const ended = once(socket, 'close')
      socket.close()
      await ended
    }),
    { numRuns: 12 },
  )
  await goesOn()
  const entries = (await world.ask('GET', '/desktops/virtual/journal?newest=true&limit=1000', { as: 'operator' })).json as {
    type: string
  }[]
  const later = entries.slice(0, entries.length - before)
  expect(later.filter((e) => e.type === 'human' || e.type === 'operator')).toEqual([])
})

test.each<[string, string | Buffer, number[]]>([
  ['no JSON', '{"jsonrpc":', [400]],
  ['nothing', '', [400]],
  ['a number', '5', [400]],
  ['null', 'null', [400]],
  ['text that is not UTF-8', Buffer.from([0x22, 0xc3, 0x28, 0x22]), [400]],
  ['a list of nothing', '[]', [400]],
  ['a request without a method', '{"jsonrpc":"2.0","id":1}', [400]],
  ['an object as its id', '{"jsonrpc":"2.0","id":{},"method":"tools/list"}', [400]],
  ['a deep nest', `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${'{"a":'.repeat(3_000)}1${'}'.repeat(3_000)}}`, [200, 400]],
  ['too much', `{"jsonrpc":"2.0","id":1,"method":"x","params":{"a":"${'x'.repeat(5 * 2 ** 20)}"}}`, [413]],
])('a message to MCP that is %s is answered with an error', async (_, raw, statuses) => {
  const { status, text } = await world.ask('POST', '//mcp', {
    as: 'agent',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    raw: Buffer.from(raw),
  })
  expect(statuses).toContain(status)
  expect(text).toMatch(/"error"|"code"/)
  await goesOn()
})

test('a client of the feed that speaks is not listened to', async () => {
  const socket = new WebSocket(`ws://127.0.0.1:${port()}/desktops/virtual/events`, {
    headers: { authorization: `Bearer ${world.token('viewer')}` },
  })
  await once(socket, 'open')
  const closed = once(socket, 'close')
  socket.send('{"type":"approval"}')
  expect((await closed)[0]).toBe(1003)
  await goesOn()
})

test('three hundred who send their request a byte at a time make room for those who are known', async () => {
  const drips: { socket: Socket; isOpen: boolean }[] = []
  for (let i = 0; i < 300; i++) {
    const drip = { socket: dial(port(), '127.0.0.1'), isOpen: true }
    drip.socket.on('error', () => {})
    drip.socket.once('close', () => (drip.isOpen = false))
    drips.push(drip)
    await once(drip.socket, 'connect')
  }
  const request = `GET /healthz HTTP/1.1\r\nX-Slow: `
  for (const byte of request) {
    for (const { socket, isOpen } of drips) if (isOpen) socket.write(byte)
    await sleep(5)
  }
  await goesOn()
  await expect.poll(() => drips.filter((d) => d.isOpen).length).toBeLessThanOrEqual(256)
  for (const { socket } of drips) socket.destroy()
  await goesOn()
})
