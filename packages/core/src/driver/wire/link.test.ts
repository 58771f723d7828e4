import { mkdtemp, rm } from 'node:fs/promises'
import { connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { duplexPair } from 'node:stream'
import { setImmediate as turn } from 'node:timers/promises'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { DeskhandError } from '../../errors.ts'
import type { Ctx } from '../driver.ts'
import { encodeFrame, FrameReader, type Message } from './frame.ts'
import { Link, type LinkOptions } from './link.ts'

const protocol = { name: 'test', version: 1 }
const hello = (more: object = {}): Message => ({
  jsonrpc: '2.0',
  method: '$/hello',
  params: { ...protocol, maxFrameBytes: 2 ** 20, ...more },
})
const forever = (_: unknown, ctx: Ctx): Promise<never> =>
  new Promise((_resolve, reject) => ctx.signal.addEventListener('abort', () => reject(ctx.signal.reason as Error), { once: true }))

test('an answer comes back, with the binaries of both directions as they were', async () => {
  const { here, there } = pair()
  there.handle('flip', (params) => {
    const { bytes } = params as { bytes: Uint8Array }
    return { flipped: bytes.map((b) => 255 - b), nested: [{ empty: new Uint8Array(0) }] }
  })
  const answer = await here.call('flip', { bytes: Uint8Array.of(0, 1, 255) })
  expect(answer).toEqual({ flipped: Uint8Array.of(255, 254, 0), nested: [{ empty: new Uint8Array(0) }] })
})

test('both sides can call and notify, and many answers find their callers', async () => {
  const { here, there } = pair()
  const told: unknown[] = []
  here.handle('double', async (n) => {
    await turn()
    return Number(n) * 2
  })
  here.handle('told', (params) => void told.push(params))
  await Promise.all([there.notify('told', 1), there.notify('told', 2)])
  const answers = await Promise.all(Array.from({ length: 500 }, (_, i) => there.call('double', i)))
  expect(answers).toEqual(Array.from({ length: 500 }, (_, i) => i * 2))
  expect(told).toEqual([1, 2])
})

test('an error crosses with its code, message, next step and details', async () => {
  const { here, there } = pair()
  there.handle('deny', () => {
    throw new DeskhandError('DENIED', 'not this one', { next: 'ask', details: { rule: 7 } })
  })
  there.handle('trip', () => {
    throw new TypeError('oops')
  })
  await expect(here.call('deny')).rejects.toMatchObject({ code: 'DENIED', message: 'not this one', next: 'ask', details: { rule: 7 } })
  await expect(here.call('trip')).rejects.toMatchObject({ code: 'INTERNAL', message: 'oops' })
  await expect(here.call('nothing')).rejects.toMatchObject({ code: 'PROTOCOL', message: 'There is no method "nothing" here.' })
})

test('a call ends with TIMEOUT at its deadline and the handler is told', async () => {
  const { here, there } = pair()
  const told = new Promise<unknown>((resolve) => there.handle('sleep', (p, ctx) => forever(p, ctx).catch(resolve)))
  await expect(here.call('sleep', null, { deadlineMs: 20 })).rejects.toMatchObject({ code: 'TIMEOUT' })
  expect(['TIMEOUT', 'CANCELLED']).toContain(((await told) as DeskhandError).code)
})

test('a handler is stopped by its own deadline even when no cancel arrives', async () => {
  const { link, send } = raw()
  const told = new Promise<unknown>((resolve) => link.handle('sleep', (p, ctx) => forever(p, ctx).catch(resolve)))
  send(hello(), { jsonrpc: '2.0', id: 1, method: 'sleep', deadlineMs: 20 })
  expect(await told).toMatchObject({ code: 'TIMEOUT' })
})

test('a handler that only knows that it was aborted still answers with the reason', async () => {
  const { link, send, seen } = raw()
  link.handle('sleep', (p, ctx) =>
    forever(p, ctx).catch(() => {
      throw new DeskhandError('CANCELLED', 'the caller aborted')
    }),
  )
  send(hello(), { jsonrpc: '2.0', id: 1, method: 'sleep', deadlineMs: 10 })
  while (seen.length < 2) await turn()
  expect(seen[1]).toMatchObject({ id: 1, error: { data: { code: 'TIMEOUT' } } })
})

test('an aborted signal cancels the call on both sides', async () => {
  const { here, there } = pair()
  const started = new Promise<unknown>((began) => {
    there.handle('sleep', (p, ctx) => {
      began({ told: forever(p, ctx).catch((e: unknown) => e) })
      return forever(p, ctx)
    })
  })
  const abort = new AbortController()
  const call = here.call('sleep', null, { signal: abort.signal })
  call.catch(() => {})
  const { told } = (await started) as { told: Promise<unknown> }
  abort.abort()
  await expect(call).rejects.toMatchObject({ code: 'CANCELLED' })
  expect(await told).toMatchObject({ code: 'CANCELLED' })
  await expect(here.call('sleep', null, { signal: abort.signal })).rejects.toMatchObject({ code: 'CANCELLED' })
})

test('when the link dies everything in flight fails with its code and every handler is aborted', async () => {
  const sockets = await socketPair()
  const here = new Link(sockets[0], { protocol, deadCode: 'NO_BROKER' })
  const there = new Link(sockets[1], { protocol })
  const told = new Promise<unknown>((resolve) => there.handle('sleep', (p, ctx) => forever(p, ctx).catch(resolve)))
  const calls = Promise.allSettled(Array.from({ length: 100 }, () => here.call('sleep')))
  await there.ready
  sockets[1].destroy()
  for (const outcome of await calls) expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'NO_BROKER' } })
  expect(await told).toBeInstanceOf(DeskhandError)
  await expect(here.call('sleep')).rejects.toMatchObject({ code: 'NO_BROKER' })
  await expect(here.notify('sleep')).rejects.toMatchObject({ code: 'NO_BROKER' })
})

