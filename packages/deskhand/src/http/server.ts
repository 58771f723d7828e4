import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { WebSocketServer } from 'ws'
import { z } from 'zod'
import { DeskhandError } from '@deskhand/core/errors'
import { DesktopKind, type Principal } from '@deskhand/core/model'
import type { Authenticator } from '../broker/authenticator.ts'
import { Lasting } from '../broker/lasting.ts'
import { NAME } from '../defaults.ts'
import type { McpOptions } from '../mcp/server.ts'
import { describeTools, listedTools } from '../tools/listing.ts'
import { readArgs } from '../tools/read-args.ts'
import { PROMETHEUS_TYPE, prometheus } from '../telemetry/prometheus.ts'
import { VERSION } from '../version.ts'
import { Access, cookieOf, onlyThePicture, type Caller } from './access.ts'
import { addressOf, pathOf } from './addresses.ts'
import { mayWatch, serveDesktop, type During } from './api.ts'
import { Bodies } from './bodies.ts'
import { readJson, sendJson, sendProblem, sendText, toJson } from './body.ts'
import { Connections } from './connections.ts'
import type { ServedDesktop } from './desktop.ts'
import type { Desktops } from './desktops.ts'
import { sendEvents } from './events.ts'
import { Health, sendHealth, standing } from './health.ts'
import type { Log } from './log.ts'
import { whenOver } from './leaving.ts'
import { McpFace, type MakeMcp } from './mcp.ts'
import { namesOf } from './names.ts'
import { openApi } from './openapi.ts'
import { OwnerSocket } from './owner-socket.ts'
import { endSocket, showPicture } from './picture/socket.ts'
import { headersFor } from './page-headers.ts'
import { notTheirs, Refusal, statusOf } from './problem.ts'
import { Rates } from './rate.ts'
import { refuseBytes } from './refused-bytes.ts'
import { Sessions } from './sessions.ts'
import { serveFile } from './static-files.ts'
import { ignoreUpgrade, wantsWebSocket } from './upgrades.ts'

export interface ServerOptions {
  host: string
  port: number
  /** Where programs of the server's own user come in, as its operator. */
  owner?: string
  tls?: { cert: string | Buffer; key: string | Buffer }
  /** Further names under which clients reach it, as `host:port`. */
  hosts?: readonly string[]
  /** Pages of others that may show the picture to holders of a viewer's token. */
  origins?: readonly string[]
  tokens: Authenticator
  desktops: Desktops
  log: Log
  mcp: McpOptions
  /** Other tools than Deskhand's, for a suite that wants its own. */
  makeMcp?: MakeMcp
}

const Opening = z.strictObject({ code: z.string().max(100) })
const Bringing = z.strictObject({ name: z.string().regex(NAME), kind: DesktopKind, preset: z.string().max(40).optional() })
const STRANGER: Principal = { id: 'unknown', role: 'agent' }
/** What a stranger may send. */
const LARGEST_OPENING = 4 * 1_024
/** A frame of a WebSocket that a client sends is small: input, or nothing. */
const LARGEST_FRAME = 1 << 20
const MOST_KEPT = 1 << 16
const SWEEP_MS = 20
const LIMITS = {
  headersTimeout: 10_000,
  requestTimeout: 60_000,
  keepAliveTimeout: 10_000,
  connectionsCheckingInterval: 5_000,
  maxHeaderSize: 16 * 1024,
}

