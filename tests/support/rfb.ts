import { createInflate, type Inflate } from 'node:zlib'
import { WebSocket } from 'ws'

/** A VNC client that shares no code with the server: what it decodes is what a viewer sees. */
export class RfbClient {
  readonly socket: WebSocket
  width = 0
  height = 0
  /** RGB, three bytes a pixel. */
  pixels = Buffer.alloc(0)
  name = ''
  updates = 0
  rects: { x: number; y: number; w: number; h: number; encoding: number }[] = []
  bytes = 0
  /** Texts that were copied on the desktop. */
  cuts: string[] = []
  /** What became of the sizes that this client wished for. */
  wishes: number[] = []
  /** Why it follows no more. */
  failed: string | undefined
  /** Hears of every update, after it was drawn. */
  onUpdate: () => void = () => {}
  #held = Buffer.alloc(0)
  readonly #streams: (Inflate | undefined)[] = []
  #more: (() => void) | undefined
  #closed = false
  #paused: Promise<void> = Promise.resolve()

  static async open(url: string, token: string, options: { encodings?: number[]; ask?: boolean } = {}): Promise<RfbClient> {
    return RfbClient.over(new WebSocket(url, ['binary'], { headers: { authorization: `Bearer ${token}` } }), options)
  }

  /** Over a socket that is being opened. */
  static async over(socket: WebSocket, options: { encodings?: number[]; ask?: boolean } = {}): Promise<RfbClient> {
    const client = new RfbClient(socket)
    await new Promise<void>((done, fail) => {
      client.socket.once('open', done)
      client.socket.once('error', fail)
    })
    await client.#shake(options.encodings ?? [1, 7, -223])
    if (options.ask ?? true) void client.follow()
    return client
  }

  private constructor(socket: WebSocket) {
    this.socket = socket
    socket.on('message', (data: Buffer) => {
      this.#held = Buffer.concat([this.#held, data])
      this.bytes += data.length
      this.#more?.()
    })
    socket.on('close', () => {
      this.#closed = true
      this.#more?.()
    })
    socket.on('error', () => {})
  }

  pixel(x: number, y: number): number[] {
    return [...this.pixels.subarray((y * this.width + x) * 3, (y * this.width + x) * 3 + 3)]
  }

  send(bytes: number[] | Buffer): void {
    this.socket.send(Buffer.from(bytes))
  }

  pointer(mask: number, x: number, y: number): void {
    this.send([5, mask, x >> 8, x & 0xff, y >> 8, y & 0xff])
  }

  key(isDown: boolean, keysym: number): void {
    const bytes = Buffer.alloc(8)
    bytes.set([4, isDown ? 1 : 0])
    bytes.writeUInt32BE(keysym, 4)
    this.send(bytes)
  }

  /** Strikes the keys of a text, as a client that knows Unicode does. */
  type(text: string): void {
    for (const char of text) {
      const code = char.codePointAt(0) ?? 0
      const keysym = char === '\n' ? 0xff0d : code < 0x100 ? code : 0x01000000 + code
      this.key(true, keysym)
      this.key(false, keysym)
    }
  }

  /** Wishes for another size of the screen. */
  resize(width: number, height: number): void {
    const bytes = Buffer.alloc(24)
    bytes.set([251])
    bytes.writeUInt16BE(width, 2)
    bytes.writeUInt16BE(height, 4)
    bytes[6] = 1
    bytes.writeUInt16BE(width, 16)
    bytes.writeUInt16BE(height, 18)
    this.send(bytes)
  }

  close(): void {
    this.socket.close()
  }

