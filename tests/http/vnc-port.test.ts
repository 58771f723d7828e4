import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import sharp from 'sharp'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { httpWorld, type HttpWorld } from '../support/http.ts'

let world: HttpWorld
beforeAll(async () => void (world = await httpWorld()))
afterAll(() => world.close())

interface Opened {
  port: number
  password: string
  until: string
}
const PORT = '/desktops/virtual/picture/port'
const open = async (minutes?: number): Promise<Opened> =>
  (await world.ask('POST', PORT, { as: 'operator', body: { minutes } })).json as Opened
const status = async () => (await world.ask('GET', '/desktops/virtual/picture/status', { as: 'viewer' })).json
const journal = async () => (await world.ask('GET', '/desktops/virtual/journal?newest=true&limit=20', { as: 'operator' })).text

test('a VNC client with the password sees what agents see, and its input goes nowhere', async () => {
  const opened = await open()
  const client = await VncClient.signIn(opened.port, opened.password)
  expect({ result: client.result, name: client.name }).toEqual({ result: 0, name: 'virtual (view only)' })
  const pixels = await client.look()
  expect(new Set(pixels).size).toBeGreaterThan(10)
  expect(await status()).toMatchObject({ viewers: 1, port: { port: opened.port, clients: 1 } })
  const before = (await world.ask('GET', '/desktops/virtual', { as: 'viewer' })).json
  client.send([4, 1, 0, 0, 0, 0, 0, 0x61, 4, 0, 0, 0, 0, 0, 0, 0x61, 5, 1, 0, 100, 0, 100, 5, 0, 0, 100, 0, 100])
  await client.look()
  const { human, event } = (await world.ask('GET', '/desktops/virtual', { as: 'viewer' })).json
  expect({ human, event }).toEqual({ human: before.human, event: before.event })
})

