import type { Duplex } from 'node:stream'
import { z } from 'zod'
import { Link } from '@deskhand/core/driver'
import { DeskhandError } from '@deskhand/core/errors'
import { Principal, type MethodName, type Trust } from '@deskhand/core/model'
import { listen, type Listener } from '@deskhand/core/platform'
import type { OperatorContext } from '../operator/methods.ts'
import { readArgs } from '../tools/read-args.ts'
import type { AgentSocket } from './agent-socket.ts'
import type { Authenticator } from './authenticator.ts'
import { Clients } from './clients.ts'
import { idle } from './idle.ts'
import { Lasting } from './lasting.ts'
import { servePictures } from './picture-stream.ts'
import { FRONT, SERVER } from './protocol.ts'
import { brokerApi, connectionMethods } from './methods.ts'
import { trustOf } from './trust.ts'
import { WatchedTerminals } from './watched-terminals.ts'

/** The first message of a connection says who the client is: by a token, or by a name, which counts where the socket lets its owner alone in. */
const Auth = z.union([z.strictObject({ token: z.string().max(200) }), z.strictObject({ as: z.string().regex(/^[\w-]{1,60}$/) })])
/** Who is at the other end of a socket without a token: a program of its owner, or an agent of the group behind the door. */
type Entrance = 'owner' | 'door'
/** What the HTTP server asks for one of its clients. */
const As = z.strictObject({ who: Principal, method: z.string(), params: z.unknown() })
/** What it refused before it could be asked for. */
const Refused = z.strictObject({ who: Principal, what: z.string().max(200), code: z.string(), message: z.string().max(2_000) })

/** What an operator did at the server itself. */
const Noted = z.strictObject({ who: Principal, what: z.string().max(200), detail: z.record(z.string(), z.unknown()) })

export interface BrokerOptions extends OperatorContext {
  /** Tells who a client is; the token files of the desktop when left out. */
  authenticator?: Authenticator
  /** Processes that agents must not act on; terminals in which operators answer come and go. */
  own: Set<number>
  /** Whether the programs of a sandbox are locked up. */
  isolated?: boolean
  /** Where agents of another user come in, and their group. */
  door?: { at: AgentSocket; gid: number }
}

/** Serves one session to clients on this machine. What lets a client in says how far its word counts for who it is; nothing else it claims does. */
export class Broker {
  readonly #options: BrokerOptions
  readonly #listeners: Listener[] = []
  readonly #clients = new Clients()
  readonly #lasting = new Lasting()
  readonly #pictures = new Set<Link>()
  readonly #api: ReturnType<typeof brokerApi>
  readonly #terminals: WatchedTerminals

  /** Resolves when an operator asked for the end. */
  readonly ended: Promise<void>

  static async start(options: BrokerOptions): Promise<Broker> {
    const broker = new Broker(options)
    const { place, session, door } = options
    try {
      await broker.#listen(place.socket, 0o600, 'owner')
      if (door !== undefined) {
        door.at.open(door.gid)
        await broker.#listen(door.at.socket, 0o660, 'door')
        door.at.give(door.at.socket, door.gid, 0o660)
      }
      const entrance = door && { dir: door.at.dir, gid: door.gid }
      const { level, why } = broker.#trust()
      place.setDoor(entrance && { ...entrance, trust: { level, why } })
      await session.served({ id: 'operator', role: 'operator' }, { trust: level, why, uid: process.getuid?.(), door: entrance })
      return broker
    } catch (thrown) {
      await broker.close()
      throw thrown
    }
  }