/** One address for agents, programs and people. Who asks is settled here; what they may do, in the table of methods. */
export class HttpServer {
  readonly #options: ServerOptions
  readonly #server: Server
  readonly #sessions = new Sessions()
  readonly #access: Access
  readonly #connections: Connections
  readonly #rates = new Rates()
  readonly #bodies = new Bodies()
  readonly #lasting = new Lasting()
  readonly #health: Health
  readonly #mcp: McpFace
  readonly #sockets = new WebSocketServer({
    noServer: true,
    maxPayload: LARGEST_FRAME,
    autoPong: false,
    handleProtocols: (offered) => chosen(offered),
  })
  readonly #take = (req: IncomingMessage, res: ServerResponse): void => void this.#handle(req, res)
  #owner: OwnerSocket | undefined
  /** A stranger may ask for it: making it for each would take longer than a call. */
  #document: string | undefined
  #url = ''

  static async start(options: ServerOptions): Promise<HttpServer> {
    const server = new HttpServer(options)
    await server.#listen()
    return server
  }

  private constructor(options: ServerOptions) {
    this.#options = options
    this.#server = options.tls === undefined ? createServer(LIMITS, this.#take) : createTlsServer({ ...LIMITS, ...options.tls }, this.#take)
    this.#server.on('upgrade', (req, socket, head) =>
      wantsWebSocket(req) ? void this.#upgrade(req, socket, head) : ignoreUpgrade(this.#server, req, socket, head),
    )
    this.#server.on('clientError', refuseBytes)
    this.#connections = new Connections(this.#server)
    this.#health = new Health(options.desktops, STRANGER)
    this.#mcp = new McpFace(options.mcp, options.makeMcp)
    this.#access = new Access({
      tokens: options.tokens,
      sessions: this.#sessions,
      hosts: () => this.#hosts,
      origins: () => this.#origins,
      embedders: new Set(options.origins),
      cookie: () => this.#cookie,
      isOwner: ({ socket }) => this.#owner?.has(socket) === true,
    })
  }

  /** Where it is reached, without a trailing slash. */
  get url(): string {
    return this.#url
  }

  get #port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  /** Browsers do not tell ports apart in cookies; two servers of one machine do. */
  get #cookie(): string {
    return `deskhand_${this.#port}`
  }

  #hosts: ReadonlySet<string> = new Set()
  #origins: ReadonlySet<string> = new Set()
  #headers: ReturnType<typeof headersFor> = []

  /** A link that opens the console signed in as operator, once. What is behind # is sent to no server and written into no log. */
  openingLink(): string {
    return `${this.#url}/open.html#${this.#sessions.issue()}`
  }

  /** Takes no more requests, and ends when those that wait were answered: by their desktops, which end meanwhile, or after a while. */
  async close(desktopsEnded: Promise<unknown> = Promise.resolve()): Promise<void> {
    const closed = new Promise((done) => this.#server.close(done))
    this.#owner?.close()
    for (const client of this.#sockets.clients) client.close(1001, 'the server ends')
    await desktopsEnded
    await this.#mcp.close()
    const sweep = setInterval(() => this.#server.closeIdleConnections(), SWEEP_MS)
    const timer = setTimeout(() => this.#server.closeAllConnections(), 2_000)
    await closed
    clearInterval(sweep)
    clearTimeout(timer)
    this.#owner?.end()
    for (const client of this.#sockets.clients) client.terminate()
  }

  async #listen(): Promise<void> {
    const { host, port, tls, owner, hosts = [] } = this.#options
    await new Promise<void>((done, fail) => {
      this.#server.once('error', fail)
      this.#server.listen(port, host, () => {
        this.#server.off('error', fail)
        // A connection that the system could not hand over, such as when no file is left to be opened, ends no server.
        this.#server.on('error', ({ message }) => this.#options.log.error(`a connection could not be taken: ${message}`))
        done()
      })
    })
    if (owner !== undefined) this.#owner = await OwnerSocket.open(owner, LIMITS, this.#take)
    const named = namesOf({ scheme: tls === undefined ? 'http' : 'https', host, port: this.#port, further: hosts })
    this.#url = named.url
    this.#hosts = named.hosts
    this.#origins = named.origins
    this.#headers = headersFor(named.hosts, tls !== undefined)
  }

  async #handle(req: IncomingMessage, res: ServerResponse): Promise<void> {
    for (const [name, value] of this.#headers) res.setHeader(name, value)
    const begun = performance.now()
    res.once('close', () =>
      this.#options.log.debug(() => `${req.method} ${pathOf(req)} ${res.statusCode} ${(performance.now() - begun).toFixed(1)} ms`),
    )
    try {
      this.#access.checkPlace(req)
      if (this.#access.isEmbedded(req)) throw onlyThePicture()
      await this.#route(req, res, this.#addressOf(req))
    } catch (thrown) {
      this.#refused(req, thrown)
      sendProblem(res, thrown)
    } finally {
      this.#bodies.end(req)
    }
  }

  #addressOf(req: IncomingMessage): URL {
    return addressOf(req, this.#url, (host) => this.#access.checkHost(host))
  }

  async #route(req: IncomingMessage, res: ServerResponse, url: URL): Promise<void> {
    const { pathname } = url
    if (pathname === '/healthz') return sendHealth(res, await this.#health.look())
    if (pathname === '/metrics') return this.#metrics(req, res)
    if (pathname === '/api/v1/openapi.json') return sendText(res, 200, (this.#document ??= toJson(openApi())))
    if (pathname === '/api/v1/session' && req.method === 'POST') return this.#open(req, res)
    const [, name, path] = /^\/api\/v1\/desktops\/([^/]+)(\/.*)?$/.exec(pathname) ?? []
    if (name !== undefined) {
      const { desktop, who } = await this.#enter(req, name)
      if (path === '/events')
        whenOver(
          res,
          this.#lasting.add(this.#lost(req, desktop), () => res.destroy()),
        )
      return serveDesktop(desktop, { req, res, path: path ?? '', query: url.searchParams, who, during: this.#during(req, desktop) })
    }
    if (pathname.startsWith('/api/')) return this.#own(req, res, pathname)
    const [isMcp, named] = /^(?:\/desktops\/([^/]+))?\/mcp$/.exec(pathname) ?? []
    if (isMcp !== undefined) return this.#serveMcp(req, res, url, named)
    if (serveFile(req, res, pathname)) return
    throw new Refusal(
      404,
      new DeskhandError('NOT_FOUND', `there is nothing at ${pathname}`, { next: 'GET /api/v1/openapi.json has every address.' }),
    )
  }

  /** A client of MCP has a token; a browser's cookie is no client's. */
  async #serveMcp(req: IncomingMessage, res: ServerResponse, url: URL, name: string | undefined): Promise<void> {
    const { who, desktops, by } = await this.#known(req)
    if (by === 'cookie') throw new Refusal(401, new DeskhandError('UNAUTHORIZED', 'MCP needs a token'))
    const meant = name === undefined ? desktops : desktops.filter((d) => d.name === name)
    const [desktop, ...more] = meant
    if (desktop === undefined) throw new DeskhandError('NO_DESKTOP', name === undefined ? 'no desktop is up' : 'no such desktop is up here')
    if (more.length > 0)
      throw new DeskhandError('BAD_ARGS', 'there are several desktops', {
        next: `Name one: ${meant.map((d) => `/desktops/${d.name}/mcp`).join(', ')}.`,
      })
    return this.#mcp.serve(req, res, url, desktop, who, this.#during(req, desktop))
  }

  /** What belongs to the server and not to one desktop. */
  async #own(req: IncomingMessage, res: ServerResponse, pathname: string): Promise<void> {
    const { who, whole, desktops } = await this.#known(req)
    switch (`${req.method} ${pathname}`) {
      case 'GET /api/v1/session':
        return sendJson(res, 200, { who, version: VERSION })
      case 'DELETE /api/v1/session':
        this.#sessions.end(cookieOf(req, this.#cookie) ?? '')
        return sendJson(res, 200, null, { 'set-cookie': `${this.#cookie}=; Max-Age=0; Path=/; HttpOnly; SameSite=Strict` })
      case 'POST /api/v1/links':
        mustOperate(who, whole)
        return sendJson(res, 200, { open: this.openingLink() })
      case 'GET /api/v1/tools':
        return sendJson(res, 200, describeTools('mcp', listedTools()))
      case 'GET /api/v1/desktops':
        return sendJson(res, 200, await Promise.all(desktops.map((desktop) => standing(desktop, who))))
      case 'POST /api/v1/desktops': {
        mustOperate(who, whole)
        const desktop = await this.#options.desktops.bring(readArgs('desktops', Bringing, await readJson(req)))
        return sendJson(res, 201, { name: desktop.name, ...(await desktop.invoke('info', {}, who)) })
      }
      default:
        throw new Refusal(
          404,
          new DeskhandError('NOT_FOUND', `there is nothing at ${req.method} ${pathname}`, {
            next: 'GET /api/v1/openapi.json has every address.',
          }),
        )
    }
  }

  /** A code of an opening link, exchanged for a cookie; a second try finds nothing. */
  async #open(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const { code } = readArgs('session', Opening, await readJson(req, LARGEST_OPENING))
    const opened = this.#sessions.exchange(code)
    if (opened === undefined)
      throw new Refusal(
        401,
        new DeskhandError('UNAUTHORIZED', 'this link was used already, or is too old', { next: 'Make a new one: deskhand up' }),
      )
    // Behind a proxy only the browser's own word tells how it came.
    const isSecure = this.#options.tls !== undefined || req.headers.origin?.startsWith('https://') === true
    const secure = isSecure ? '; Secure' : ''
    sendJson(
      res,
      200,
      { who: { id: 'operator', role: 'operator' }, csrf: opened.csrf },
      { 'set-cookie': `${this.#cookie}=${opened.cookie}; Path=/; HttpOnly; SameSite=Strict${secure}` },
    )
  }

  /** The counts of every desktop that the caller may watch. */
  async #metrics(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const { who, desktops } = await this.#known(req)
    mayWatch(who, 'counters')
    const counted = await Promise.all(desktops.map(async (d) => ({ name: d.name, counts: await d.invoke('counters', {}, who) })))
    res.writeHead(200, { 'content-type': PROMETHEUS_TYPE, 'cache-control': 'no-store' })
    res.end(prometheus(counted))
  }

  /** Finds a desktop and who asks; a stranger does not learn which desktops there are. */
  async #enter(req: IncomingMessage, name: string): Promise<{ desktop: ServedDesktop; who: Principal }> {
    const desktop = this.#options.desktops.find(name)
    const { who } = await this.#caller(req, desktop === undefined ? [] : [desktop.tokens])
    if (desktop === undefined) throw new DeskhandError('NO_DESKTOP', `no desktop ${JSON.stringify(name.slice(0, 40))} is up here`)
    return { desktop, who }
  }

  /** Who asks, where no desktop is named: with the tokens of a desktop they know of that one only. */
  async #known(req: IncomingMessage): Promise<Caller & { whole: boolean; desktops: ServedDesktop[] }> {
    const all = this.#options.desktops.all()
    const caller = await this.#caller(
      req,
      all.map((d) => d.tokens),
    )
    return { ...caller, whole: caller.at === undefined, desktops: all.filter((d) => caller.at === undefined || d.tokens === caller.at) }
  }

  async #caller(req: IncomingMessage, tokens: readonly Authenticator[]): Promise<Caller> {
    const caller = await this.#access.caller(req, tokens)
    // Every desktop has an agent of the same name, and a cookie alone the name of the operator: neither uses up what is the other's.
    const desktop = this.#options.desktops.all().find((d) => d.tokens === caller.at)
    const name = JSON.stringify([caller.who.role, caller.who.id, desktop?.name])
    this.#connections.know(req.socket, name, caller.who.role)
    this.#rates.take(name, caller.who.id)
    if (caller.who.role !== 'operator') this.#bodies.begin(req, name)
    if (this.#access.isEmbedded(req) && caller.who.role !== 'viewer') throw onlyThePicture()
    return caller
  }

  #lost(req: IncomingMessage, { tokens }: ServedDesktop): () => Promise<Refusal | undefined> {
    return () => this.#access.lost(req, [tokens])
  }

  #during(req: IncomingMessage, desktop: ServedDesktop): During {
    return (left, call) => this.#lasting.during(this.#lost(req, desktop), left, call)
  }

  async #upgrade(req: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    socket.on('error', () => {})
    try {
      this.#access.checkPlace(req)
      const url = this.#addressOf(req)
      const [, name = '', path] = /^\/(?:api\/v1\/)?desktops\/([^/]+)\/(events|vnc)$/.exec(url.pathname) ?? []
      if (path === undefined) throw new Refusal(404, new DeskhandError('NOT_FOUND', 'there is no WebSocket here'))
      if (path !== 'vnc' && this.#access.isEmbedded(req)) throw onlyThePicture()
      // A browser sends the cookie from any page of any site; its Origin tells which.
      if (req.headers.cookie !== undefined && req.headers.origin === undefined && req.headers.authorization === undefined)
        throw new Refusal(403, new DeskhandError('UNAUTHORIZED', 'a WebSocket with a cookie has to say where it comes from'))
      const { desktop, who } = await this.#enter(req, name)
      mayWatch(who, 'events.subscribe')
      this.#sockets.handleUpgrade(req, socket, head, (ws) => {
        ws.on('error', () => ws.terminate())
        ws.once(
          'close',
          this.#lasting.add(this.#lost(req, desktop), () => endSocket(ws, 1008, 'this token or sign-in does not count any more')),
        )
        // A client that pings and takes no answer would have them kept for it without end.
        ws.on('ping', (said) => ws.bufferedAmount < MOST_KEPT && ws.pong(said))
        if (path === 'vnc') showPicture(ws, desktop, who)
        else void sendEvents(ws, desktop, url.searchParams.get('after') ?? undefined)
      })
    } catch (thrown) {
      this.#refused(req, thrown)
      const status = thrown instanceof Refusal ? thrown.status : statusOf(DeskhandError.from(thrown).code)
      socket.end(`HTTP/1.1 ${status} Refused\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`)
    }
  }

  /** Refused for who it came from, not for what was asked: that is written down. */
  #refused(req: IncomingMessage, thrown: unknown): void {
    const error = thrown instanceof Refusal ? thrown.error : DeskhandError.from(thrown)
    if (error.code === 'INTERNAL') this.#options.log.error(`${req.method} ${pathOf(req)}: ${error.message}`, error.cause)
    if (!(thrown instanceof Refusal) || error.code !== 'UNAUTHORIZED') return
    const [, name = ''] = /\/desktops\/([^/?]+)/.exec(req.url ?? '') ?? []
    const { desktops } = this.#options
    const desktop = desktops.find(name) ?? desktops.all()[0]
    desktop?.refused(`http ${req.method} ${pathOf(req)}`.slice(0, 200), (thrown as Refusal).who ?? STRANGER, error)
    this.#options.log.info(`refused ${req.method} ${pathOf(req)}: ${error.message}`)
  }
}

/** A token that was offered as a protocol is not sent back. */
function chosen(offered: Set<string>): string | false {
  return [...offered].find((name) => name === 'binary' || name === 'deskhand.events') ?? false
}

function mustOperate(who: Principal, whole: boolean): void {
  if (who.role !== 'operator' || !whole) throw notTheirs(who, 'operators of the whole server')
}