test('large binaries cross a real socket whole, in both directions at once', async () => {
  const sockets = await socketPair()
  const links = sockets.map((socket) => new Link(socket, { protocol }))
  const [here, there] = links as [Link, Link]
  for (const link of links) link.handle('back', (params) => params)
  const big = Uint8Array.from({ length: 5_000_000 }, (_, i) => i * 31)
  const answers = await Promise.all([1, 2, 3].flatMap((n) => [here.call('back', { n, big }), there.call('back', { n, big })]))
  for (const answer of answers) expect(Buffer.compare((answer as { big: Uint8Array }).big, big)).toBe(0)
  await Promise.all(links.map((link) => link.close()))
})

test('closing ends both sides without a reason; closing with one tells it', async () => {
  const quiet = pair()
  await Promise.all([quiet.here.close(), quiet.there.closed])
  expect(await quiet.here.closed).toBeUndefined()
  expect(await quiet.there.closed).toBeUndefined()
  const loud = pair()
  const call = loud.there.call('anything')
  call.catch(() => {})
  await loud.here.close(new DeskhandError('MISSING_PACKAGE', 'no xvfb', { next: 'apt install xvfb' }))
  await expect(call).rejects.toMatchObject({ code: 'MISSING_PACKAGE', message: 'no xvfb', next: 'apt install xvfb' })
})

test('a different version ends the link on both sides and names both', async () => {
  const [a, b] = duplexPair()
  const [one, two] = [new Link(a, { protocol }), new Link(b, { protocol: { name: 'test', version: 2 } })]
  for (const link of [one, two]) {
    await expect(link.ready).rejects.toMatchObject({
      code: 'PROTOCOL',
      message: expect.stringMatching(/test [12],.*test [12]\./) as string,
    })
    expect(await link.closed).toMatchObject({ code: 'PROTOCOL' })
  }
})

test('silence instead of hello ends the link', async () => {
  const { link } = raw({ helloMs: 10 })
  expect(await link.closed).toMatchObject({ code: 'PROTOCOL' })
})

