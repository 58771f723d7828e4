import type { IncomingMessage } from 'node:http'
import { DeskhandError } from '@deskhand/core/errors'
import type { Principal } from '@deskhand/core/model'
import type { Authenticator } from '../broker/authenticator.ts'
import { isSame, type Sessions } from './sessions.ts'
import { Refusal } from './problem.ts'

/** A WebSocket of a browser cannot send headers: it offers the token, or the word beside its cookie, as a protocol of this name. */
const TOKEN_PROTOCOL = 'deskhand.token.'
const WORD_PROTOCOL = 'deskhand.word.'
/** So long a token that was found good is not looked up again; one that was taken away is refused after that. */
const REMEMBER_MS = 1_000
const MOST_REMEMBERED = 1_000
const OPERATOR: Principal = { id: 'operator', role: 'operator' }
/** Browsers send a cookie to every port of a host: another server of this machine may have been sent it, and only looks with it. */
const COOKIE_ALONE: Principal = { id: 'operator', role: 'viewer' }

export interface AccessOptions {
  /** Tokens of the server itself: they count for every desktop. */
  tokens: Authenticator
  sessions: Sessions
  /** `host:port` as clients may name this server; undefined entries of a request are refused. */
  hosts(): ReadonlySet<string>
  /** Where its own pages come from. */
  origins(): ReadonlySet<string>
  /** Pages of others that may show the picture to holders of a viewer's token. */
  embedders: ReadonlySet<string>
  cookie(): string
  /** Whether a request came by the socket of the server's own user. */
  isOwner(req: IncomingMessage): boolean
}

export interface Caller {
  who: Principal
  by: 'token' | 'cookie' | 'socket'
  /** Whose tokens know them; undefined for those of the server itself. */
  at?: Authenticator
}

/** Says who sends a request. What a client says of itself beside its token, its cookie or the way it came by does not count. */
export class Access {
  readonly #on: AccessOptions
  /** By token, which tells whose tokens know it. */
  readonly #known = new Map<string, Holder & { until: number }>()

  constructor(options: AccessOptions) {
    this.#on = options
  }

  /** Refuses requests under another name (DNS rebinding) and from pages of others. */
  checkPlace(req: IncomingMessage): void {
    const { origins, embedders } = this.#on
    const { host = '', origin } = req.headers
    this.checkHost(host)
    if (origin !== undefined && !origins().has(origin) && !embedders.has(origin))
      throw new Refusal(
        403,
        new DeskhandError('UNAUTHORIZED', `pages of ${origin.slice(0, 200)} have no business here`, { next: NEXT_ORIGIN }),
      )
  }

  /** Refuses a name that is not the server's. */
  checkHost(host: string): void {
    if (this.#on.hosts().has(host.toLowerCase())) return
    throw new Refusal(
      421,
      new DeskhandError('UNAUTHORIZED', `this server is not ${JSON.stringify(host.slice(0, 200))}`, { next: NEXT_HOST }),
    )
  }

  /** Whether a page of others sends it, which the configuration allows to show the picture. */
  isEmbedded({ headers: { origin } }: IncomingMessage): boolean {
    return origin !== undefined && !this.#on.origins().has(origin)
  }

  /** Tokens of the server itself come first, then those of these desktops. */
  async caller(req: IncomingMessage, desktops: readonly Authenticator[]): Promise<Caller> {
    const token = tokenOf(req)
    if (token !== undefined) {
      const found = this.#remembered(token, desktops) ?? (await this.#found(token, desktops))
      if (found === undefined) throw unknown('this token is not known here')
      return { ...found, by: 'token' }
    }
    if (this.#on.isOwner(req)) return { who: OPERATOR, by: 'socket' }
    if (this.isEmbedded(req)) throw unknown('a page of another server needs a token')
    const session = this.#on.sessions.find(cookieOf(req, this.#on.cookie()) ?? '')
    if (session === undefined) throw unknown('say who you are: with a token, or open the link that deskhand up printed')
    const hasWord = isSame(wordOf(req), session.csrf)
    if (req.method !== 'GET' && req.method !== 'HEAD' && !hasWord)
      throw new Refusal(403, new DeskhandError('UNAUTHORIZED', 'a cookie alone changes nothing', { next: NEXT_WORD }))
    const site = req.headers['sec-fetch-site']
    if (site !== undefined && site !== 'same-origin' && site !== 'none')
      throw new Refusal(403, new DeskhandError('UNAUTHORIZED', 'this request comes from another site'))
    return { who: hasWord ? OPERATOR : COOKIE_ALONE, by: 'cookie' }
  }

  /** Why a request that was let in would be refused by now; undefined where it would not. */
  async lost(req: IncomingMessage, desktops: readonly Authenticator[]): Promise<Refusal | undefined> {
    try {
      await this.caller(req, desktops)
      return undefined
    } catch (thrown) {
      if (thrown instanceof Refusal) return thrown
      throw thrown
    }
  }

  #remembered(token: string, desktops: readonly Authenticator[]): Holder | undefined {
    const known = this.#known.get(token)
    if (known === undefined || known.until <= performance.now()) return undefined
    return known.at === undefined || desktops.includes(known.at) ? known : undefined
  }

  async #found(token: string, desktops: readonly Authenticator[]): Promise<Holder | undefined> {
    this.#known.delete(token)
    for (const at of [undefined, ...desktops]) {
      const who = await (at ?? this.#on.tokens).principal(token)
      if (who === undefined) continue
      if (this.#known.size >= MOST_REMEMBERED) this.#known.clear()
      this.#known.set(token, { who, at, until: performance.now() + REMEMBER_MS })
      return { who, at }
    }
    return undefined
  }
}

type Holder = Pick<Caller, 'who' | 'at'>

export function cookieOf(req: IncomingMessage, name: string): string | undefined {
  for (const part of (req.headers.cookie ?? '').split(';')) {
    const at = part.indexOf('=')
    if (part.slice(0, at).trim() === name) return part.slice(at + 1).trim()
  }
  return undefined
}

function tokenOf(req: IncomingMessage): string | undefined {
  const [, bearer] = /^Bearer +([\w.~+/=-]{1,200})$/i.exec(req.headers.authorization ?? '') ?? []
  if (bearer !== undefined) return bearer
  if (req.headers.authorization !== undefined) throw unknown('only Bearer tokens are known here')
  return offeredIn(req, TOKEN_PROTOCOL)
}

/** What only the page has that exchanged the opening code: a page keeps it for its own origin, which no other port shares. */
const wordOf = (req: IncomingMessage): string => String(req.headers['x-deskhand-csrf'] ?? offeredIn(req, WORD_PROTOCOL) ?? '')

function offeredIn(req: IncomingMessage, name: string): string | undefined {
  const offered = (req.headers['sec-websocket-protocol'] ?? '').split(',').map((p) => p.trim())
  return offered.find((p) => p.startsWith(name))?.slice(name.length)
}

const NEXT_HOST = 'Use the address that deskhand up printed, or name this host under [server] hosts in deskhand.toml.'
const NEXT_WORD = 'Send what POST /api/v1/session answered as x-deskhand-csrf, or open a new link: deskhand up'
const NEXT_ORIGIN = 'Name it under [server] origins in deskhand.toml, if it may show the picture.'

const unknown = (message: string): Refusal =>
  new Refusal(401, new DeskhandError('UNAUTHORIZED', message), { 'www-authenticate': 'Bearer realm="deskhand"' })

export const onlyThePicture = (): Refusal =>
  new Refusal(
    403,
    new DeskhandError('UNAUTHORIZED', 'a page of another server shows the picture with a viewer’s token, and does nothing else'),
  )
