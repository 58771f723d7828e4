import { once } from 'node:events'
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import type { LiveScreen } from './live-screen.ts'
import { RfbConnection } from './rfb.ts'
import { makePassword, vncAuthentication } from './vnc-password.ts'

/** Open at a time; for a client more the oldest goes that has not shown the password, or else the new one. */
const MOST_CLIENTS = 8
/** After so many wrong passwords the port closes: its password is given out, not guessed. */
const MOST_WRONG = 5
const SIGN_IN_MS = 15_000
/** A client that takes nothing of an update for so long is gone. */
const STALLED_MS = 30_000

export interface OpenPort {
  host: string
  port: number
  /** Told once, to the operator who opened it. */
  password: string
  /** When it closes by itself. */
  until: string
}

/** The picture for any VNC client of this machine, while an operator has it open: view-only, behind a password of its own. */
export class VncPort {
  readonly #screen: LiveScreen
  readonly #name: string
  readonly #clients = new Set<Socket>()
  /** Those of them that have not shown the password. */
  readonly #strangers = new Set<Socket>()
  #server: Server | undefined
  #timer: NodeJS.Timeout | undefined
  #password = ''
  #until = ''
  #wrong = 0

  constructor(screen: LiveScreen, name: string) {
    this.#screen = screen
    this.#name = name
  }

  /** How it stands, without its password. */
  get status(): { port: number; until: string; clients: number } | undefined {
    if (this.#server === undefined) return undefined
    return { port: (this.#server.address() as AddressInfo).port, until: this.#until, clients: this.#clients.size }
  }

  /** Opens it on the loopback, with a new password; clients of an earlier one are let go. */
  async open(minutes: number): Promise<OpenPort> {
    this.close()
    const server = createServer((socket) => this.#serve(socket))
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    // Another operator may have opened one meanwhile.
    this.close()
    this.#server = server
    this.#wrong = 0
    this.#password = makePassword()
    this.#until = new Date(Date.now() + minutes * 60_000).toISOString()
    this.#timer = setTimeout(() => this.close(), minutes * 60_000).unref()
    return { host: '127.0.0.1', port: (server.address() as AddressInfo).port, password: this.#password, until: this.#until }
  }

  close(): void {
    clearTimeout(this.#timer)
    this.#server?.close()
    this.#server = undefined
    for (const client of this.#clients) client.destroy()
  }

  #serve(socket: Socket): void {
    socket.on('error', () => socket.destroy())
    if (!this.#makeRoom()) return void socket.destroy()
    this.#clients.add(socket)
    this.#strangers.add(socket)
    const late = setTimeout(() => socket.destroy(), SIGN_IN_MS)
    const { accepts, ...security } = vncAuthentication(this.#password)
    const connection = new RfbConnection({
      screen: this.#screen,
      name: `${this.#name} (view only)`,
      send: (bytes) => sent(socket, bytes),
      close: () => socket.end(),
      security: {
        ...security,
        accepts: (answer) => {
          clearTimeout(late)
          if (accepts(answer)) {
            this.#strangers.delete(socket)
            return true
          }
          // Closed in a moment, so that this client still hears that it was wrong.
          if (++this.#wrong >= MOST_WRONG) setImmediate(() => this.close())
          return false
        },
      },
    })
    socket.on('data', (bytes) => connection.receive(bytes))
    socket.once('close', () => {
      clearTimeout(late)
      this.#forget(socket)
      connection.closed()
    })
  }

  #makeRoom(): boolean {
    if (this.#clients.size < MOST_CLIENTS) return true
    const [oldest] = this.#strangers
    if (oldest === undefined) return false
    this.#forget(oldest)
    oldest.destroy()
    return true
  }

  #forget(socket: Socket): void {
    this.#clients.delete(socket)
    this.#strangers.delete(socket)
  }
}

function sent(socket: Socket, bytes: Buffer): Promise<void> {
  return new Promise((done) => {
    const timer = setTimeout(() => socket.destroy(), STALLED_MS)
    socket.write(bytes, () => {
      clearTimeout(timer)
      done()
    })
  })
}
