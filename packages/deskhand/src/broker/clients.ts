import type { Duplex } from 'node:stream'
import type { Link } from '@deskhand/core/driver'
import { DeskhandError } from '@deskhand/core/errors'
import type { Principal } from '@deskhand/core/model'

/** Connections that have not said who they are; past this the oldest has to go, so that an operator always gets in. */
const MOST_UNKNOWN = 256
const MOST_OF_AGENTS = 64
const AUTH_MS = 10_000

export interface Client {
  link: Link
  /** Unknown until `auth`. */
  who?: Principal
}

/** The connected clients. However many connections agents open, there is room for an operator. */
export class Clients {
  readonly #unknown = new Map<Client, Duplex>()
  readonly #known = new Set<Client>()
  readonly #links = new Set<Link>()
  #ever = 0

  add(link: Link, stream: Duplex): Client {
    const client: Client = { link }
    this.#ever++
    this.#unknown.set(client, stream)
    this.#links.add(link)
    const timer = setTimeout(() => client.who === undefined && stream.destroy(), AUTH_MS).unref()
    void link.closed.then(() => {
      clearTimeout(timer)
      this.#unknown.delete(client)
      this.#known.delete(client)
      this.#links.delete(link)
    })
    const [oldest] = this.#unknown.values()
    if (this.#unknown.size > MOST_UNKNOWN) oldest?.destroy()
    return client
  }

  /** Writes down who a client is. It stays that one: another token needs another connection. */
  know(client: Client, who: Principal): Principal {
    if (client.who !== undefined)
      throw new DeskhandError('BAD_ARGS', `this connection is ${client.who.id}'s already`, { next: 'Open another connection.' })
    const others = [...this.#known].filter((c) => c.who?.role === 'agent').length
    if (who.role === 'agent' && others >= MOST_OF_AGENTS)
      throw new DeskhandError('BROKER_BUSY', `agents have ${others} connections open already`, { next: 'Close some of them.' })
    client.who = who
    this.#unknown.delete(client)
    this.#known.add(client)
    return who
  }

  get connections(): { now: number; ever: number } {
    return { now: this.#links.size, ever: this.#ever }
  }

  async close(): Promise<void> {
    await Promise.all([...this.#links].map((link) => link.close()))
  }
}