test.each<[string, Message[]]>([
  ['a call before hello', [{ jsonrpc: '2.0', id: 1, method: 'x', deadlineMs: 1 }]],
  ['no JSON-RPC', [hello(), { id: 1 }]],
  ['a request without a deadline', [hello(), { jsonrpc: '2.0', id: 1, method: 'x' }]],
  ['an id that is a string', [hello(), { jsonrpc: '2.0', id: 'a', method: 'x', deadlineMs: 1 }]],
  ['an answer to a call that was never made', [hello(), { jsonrpc: '2.0', id: 9, result: 1 }]],
  ['the same id twice', [hello(), ...[1, 1].map((id) => ({ jsonrpc: '2.0', id, method: 'wait', deadlineMs: 1000 }))]],
  ['a cancel of nothing', [hello(), { jsonrpc: '2.0', method: '$/cancel', params: null }]],
  ['a limit that no error fits in', [hello({ maxFrameBytes: 1 })]],
])('%s ends the link with PROTOCOL on both sides', async (_, messages) => {
  const { link, send, received } = raw()
  link.handle('wait', forever)
  send(...messages)
  expect(await link.closed).toMatchObject({ code: 'PROTOCOL' })
  expect((await received).at(-1)).toMatchObject({ method: '$/close', params: { error: { code: 'PROTOCOL' } } })
})

test('no input whatever makes a link crash or hang', async () => {
  const request = fc.record(
    {
      jsonrpc: fc.constant('2.0'),
      id: fc.oneof(fc.integer(), fc.jsonValue()),
      method: fc.constantFrom('echo', '$/cancel', '$/close', '$/hello'),
      params: fc.jsonValue(),
      deadlineMs: fc.oneof(fc.integer(), fc.jsonValue()),
    },
    { requiredKeys: ['jsonrpc'] },
  )
  const piece = fc.oneof(
    fc.uint8Array({ maxLength: 60 }),
    fc.oneof(request, fc.dictionary(fc.string(), fc.jsonValue())).map((m) => Buffer.concat(encodeFrame(m).parts)),
  )
  await fc.assert(
    fc.asyncProperty(fc.boolean(), fc.array(piece, { maxLength: 8 }), fc.integer({ min: 1, max: 64 }), async (polite, pieces, size) => {
      const { link, stream } = raw()
      link.handle('echo', (params) => params)
      const bytes = Buffer.concat([...(polite ? encodeFrame(hello()).parts : []), ...pieces])
      for (let at = 0; at < bytes.length; at += size) stream.write(bytes.subarray(at, at + size))
      stream.end()
      stream.resume()
      const reason = await link.closed
      expect([undefined, 'PROTOCOL', 'DRIVER_DEAD', 'INTERNAL']).toContain(reason?.code)
      await link.close()
    }),
    { numRuns: 300 },
  )
})

test('past the cap calls wait their turn, and an urgent one overtakes them', async () => {
  const { here, there } = pair({ maxInFlight: 2 })
  const order: unknown[] = []
  const held: (() => void)[] = []
  there.handle('hold', (n) => new Promise<void>((resolve) => void (order.push(n), held.push(resolve))))
  there.handle('stop', () => void order.push('stop'))
  const calls = Promise.allSettled([1, 2, 3].map((n) => here.call('hold', n)))
  await here.call('stop', null, { urgent: true })
  expect(order).toEqual([1, 2, 'stop'])
  await expect(here.call('hold', 4, { deadlineMs: 10 })).rejects.toMatchObject({ code: 'TIMEOUT' })
  while (held.length > 0) {
    held.shift()!()
    await turn()
  }
  expect((await calls).map((c) => c.status)).toEqual(['fulfilled', 'fulfilled', 'fulfilled'])
  expect(order).toEqual([1, 2, 'stop', 3])
})

test('a call that was given up keeps its place until the other side is done with it', async () => {
  const { here, there } = pair({ maxInFlight: 1 })
  let finish = (): void => {}
  there.handle('stubborn', () => new Promise<void>((resolve) => (finish = resolve)))
  there.handle('next', () => 'next')
  await expect(here.call('stubborn', null, { deadlineMs: 10 })).rejects.toMatchObject({ code: 'TIMEOUT' })
  await expect(here.call('next', null, { deadlineMs: 10 })).rejects.toMatchObject({ code: 'TIMEOUT' })
  finish()
  expect(await here.call('next')).toBe('next')
})

