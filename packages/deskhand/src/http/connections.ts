import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import type { Principal } from '@deskhand/core/model'

/** Connections that have not shown who they are; past this the oldest has to go, so that a person always gets in. */
const MOST_UNKNOWN = 256
/** Connections of one agent and of one viewer, for the same reason. */
const MOST_EACH: Readonly<Record<Principal['role'], number>> = { agent: 256, viewer: 1_024, operator: Infinity }
const MOST = 8_192

/** Sockets by the address at their other end: a request over TLS has another socket than the connection that was counted. */
type Open = Map<string, Socket>

/** Keeps room for operators, however many connections strangers, agents and viewers open. */
export class Connections {
  readonly #unknown: Open = new Map()
  readonly #known = new Map<string, Open>()

  constructor(server: Server) {
    server.maxConnections = MOST
    server.on('connection', (socket) => {
      const from = otherEnd(socket)
      this.#unknown.set(from, socket)
      socket.once('close', () => this.#unknown.get(from) === socket && this.#unknown.delete(from))
      endOldest(this.#unknown, MOST_UNKNOWN)
    })
  }

  /** Someone who is known speaks over it; `name` tells them from all others. */
  know(speaking: Socket, name: string, role: Principal['role']): void {
    const from = otherEnd(speaking)
    const socket = this.#unknown.get(from)
    if (socket === undefined) return
    this.#unknown.delete(from)
    const own: Open = this.#known.get(name) ?? new Map()
    this.#known.set(name, own.set(from, socket))
    socket.once('close', () => {
      if (own.get(from) === socket) own.delete(from)
      if (own.size === 0 && this.#known.get(name) === own) this.#known.delete(name)
    })
    endOldest(own, MOST_EACH[role])
  }
}

const otherEnd = ({ remoteAddress, remotePort }: Socket): string => `${remoteAddress} ${remotePort}`

function endOldest(sockets: Open, most: number): void {
  const [oldest] = sockets
  if (sockets.size <= most || oldest === undefined) return
  // At once: several may come before it is told that this one has closed.
  sockets.delete(oldest[0])
  oldest[1].destroy()
}
