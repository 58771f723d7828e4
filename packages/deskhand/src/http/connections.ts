import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import type { Principal } from '@deskhand/core/model'

/** Connections that have not shown who they are; past this the oldest has to go, so that a person always gets in. */
const MOST_UNKNOWN = 256
/** Connections of one agent and of one viewer, for the same reason. */
const MOST_EACH: Readonly<Record<Principal['role'], number>> = { agent: 256, viewer: 1_024, operator: Infinity }
const MOST = 8_192

/** Keeps room for operators, however many connections strangers, agents and viewers open. */
export class Connections {
  readonly #unknown = new Set<Socket>()
  readonly #known = new Map<string, Set<Socket>>()

  constructor(server: Server) {
    server.maxConnections = MOST
    server.on('connection', (socket) => {
      this.#unknown.add(socket)
      socket.once('close', () => this.#unknown.delete(socket))
      endOldest(this.#unknown, MOST_UNKNOWN)
    })
  }

  /** Someone who is known speaks over it; `name` tells them from all others. */
  know(socket: Socket, name: string, role: Principal['role']): void {
    if (!this.#unknown.delete(socket)) return
    const own = this.#known.get(name) ?? new Set()
    this.#known.set(name, own.add(socket))
    socket.once('close', () => {
      own.delete(socket)
      if (own.size === 0 && this.#known.get(name) === own) this.#known.delete(name)
    })
    endOldest(own, MOST_EACH[role])
  }
}

function endOldest(sockets: Set<Socket>, most: number): void {
  const [oldest] = sockets
  if (sockets.size <= most || oldest === undefined) return
  // At once: several may come before it is told that this one has closed.
  sockets.delete(oldest)
  oldest.destroy()
}
