import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { duplexPair } from 'node:stream'
import { Link } from '@deskhand/core/driver/wire'
import type { Rect } from '@deskhand/core/model'
import { WebSocketServer } from 'ws'
import { FRONT } from '../../packages/deskhand/src/broker/protocol.ts'
import { LiveScreen } from '../../packages/deskhand/src/http/picture/live-screen.ts'
import { Pace } from '../../packages/deskhand/src/http/picture/pace.ts'
import { RfbConnection } from '../../packages/deskhand/src/http/picture/rfb.ts'

/** The server's live picture, of a screen on which the test draws. */
export class DrawnPicture {
  readonly width = 240
  readonly height = 200
  /** RGBA, as the broker would send it. */
  readonly pixels = new Uint32Array(this.width * this.height)
  /** Updates that began with a copy. */
  copies = 0
  /** A WebSocket address of the RFB protocol. */
  readonly url: string
  readonly #sockets: WebSocketServer
  readonly #live: LiveScreen
  readonly #broker: Link

  readonly #connections = new Set<RfbConnection>()

  /** On a machine where something waits for a processor in so many percent of the time. */
  static async open(pressure = 0): Promise<DrawnPicture> {
    const sockets = new WebSocketServer({ port: 0, host: '127.0.0.1', handleProtocols: (offered) => offered.has('binary') && 'binary' })
    await once(sockets, 'listening')
    return new DrawnPicture(sockets, pressure)
  }

  private constructor(sockets: WebSocketServer, pressure: number) {
    const [here, there] = duplexPair()
    this.#live = new LiveScreen(here, new Pace(() => pressure))
    this.#broker = new Link(there, FRONT)
    this.#broker.handle('watch', () => {
      setImmediate(() => void this.draw())
      return null
    })
    this.#broker.handle('rest', () => null)
    this.#sockets = sockets
    this.url = `ws://127.0.0.1:${(sockets.address() as AddressInfo).port}`
    sockets.on('connection', (socket) => {
      const connection = new RfbConnection({
        screen: this.#live,
        name: 'drawn',
        send: (bytes) => {
          // The first rectangle of an update is a copy.
          if (bytes.length > 20 && bytes.readUInt16BE(0) === 0 && bytes.readInt32BE(12) === 1) this.copies++
          return new Promise((done) => socket.send(bytes, () => done()))
        },
        close: () => socket.close(),
      })
      this.#connections.add(connection)
      socket.on('message', (data: Buffer) => connection.receive(data))
      socket.on('close', () => {
        this.#connections.delete(connection)
        connection.closed()
      })
    })
  }

  /** Every client has what it was sent, and has asked for more. */
  get isTaken(): boolean {
    return [...this.#connections].every((c) => c.isReady)
  }

  /** RGB, three bytes a pixel. */
  get rgb(): Buffer {
    const out = Buffer.alloc(this.pixels.length * 3)
    this.pixels.forEach((colour, i) => out.writeUIntLE(colour & 0xffffff, i * 3, 3))
    return out
  }

  fill({ x, y, w, h }: Rect, colour: (at: number) => number): void {
    for (let row = y; row < y + h; row++)
      for (let at = row * this.width + x; at < row * this.width + x + w; at++) this.pixels[at] = 0xff000000 | colour(at)
  }

  /** Rows go up in an area, and others come in from below. */
  scroll(area: Rect, by: number, colour: (at: number) => number): void {
    const was = this.pixels.slice()
    const kept = area.h - by
    this.fill({ ...area, h: kept }, (at) => was[at + by * this.width] ?? 0)
    this.fill({ ...area, y: area.y + kept, h: by }, colour)
  }

  /** Sends the screen as it is now; resolves when the server wants the next. */
  async draw(): Promise<void> {
    const screen = { x: 0, y: 0, w: this.width, h: this.height }
    const bytes = new Uint8Array(this.pixels.slice().buffer)
    await this.#broker.call('update', { parts: [{ rect: screen, screen, bytes, at: 0, masked: [] }] })
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets.clients) socket.terminate()
    this.#sockets.close()
    await Promise.all([this.#live.close(), this.#broker.close()])
  }
}
