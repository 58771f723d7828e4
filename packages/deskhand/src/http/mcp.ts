import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ReadableStream } from 'node:stream/web'
import {
  createMcpHandler,
  SdkError,
  SdkErrorCode,
  type AuthInfo,
  type ClientCapabilities,
  type McpHttpHandler,
  type Server,
} from '@modelcontextprotocol/server'
import { DeskhandError } from '@deskhand/core/errors'
import type { Principal } from '@deskhand/core/model'
import { SHOWING, showsApps } from '../mcp/app.ts'
import type { Describe } from '../mcp/describe.ts'
import { mcpServer, type McpOptions, type OwnTasks } from '../mcp/server.ts'
import { Tasks } from '../mcp/tasks.ts'
import { refusal, type Desk } from '../sdk/desk.ts'
import type { During } from './api.ts'
import { readBody } from './body.ts'
import type { ServedDesktop } from './desktop.ts'
import { whenOver } from './leaving.ts'
import { McpExchange, plainCall } from './mcp-exchange.ts'
import { Refusal } from './problem.ts'

/** Makes the server for one request of this caller. */
export type MakeMcp = (desk: Desk, own: OwnTasks, options: Pick<McpOptions, 'describe' | 'declared'>) => Server

/** MCP over Streamable HTTP, in the 2026 and the 2025 revision, each request for itself: nothing relies on a session. */
export class McpFace {
  readonly #handler: McpHttpHandler
  readonly #make: (authInfo: AuthInfo | undefined) => Server
  readonly #exchanges = new Set<McpExchange>()
  readonly #tasks = new Tasks()
  /** Calls of clients of the 2025 revision that are under way: they cancel by another request, where those of 2026 hang up. */
  readonly #underWay = new Map<string, AbortController>()

