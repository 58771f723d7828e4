import type { Server } from 'node:http'
import type { Socket } from 'node:net'

/** Connections that have not shown who they are; past this the oldest has to go, so that a person always gets in. */
const MOST_UNKNOWN = 256
const MOST = 4_096

/** Keeps room for those who are known, however many connections strangers open. */
export class Connections {
  readonly #unknown = new Set<Socket>()

  constructor(server: Server) {
    server.maxConnections = MOST
    server.on('connection', (socket) => {
      this.#unknown.add(socket)
      socket.once('close', () => this.#unknown.delete(socket))
      const [oldest] = this.#unknown
      if (this.#unknown.size > MOST_UNKNOWN) oldest?.destroy()
    })
  }

  /** Someone who is known speaks over it. */
  know(socket: Socket): void {
    this.#unknown.delete(socket)
  }
}