  async #shake(encodings: number[]): Promise<void> {
    this.send(await this.#take(12))
    const count = (await this.#take(1))[0] ?? 0
    await this.#take(count)
    this.send([1])
    if ((await this.#take(4)).readUInt32BE() !== 0) throw new Error('refused')
    this.send([1])
    const head = await this.#take(24)
    this.width = head.readUInt16BE(0)
    this.height = head.readUInt16BE(2)
    this.pixels = Buffer.alloc(this.width * this.height * 3)
    this.name = (await this.#take(head.readUInt32BE(20))).toString('utf8')
    const told = Buffer.alloc(4 + 4 * encodings.length)
    told[0] = 2
    told.writeUInt16BE(encodings.length, 2)
    encodings.forEach((e, i) => told.writeInt32BE(e, 4 + 4 * i))
    this.send(told)
  }

  ask(isIncremental: boolean): void {
    const bytes = Buffer.alloc(10)
    bytes.set([3, isIncremental ? 1 : 0])
    bytes.writeUInt16BE(this.width, 6)
    bytes.writeUInt16BE(this.height, 8)
    this.send(bytes)
  }

  /** Asks for nothing more until what it returns is called. */
  pause(): () => void {
    let resume = (): void => {}
    this.#paused = new Promise((done) => (resume = done))
    return resume
  }

  /** Asks for everything, and then for what changes, without end. */
  async follow(): Promise<void> {
    this.ask(false)
    try {
      for (;;) {
        await this.#update()
        this.updates++
        this.onUpdate()
        await this.#paused
        this.ask(true)
      }
    } catch (thrown) {
      // The connection has ended, or sends what this client does not know.
      this.failed = thrown instanceof Error ? thrown.message : String(thrown)
    }
  }

  async #update(): Promise<void> {
    let head = await this.#take(4)
    for (; head[0] === 3; head = await this.#take(4))
      this.cuts.push((await this.#take((await this.#take(4)).readUInt32BE())).toString('latin1'))
    if (head[0] !== 0) throw new Error(`message ${head[0]}`)
    this.rects = []
    for (let left = head.readUInt16BE(2); left > 0; left--) {
      const at = await this.#take(12)
      const rect = {
        x: at.readUInt16BE(0),
        y: at.readUInt16BE(2),
        w: at.readUInt16BE(4),
        h: at.readUInt16BE(6),
        encoding: at.readInt32BE(8),
      }
      this.rects.push(rect)
      if (rect.encoding === -308) {
        await this.#take(16 * ((await this.#take(4))[0] ?? 0))
        if (rect.x === 1) this.wishes.push(rect.y)
      }
      if (rect.encoding === -223 || (rect.encoding === -308 && (rect.w !== this.width || rect.h !== this.height))) {
        this.width = rect.w
        this.height = rect.h
        this.pixels = Buffer.alloc(rect.w * rect.h * 3)
      } else if (rect.encoding === -308) continue
      else if (rect.encoding === 0) {
        const raw = await this.#take(rect.w * rect.h * 4)
        this.#draw(rect, (i) => raw.subarray(i * 4, i * 4 + 3))
      } else if (rect.encoding === 1) this.#copy(rect, await this.#take(4))
      else await this.#tight(rect)
    }
  }

  #copy(rect: { x: number; y: number; w: number; h: number }, source: Buffer): void {
    const [x, y] = [source.readUInt16BE(0), source.readUInt16BE(2)]
    const was = Buffer.from(this.pixels)
    this.#draw(rect, (i) => {
      const at = ((y + Math.floor(i / rect.w)) * this.width + x + (i % rect.w)) * 3
      return was.subarray(at, at + 3)
    })
  }

  async #tight(rect: { x: number; y: number; w: number; h: number }): Promise<void> {
    const control = (await this.#take(1))[0] ?? 0
    for (let n = 0; n < 4; n++) if ((control & (1 << n)) !== 0) this.#streams[n] = undefined
    const stream = (control >> 4) & 3
    if (control >> 4 === 8) {
      const colour = await this.#take(3)
      return this.#draw(rect, () => colour)
    }
    const filter = (control & 0x40) === 0 ? 0 : ((await this.#take(1))[0] ?? 0)
    if (filter !== 1) {
      const data = await this.#unpacked(stream, rect.w * rect.h * 3)
      if (filter === 2) predicted(data, rect.w)
      return this.#draw(rect, (i) => data.subarray(i * 3, i * 3 + 3))
    }
    const count = ((await this.#take(1))[0] ?? 0) + 1
    const palette = Buffer.from(await this.#take(count * 3))
    const colour = (n: number): Buffer => palette.subarray(n * 3, n * 3 + 3)
    if (count > 2) {
      const data = await this.#unpacked(stream, rect.w * rect.h)
      return this.#draw(rect, (i) => colour(data[i] ?? 0))
    }
    const stride = (rect.w + 7) >> 3
    const data = await this.#unpacked(stream, stride * rect.h)
    this.#draw(rect, (i) => {
      const [x, y] = [i % rect.w, Math.floor(i / rect.w)]
      return colour(((data[y * stride + (x >> 3)] ?? 0) >> (7 - (x & 7))) & 1)
    })
  }

  async #unpacked(stream: number, size: number): Promise<Buffer> {
    if (size < 12) return Buffer.from(await this.#take(size))
    let length = 0
    for (let i = 0; i < 3; i++) {
      const byte = (await this.#take(1))[0] ?? 0
      length |= (i === 2 ? byte : byte & 0x7f) << (7 * i)
      if ((byte & 0x80) === 0 || i === 2) break
    }
    const inflate = (this.#streams[stream] ??= createInflate())
    const packed = Buffer.from(await this.#take(length))
    const parts: Buffer[] = []
    await new Promise<void>((done, fail) => {
      inflate.on('error', fail).on('data', (part: Buffer) => parts.push(part))
      inflate.write(packed, () => setImmediate(done))
    })
    inflate.removeAllListeners('error').removeAllListeners('data')
    const data = Buffer.concat(parts)
    if (data.length !== size) throw new Error(`${data.length} bytes instead of ${size}`)
    return data
  }

  #draw({ x, y, w, h }: { x: number; y: number; w: number; h: number }, colour: (i: number) => Uint8Array): void {
    for (let i = 0; i < w * h; i++) this.pixels.set(colour(i), ((y + Math.floor(i / w)) * this.width + x + (i % w)) * 3)
  }

  async #take(size: number): Promise<Buffer> {
    while (this.#held.length < size) {
      if (this.#closed) throw new Error('closed')
      await new Promise<void>((done) => (this.#more = done))
    }
    const taken = this.#held.subarray(0, size)
    this.#held = this.#held.subarray(size)
    return taken
  }
}

/** Each value was sent as the difference from what its neighbours let expect. */
function predicted(data: Buffer, width: number): void {
  const stride = width * 3
  for (let at = 0; at < data.length; at++) {
    const left = at % stride >= 3 ? (data[at - 3] ?? 0) : 0
    const above = at >= stride ? (data[at - stride] ?? 0) : 0
    const corner = at % stride >= 3 && at >= stride ? (data[at - stride - 3] ?? 0) : 0
    data[at] = (data[at] ?? 0) + Math.min(255, Math.max(0, left + above - corner))
  }
}