  constructor(options: McpOptions, make: MakeMcp = (desk, own, more) => mcpServer(desk, own, { ...options, ...more })) {
    this.#make = (authInfo) => {
      const { desk = NOBODY, owner = '', ...more } = (authInfo?.extra ?? {}) as Partial<Extra>
      return make(desk, { tasks: this.#tasks, owner }, more)
    }
    this.#handler = createMcpHandler(({ authInfo }) => this.#make(authInfo), { legacy: 'stateless' })
  }

  async serve(req: IncomingMessage, res: ServerResponse, url: URL, desktop: ServedDesktop, who: Principal, during: During): Promise<void> {
    const body = req.method === 'POST' ? await readBody(req) : undefined
    const message = body && messageIn(body)
    const session = req.headers['mcp-session-id']
    const keyOf = (id: unknown): string => JSON.stringify([who.id, desktop.name, session, id])
    if (session !== undefined && message?.method === CANCELLED) this.#underWay.get(keyOf(message.params?.requestId))?.abort()
    // Nothing is kept for a session; its id tells the calls of two clients with one token apart, and whether they show pages.
    if (message?.method === 'initialize')
      res.setHeader('mcp-session-id', `${showsApps(message.params?.capabilities) ? SHOWS : ''}${randomUUID()}`)
    const end = new AbortController()
    const key = session === undefined || message?.id === undefined ? undefined : keyOf(message.id)
    if (key !== undefined) this.#underWay.set(key, end)
    whenOver(res, () => {
      if (!res.writableFinished) end.abort()
      if (key !== undefined && this.#underWay.get(key) === end) this.#underWay.delete(key)
    })
    const describe: Describe = url.search !== '' && url.searchParams.get('describe') === 'full' ? 'full' : 'short'
    const owner = JSON.stringify([who.id, desktop.name])
    const declared = typeof session === 'string' && session.startsWith(SHOWS) ? SHOWING : undefined
    const extra: Extra = { desk: deskOf(desktop, who, during), owner, describe, declared }
    const authInfo: AuthInfo = { token: '', clientId: who.id, scopes: [who.role], extra: { ...extra } }
    const plain = plainCall(req, message)
    if (plain !== undefined) return this.#call(res, plain, authInfo, end.signal)
    // A body that was read already is handed on as a value: what the handler would do with its bytes costs more than the call.
    const request = new Request(url, {
      method: req.method,
      headers: headersOf(req),
      body: message === undefined ? body : undefined,
      signal: end.signal,
    })
    await send(res, await this.#handler.fetch(request, { authInfo, parsedBody: message }))
  }

  async #call(res: ServerResponse, call: NonNullable<ReturnType<typeof plainCall>>, authInfo: AuthInfo, left: AbortSignal): Promise<void> {
    if (left.aborted) return
    const exchange = new McpExchange(call, (message) => sendText(res, JSON.stringify(message)))
    const server = this.#make(authInfo)
    await server.connect(exchange)
    this.#exchanges.add(exchange)
    left.addEventListener('abort', () => void exchange.close(), { once: true })
    try {
      const streamed = await Promise.race([exchange.answered, exchange.handleMessage(call.message, { authInfo })])
      if (streamed !== undefined) await send(res, streamed)
    } catch (thrown) {
      // Its client has left.
      if (!(thrown instanceof SdkError && thrown.code === SdkErrorCode.ConnectionClosed)) throw thrown
      if (!res.headersSent) res.destroy()
    } finally {
      this.#exchanges.delete(exchange)
    }
  }

  async close(): Promise<void> {
    this.#tasks.close()
    await Promise.all([...this.#exchanges].map((exchange) => exchange.close()))
    await this.#handler.close()
  }
}

const CANCELLED = 'notifications/cancelled'
/** How the session ids of clients begin that show pages. */
const SHOWS = 'app-'

interface Message {
  method?: string
  id?: unknown
  params?: { requestId?: unknown; capabilities?: ClientCapabilities }
}

/** What a request brings with it. */
interface Extra extends Pick<McpOptions, 'describe' | 'declared'> {
  desk: Desk
  owner: string
}

/** What a request says, as far as it is one message; the handler answers whatever is wrong with it. */
function messageIn(body: Buffer): Message | undefined {
  try {
    const value: unknown = JSON.parse(body.toString('utf8'))
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    return undefined
  }
}

/** A desktop as an MCP server has it. */
function deskOf(desktop: ServedDesktop, who: Principal, during: During): Desk {
  return {
    call: async (tool, args = {}, { signal: left, onProgress, ...options } = {}) => {
      try {
        return await during(left, (signal) => desktop.invoke('call', { tool, args, ...options }, who, { signal, onProgress }))
      } catch (thrown) {
        return refusal(thrown instanceof Refusal ? thrown.error : DeskhandError.from(thrown))
      }
    },
    relay: async (id, allow, reason) => void (await desktop.invoke('approvals.relay', { id, allow, reason }, who)),
    close: async () => {},
  }
}

const NOBODY: Desk = {
  call: async () => refusal(new DeskhandError('UNAUTHORIZED', 'nobody asks')),
  close: async () => {},
}

function headersOf({ headers }: IncomingMessage): Headers {
  const out = new Headers()
  for (const [name, value] of Object.entries(headers))
    if (typeof value === 'string' && name !== 'authorization' && name !== 'cookie') out.set(name, value)
  return out
}

function sendText(res: ServerResponse, text: string): void {
  const body = Buffer.from(text)
  res.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length }).end(body)
}

async function send(res: ServerResponse, answer: Response): Promise<void> {
  const headers = Object.fromEntries(answer.headers)
  if (answer.body === null) return void res.writeHead(answer.status, headers).end()
  if (headers['content-type']?.startsWith('application/json')) {
    const whole = Buffer.from(await answer.arrayBuffer())
    return void res.writeHead(answer.status, { ...headers, 'content-length': whole.length }).end(whole)
  }
  res.writeHead(answer.status, headers)
  // A client that leaves in the middle ends the stream, and is no error.
  await pipeline(Readable.fromWeb(answer.body as ReadableStream), res).catch(() => {})
}
