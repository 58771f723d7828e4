import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { type Socket, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Bus, BusError } from './connection.ts'
import { RETURN, encode } from './message.ts'

const dir = mkdtempSync(join(tmpdir(), 'dh-dbus-'))
afterAll(() => rmSync(dir, { recursive: true, force: true }))

describe('on a real message bus', () => {
  const address = `unix:path=${join(dir, 'bus')}`
  let daemon: ChildProcess

  beforeAll(async () => {
    daemon = spawn('dbus-daemon', ['--session', '--nofork', '--nopidfile', '--print-address=1', `--address=${address}`], {
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    await new Promise<void>((done, fail) => {
      daemon.once('error', fail)
      daemon.stdout?.once('data', () => done())
    })
  })
  afterAll(() => daemon.kill())

  test('a call is answered with values of the promised type', async () => {
    const bus = await Bus.connect(address)
    const [names] = await bus.daemon('ListNames', '', [], 'as')
    expect(names).toContain(bus.name)
    bus.close()
  })

  test('a bus on an abstract socket is reached, or told as out of reach', async () => {
    const abstract = `unix:abstract=${join(dir, 'abstract')}`
    const other = spawn('dbus-daemon', ['--session', '--nofork', '--nopidfile', '--print-address=1', `--address=${abstract}`], {
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    await new Promise<void>((done) => other.stdout.once('data', () => done()))
    const bus = await Bus.connect(abstract).catch((e: unknown) => e)
    if (bus instanceof Bus) bus.close()
    else expect(bus).toMatchObject({ reply: 'abstract', message: expect.stringContaining('this Node') as string })
    other.kill()
  })

  test('an error of the other side carries its name', async () => {
    const bus = await Bus.connect(address)
    await expect(bus.call('no.such.Name', '/', 'a.B', 'C', '', [], '')).rejects.toMatchObject({
      reply: 'org.freedesktop.DBus.Error.ServiceUnknown',
    })
    await expect(bus.daemon('ListNames', '', [], 'u')).rejects.toMatchObject({ reply: 'shape' })
    bus.close()
  })

  test('signals reach the listeners until they leave', async () => {
    const [one, two] = await Promise.all([Bus.connect(address), Bus.connect(address)])
    await one.match("type='signal',member='NameOwnerChanged'")
    const left = new Promise<string>((done) => {
      const off = one.onSignal((s) => {
        const body = s.read('sss')
        if (body?.[0] !== two.name || body[2] !== '') return
        off()
        done(body[1])
      })
    })
    const name = two.name
    two.close()
    expect(await left).toBe(name)
    one.close()
  })

  test('a name or value that the bus would drop us for is never sent', async () => {
    const bus = await Bus.connect(address)
    await expect(bus.call('not a name', '/', 'a.B', 'C', '', [], '')).rejects.toMatchObject({ reply: 'unsendable' })
    await expect(bus.daemon('NameHasOwner', 's', ['a\0b'], 'b')).rejects.toMatchObject({ reply: 'unsendable' })
    expect(await bus.daemon('NameHasOwner', 's', [bus.name], 'b')).toEqual([true])
    bus.close()
  })

  test('what waits when the bus goes away is told', async () => {
    const [silent, bus] = await Promise.all([Bus.connect(address), Bus.connect(address)])
    const call = bus.call(silent.name, '/', 'org.freedesktop.DBus.Peer', 'Ping', '', [], '')
    bus.close()
    await expect(call).rejects.toMatchObject({ reply: 'closed' })
    await expect(bus.daemon('ListNames', '', [], 'as')).rejects.toBeInstanceOf(BusError)
    silent.close()
  })
})

/** A peer that shakes hands and then does what the test says with every byte it gets. */
function peer(name: string, onData: (data: Buffer, socket: Socket) => void): Promise<{ address: string; close(): void }> {
  const path = join(dir, name)
  const server = createServer((socket) => {
    let begun = false
    socket.on('error', () => {})
    socket.on('data', (data) => {
      const at = data.indexOf('BEGIN\r\n')
      if (begun) return onData(data, socket)
      if (at < 0) return void socket.write('OK 0123456789abcdef0123456789abcdef\r\n')
      begun = true
      if (data.length > at + 7) onData(data.subarray(at + 7), socket)
    })
  })
  return new Promise((done) => server.listen(path, () => done({ address: `unix:path=${path}`, close: () => server.close() })))
}

test('a peer that hangs gets at most 128 calls, and the rest fail at their deadline', async () => {
  let bytes = 0
  const hung = await peer('hung', (data) => void (bytes += data.length))
  const bus = await Bus.connect(hung.address, { peerToPeer: true })
  const one = encode(1, { type: 1, path: '/a', iface: 'a.B', member: 'C' }, '', []).length
  const calls = Array.from({ length: 1000 }, () => bus.call('', '/a', 'a.B', 'C', '', [], '', { deadlineMs: 80 }))
  const outcomes = await Promise.allSettled(calls)
  expect(outcomes.every((o) => o.status === 'rejected' && o.reason.reply === 'timeout')).toBe(true)
  expect(bytes).toBe(128 * one)
  bus.close()
  hung.close()
})

test('a peer that recovers is served again', async () => {
  let answer = false
  const serials: number[] = []
  const slow = await peer('slow', (data, socket) => {
    for (let at = 0; at < data.length; at += size) serials.push(data.readUInt32LE(at + 8))
    if (answer) for (const s of serials.splice(0)) socket.write(encode(s, { type: RETURN, replyTo: s }, '', []))
  })
  const size = encode(1, { type: 1, path: '/a', iface: 'a.B', member: 'C' }, '', []).length
  const bus = await Bus.connect(slow.address, { peerToPeer: true })
  const call = (deadlineMs: number) => bus.call('', '/a', 'a.B', 'C', '', [], '', { deadlineMs })
  await Promise.allSettled(Array.from({ length: 127 }, () => call(50)))
  answer = true
  expect(await call(2000)).toEqual([])
  expect(await Promise.all(Array.from({ length: 128 }, () => call(2000)))).toHaveLength(128)
  bus.close()
  slow.close()
})

test('garbage closes the connection and nothing else', async () => {
  const rude = await peer('rude', (_, socket) => socket.write('this is no D-Bus message at all'))
  const bus = await Bus.connect(rude.address, { peerToPeer: true })
  await expect(bus.call('', '/a', 'a.B', 'C', '', [], '')).rejects.toMatchObject({ reply: 'closed' })
  await bus.closed
  rude.close()
})