  private constructor(options: BrokerOptions) {
    this.#options = options
    let ended = (): void => {}
    this.ended = new Promise((resolve) => (ended = resolve))
    this.#api = brokerApi(
      options,
      () => this.#trust(),
      () => setImmediate(ended),
    )
    this.#terminals = new WatchedTerminals(options.own)
  }

  /** Serves a client at the other end of a stream, until either side closes it. */
  serve(stream: Duplex, entrance: Entrance): void {
    const link = new Link(stream, SERVER)
    const client = this.#clients.add(link, stream)
    const { session } = this.#options
    link.handle('auth', async (params) => {
      const said = readArgs('auth', Auth, params)
      const who = await this.#known(said, entrance)
      if (who !== undefined && (entrance === 'owner' || who.role !== 'operator')) {
        const known = this.#clients.know(client, who)
        if ('token' in said) this.#endWith(said.token, link)
        return known
      }
      const message =
        who !== undefined ? 'operators cannot sign in behind this door' : `this ${'token' in said ? 'token' : 'name'} is not known here`
      const claimed = { id: who?.id ?? 'unknown', role: 'agent' } as const
      // One guess per connection.
      setImmediate(() => void link.close())
      throw await session.reject('auth', claimed, new DeskhandError('UNAUTHORIZED', message))
    })
    const api = this.#api.with(connectionMethods(this.#options, link, this.#terminals))
    for (const name of api.names) {
      link.handle(name, (params, { signal }) => {
        if (client.who === undefined) throw new DeskhandError('UNAUTHORIZED', 'say who you are first, with auth')
        return api.invoke(name, params, { who: client.who, signal, channel: 'socket' })
      })
    }
  }

  /** Ends a connection when the token does not count any more that let it in. */
  #endWith(token: string, link: Link): void {
    const { place, authenticator = place.tokens } = this.#options
    const lost = async (): Promise<unknown> =>
      (await authenticator.principal(token)) === undefined
        ? new DeskhandError('UNAUTHORIZED', 'this token does not count any more')
        : undefined
    const forget = this.#lasting.add(lost, () => void link.close(), token)
    void link.closed.then(forget)
  }

  #known(said: z.infer<typeof Auth>, entrance: Entrance): Principal | undefined | Promise<Principal | undefined> {
    const { place, authenticator = place.tokens } = this.#options
    if ('token' in said) return authenticator.principal(said.token)
    if (entrance === 'owner') return place.tokens.local(said.as)
    return said.as === 'agent' ? { id: 'agent', role: 'agent' } : undefined
  }

  /** Serves the HTTP server at the other end of inherited streams that no other process holds: it has authenticated the principals for whom it asks. */
  serveFront(stream: Duplex, pictures: Duplex): Link {
    const link = new Link(stream, FRONT)
    this.#pictures.add(servePictures(pictures, this.#options.session))
    const api = this.#api.with(connectionMethods(this.#options, link, this.#terminals))
    link.handle('as', (asked, { signal }) => {
      const { who, method, params } = readArgs('as', As, asked)
      // A name that is not there is refused by `invoke`.
      return api.invoke(method as Extract<MethodName, (typeof api.names)[number]>, params, { who, signal, channel: 'http' })
    })
    link.handle('refused', async (told) => {
      const { who, what, code, message } = readArgs('refused', Refused, told)
      await this.#options.session.reject(what, who, DeskhandError.revive({ code, message }))
      return null
    })
    link.handle('noted', async (told) => {
      const { who, what, detail } = readArgs('noted', Noted, told)
      await this.#options.session.noted(what, who, detail)
      return null
    })
    return link
  }

  /** Resolves when no client was connected for so long. */
  idle(minutes: number): Promise<void> {
    return idle(() => this.#clients.connections, minutes)
  }

  async close(): Promise<void> {
    for (const listener of this.#listeners) listener.close()
    // A picture that goes on while its desktop is closed would look without end.
    await Promise.all([...this.#pictures].map((link) => link.close()))
    await this.#clients.close()
    this.#options.door?.at.close()
    this.#options.place.setDoor(undefined)
  }

  #trust(): Trust {
    const { session, isolated = false, door, policy } = this.#options
    return trustOf({ desktop: session.state.kind, isolated, door: door !== undefined, policy: policy() })
  }

  async #listen(endpoint: string, mode: number, entrance: Entrance): Promise<void> {
    this.#listeners.push(await listen(endpoint, mode, (socket) => this.serve(socket, entrance)))
  }
}
