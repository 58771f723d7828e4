import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { duplexPair } from 'node:stream'
import { Link } from '@deskhand/core/driver'
import { expect, onTestFinished, test } from 'vitest'
import { WebSocketServer } from 'ws'
import { FRONT } from '../../packages/deskhand/src/broker/protocol.ts'
import { LiveScreen } from '../../packages/deskhand/src/http/picture/live-screen.ts'
import { Pace } from '../../packages/deskhand/src/http/picture/pace.ts'
import { RfbConnection } from '../../packages/deskhand/src/http/picture/rfb.ts'
import { RfbClient } from '../support/rfb.ts'

const SCREEN = { x: 0, y: 0, w: 600, h: 500 }
const HIDDEN = { x: 100, y: 100, w: 80, h: 60 }
const SCOPE = 128 * 1_024

/** A picture of more colours than any palette has, with a black area in it. */
function noise(): Buffer {
  const bytes = randomBytes(SCREEN.w * SCREEN.h * 4)
  for (let y = HIDDEN.y; y < HIDDEN.y + HIDDEN.h; y++)
    bytes.fill(0, (y * SCREEN.w + HIDDEN.x) * 4, (y * SCREEN.w + HIDDEN.x + HIDDEN.w) * 4)
  return bytes
}

const rgb = (bytes: Buffer): Buffer => Buffer.from(bytes.filter((_, i) => i % 4 < 3))

/** A screen on a machine under this pressure, with one client, and the broker's end of its stream. */
async function watched(pressure: number, first: Buffer) {
  const [here, there] = duplexPair()
  // However slow this machine is, the client is not judged by it.
  const pace = new Pace(
    () => pressure,
    () => 0,
  )
  const live = new LiveScreen(here, pace)
  const broker = new Link(there, FRONT)
  const show = (bytes: Buffer): Promise<unknown> =>
    broker.call('update', { parts: [{ rect: SCREEN, screen: SCREEN, bytes, at: 0, masked: [] }] })
  broker.handle('watch', () => {
    void show(first).catch(() => {})
    return null
  })
  broker.handle('rest', () => null)
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' })
  server.on('connection', (socket) => {
    const send = (bytes: Buffer): Promise<void> => new Promise((done) => socket.send(bytes, () => done()))
    const connection = new RfbConnection({ screen: live, name: 'adaptive', send, close: () => socket.close() })
    socket.on('message', (bytes: Buffer) => connection.receive(bytes))
    socket.on('close', () => connection.closed())
  })
  await once(server, 'listening')
  const client = await RfbClient.open(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`, '')
  onTestFinished(async () => {
    client.close()
    server.close()
    await Promise.all([live.close(), broker.close()])
  })
  await expect.poll(() => client.pixels.equals(rgb(first))).toBe(true)
  return { client, live, show }
}

test('on an overloaded machine a large change comes in parts and in fewer colours, what is hidden stays black, and in the end it is exact', async () => {
  const { client, live, show } = await watched(100, noise())
  expect(client.rects.length).toBeGreaterThan(0)
  const last = noise()
  const updates: { pixels: number; coarse: boolean }[] = []
  client.rects = []
  client.onUpdate = () => {
    const drawn = client.rects
    client.rects = []
    updates.push({ pixels: drawn.reduce((sum, r) => sum + r.w * r.h, 0), coarse: drawn.every((r) => isCoarse(client, r)) })
    expect(client.pixel(HIDDEN.x + 5, HIDDEN.y + 5)).toEqual([0, 0, 0])
  }
  await show(last)
  expect(live.status).toMatchObject({
    detailBits: 4,
    scopePixels: SCOPE,
    why: 'the processors are overloaded',
    readers: [{ detailBits: 4, scopePixels: SCOPE, why: 'the processors are overloaded' }],
  })
  await expect.poll(() => client.pixels.equals(rgb(last)), { timeout: 20_000 }).toBe(true)
  const early = updates.slice(0, -1)
  expect(early.length).toBeGreaterThanOrEqual(3)
  for (const update of early) expect(update).toEqual({ pixels: expect.any(Number), coarse: true })
  for (const { pixels } of early) expect(pixels).toBeLessThanOrEqual(SCOPE)
  expect(updates.at(-1)).toEqual({ pixels: SCREEN.w * SCREEN.h, coarse: false })
})

test('where nothing holds it back the same change comes whole and exact at once', async () => {
  const { client, live, show } = await watched(0, noise())
  const last = noise()
  let exact: boolean | undefined
  client.onUpdate = () => (exact ??= client.pixels.equals(rgb(last)))
  await show(last)
  await expect.poll(() => exact).toBe(true)
  expect(live.status).toMatchObject({ detailBits: 8, why: 'nothing holds it back', readers: [{ detailBits: 8 }] })
  expect(live.status.scopePixels).toBeUndefined()
})

/** Whether every colour of a rectangle has its four highest bits repeated below them. */
function isCoarse(client: RfbClient, { x, y, w, h }: { x: number; y: number; w: number; h: number }): boolean {
  for (let row = y; row < y + h; row++) {
    const from = (row * client.width + x) * 3
    for (const byte of client.pixels.subarray(from, from + w * 3)) if (byte >> 4 !== (byte & 15)) return false
  }
  return true
}