test('a client that another project wrote, and that speaks only version 3.3, takes its picture', async () => {
  const { port, password } = await open()
  const dir = mkdtempSync(join(tmpdir(), 'dh-vnc-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  const [word, picture] = [join(dir, 'word'), join(dir, 'picture.jpg')]
  writeFileSync(word, spawnSync('tigervncpasswd', ['-f'], { input: `${password}\n` }).stdout)
  // Not spawnSync: the server that it asks is in this process.
  const client = spawn('vncsnapshot', ['-quiet', '-passwd', word, `127.0.0.1::${port}`, picture])
  expect(await once(client, 'exit')).toEqual([0, null])
  const { data, info } = await sharp(picture).raw().toBuffer({ resolveWithObject: true })
  const seen = await sharp((await world.ask('GET', '/desktops/virtual/picture', { as: 'viewer' })).bytes)
    .removeAlpha()
    .raw()
    .toBuffer()
  expect({ size: data.length, width: info.width }).toEqual({ size: seen.length, width: 1280 })
  // A JPEG is near, not equal.
  const far = data.reduce((sum, value, i) => sum + (Math.abs(value - (seen[i] ?? 0)) > 40 ? 1 : 0), 0)
  expect(far / data.length).toBeLessThan(0.02)
})

test('a wrong password is told so; after five of them the port is closed', async () => {
  const { port } = await open()
  for (let i = 0; i < 5; i++) {
    const client = await VncClient.signIn(port, `wrong${i}`)
    expect({ result: client.result, reason: client.reason }).toEqual({ result: 1, reason: 'this password is not known here' })
  }
  await expect.poll(async () => (await status()).port).toBeUndefined()
  await expect(VncClient.signIn(port, 'x')).rejects.toThrow(/ECONNREFUSED/)
})

test('only an operator opens it; it closes when its time is over or an operator says so, its clients with it, and the journal has both', async () => {
  for (const as of ['agent', 'viewer'] as const)
    expect(await world.ask('POST', PORT, { as, body: {} })).toMatchObject({ status: 403, json: { code: 'UNAUTHORIZED' } })
  expect(await world.ask('POST', PORT, { as: 'operator', body: { minutes: 0 } })).toMatchObject({ status: 400 })
  const short = await open(0.01)
  const client = await VncClient.signIn(short.port, short.password)
  await once(client.socket, 'close')
  expect((await status()).port).toBeUndefined()
  const long = await open(5)
  const other = await VncClient.signIn(long.port, long.password)
  await world.ask('DELETE', PORT, { as: 'operator' })
  await once(other.socket, 'close')
  await expect(VncClient.signIn(long.port, long.password)).rejects.toThrow(/ECONNREFUSED/)
  const told = await journal()
  expect(told).toContain('"picture.open"')
  expect(told).toContain('"picture.close"')
  expect(told).not.toContain(long.password)
})

test('clients that say nothing, or anything else, hold up nobody', async () => {
  const opened = await open()
  const idle = Array.from({ length: 20 }, () => connect(opened.port, '127.0.0.1').on('error', () => {}))
  onTestFinished(() => idle.forEach((socket) => socket.destroy()))
  const noise = connect(opened.port, '127.0.0.1').on('error', () => {})
  noise.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(1_000))
  noise.resume()
  await once(noise, 'close')
  expect((await VncClient.signIn(opened.port, opened.password)).result).toBe(0)
})

/** A client by the book, with DES of OpenSSL's command: it shares no code with the server. */
class VncClient {
  readonly socket: Socket
  result = -1
  reason = ''
  name = ''
  #size = { w: 0, h: 0 }
  #held = Buffer.alloc(0)
  #more = (): void => {}

  static async signIn(port: number, password: string): Promise<VncClient> {
    const socket = connect(port, '127.0.0.1')
    await once(socket, 'connect')
    onTestFinished(() => void socket.destroy())
    const client = new VncClient(socket)
    expect((await client.#take(12)).toString()).toBe('RFB 003.008\n')
    socket.write('RFB 003.008\n')
    expect([...(await client.#take(2))]).toEqual([1, 2])
    client.send([2])
    socket.write(des(password, await client.#take(16)))
    client.result = (await client.#take(4)).readUInt32BE()
    if (client.result !== 0) {
      client.reason = (await client.#take((await client.#take(4)).readUInt32BE())).toString()
      return client
    }
    client.send([1])
    const head = await client.#take(24)
    client.#size = { w: head.readUInt16BE(0), h: head.readUInt16BE(2) }
    client.name = (await client.#take(head.readUInt32BE(20))).toString()
    client.send([2, 0, 0, 1, 0, 0, 0, 0])
    return client
  }

  private constructor(socket: Socket) {
    this.socket = socket
    socket.on('error', () => {})
    socket.on('data', (bytes) => {
      this.#held = Buffer.concat([this.#held, bytes])
      this.#more()
    })
  }

  send(bytes: number[]): void {
    this.socket.write(Buffer.from(bytes))
  }

  /** The colours of the whole screen, sent as they are. */
  async look(): Promise<Uint32Array> {
    const { w, h } = this.#size
    this.send([3, 0, 0, 0, 0, 0, w >> 8, w & 0xff, h >> 8, h & 0xff])
    const pixels = new Uint32Array(w * h)
    const count = (await this.#take(4)).readUInt16BE(2)
    for (let i = 0; i < count; i++) {
      const head = await this.#take(12)
      const [x, y, wide, high] = [0, 2, 4, 6].map((at) => head.readUInt16BE(at)) as [number, number, number, number]
      const raw = await this.#take(wide * high * 4)
      for (let at = 0; at < wide * high; at++)
        pixels[(y + Math.floor(at / wide)) * w + x + (at % wide)] = raw.readUInt32LE(at * 4) & 0xffffff
    }
    return pixels
  }

  async #take(size: number): Promise<Buffer> {
    while (this.#held.length < size) await new Promise<void>((done) => (this.#more = done))
    const taken = this.#held.subarray(0, size)
    this.#held = this.#held.subarray(size)
    return taken
  }
}

function des(password: string, challenge: Buffer): Buffer {
  const key = Buffer.alloc(8)
  key.write(password.slice(0, 8), 'latin1')
  const turned = Buffer.from(key.map((byte) => Number.parseInt([...byte.toString(2).padStart(8, '0')].toReversed().join(''), 2)))
  const args = ['enc', '-des-ecb', '-provider', 'legacy', '-provider', 'default', '-nopad', '-K', turned.toString('hex')]
  return spawnSync('openssl', args, { input: challenge }).stdout
}