test('past the cap of handled calls nothing more is read, and reading goes on when one is done', async () => {
  const { link, send, received, stream } = raw({ maxHandled: 3 })
  const held: (() => void)[] = []
  let started = 0
  link.handle('hold', () => new Promise<void>((resolve) => void (started++, held.push(resolve))))
  send(hello(), ...Array.from({ length: 50 }, (_, i) => ({ jsonrpc: '2.0', id: i + 1, method: 'hold', deadlineMs: 10_000 })))
  for (let i = 0; i < 5; i++) await turn()
  expect(started).toBe(3)
  for (let i = 0; i < 50; i++) {
    while (held.length === 0) await turn()
    expect(started - i).toBeLessThanOrEqual(3)
    held.shift()!()
  }
  await turn()
  stream.end()
  expect((await received).filter((m) => 'result' in m)).toHaveLength(50)
})

test('a caller that does not read its answers is not answered without end', async () => {
  const [a, b] = duplexPair()
  const link = new Link(a, { protocol, maxHandled: 4 })
  onTestFinished(() => link.close())
  let answered = 0
  link.handle('big', () => (answered++, new Uint8Array(100_000)))
  b.write(Buffer.concat(encodeFrame(hello()).parts))
  for (let id = 1; id <= 50; id++) b.write(Buffer.concat(encodeFrame({ jsonrpc: '2.0', id, method: 'big', deadlineMs: 10_000 }).parts))
  for (let i = 0; i < 20; i++) await turn()
  expect(answered).toBeLessThanOrEqual(6)
  b.resume()
  while (answered < 50) await turn()
  b.end()
})

test('what is too big or cannot be sent fails alone and the link lives on', async () => {
  const { here, there } = pair({ maxFrameBytes: 65_536 })
  const circle: { self?: unknown } = {}
  circle.self = circle
  there.handle('size', (n) => 'x'.repeat(Number(n)))
  there.handle('circle', () => circle)
  await expect(here.call('size', 'x'.repeat(70_000))).rejects.toMatchObject({ code: 'PROTOCOL' })
  await expect(here.call('size', circle)).rejects.toMatchObject({ code: 'BAD_ARGS' })
  await expect(here.call('size', 70_000)).rejects.toMatchObject({ code: 'INTERNAL' })
  await expect(here.call('circle')).rejects.toMatchObject({ code: 'INTERNAL' })
  expect(await here.call('size', 3)).toBe('xxx')
})

function pair(options: Partial<LinkOptions> = {}): { here: Link; there: Link } {
  const streams = duplexPair()
  const here = new Link(streams[0], { protocol, ...options })
  const there = new Link(streams[1], { protocol, ...options })
  onTestFinished(async () => {
    await Promise.all([here.close(), there.close()])
  })
  return { here, there }
}

/** Both ends of a real unix socket. */
async function socketPair(): Promise<[Socket, Socket]> {
  const folder = await mkdtemp(join(tmpdir(), 'deskhand-wire-'))
  const server = createServer()
  const path = join(folder, 'socket')
  await new Promise<void>((resolve) => server.listen(path, resolve))
  const accepted = new Promise<Socket>((resolve) => server.once('connection', resolve))
  const sockets: [Socket, Socket] = [connect(path), await accepted]
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy()
    server.close()
    await rm(folder, { recursive: true })
  })
  return sockets
}

/** A link whose other side is a bare stream. `seen` is what the link has sent, `received` all of it once the link has ended. */
function raw(options: Partial<LinkOptions> = {}) {
  const [a, stream] = duplexPair()
  const link = new Link(a, { protocol, ...options })
  const reader = new FrameReader(2 ** 28)
  const seen: Message[] = []
  stream.on('data', (chunk: Uint8Array) => {
    reader.push(chunk)
    for (let m = reader.next(); m; m = reader.next()) seen.push(m)
  })
  const received = new Promise<Message[]>((resolve) => stream.on('end', () => resolve((stream.end(), seen))))
  onTestFinished(() => link.close())
  const send = (...messages: Message[]): void => void stream.write(Buffer.concat(messages.flatMap((m) => encodeFrame(m).parts)))
  return { link, stream, send, seen, received }
}
