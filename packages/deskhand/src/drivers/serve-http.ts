import { createHash, randomUUID, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ReadableStream } from 'node:stream/web'
import { createMcpHandler } from '@modelcontextprotocol/server'
import type { Driver } from '@deskhand/core/driver'
import { readBody } from '../http/body.ts'
import { driverServer } from './serve.ts'

/** A client with no request under way, and none for so long, is gone. */
const GONE_MS = 5000
const LOOK_MS = 250

export interface ServedHttp {
  url: string
  close(): Promise<void>
}

/** A driver at an address of the loopback, for one client that holds the token. When it is gone, everything held is released. */
export async function serveDriverHttp(driver: Driver, token: string, port: number): Promise<ServedHttp> {
  const handler = createMcpHandler(() => driverServer(driver), { legacy: 'stateless' })
  const client = new OneClient(driver)
  const server = createServer((req, res) => {
    void answer(req, res).catch(() => (res.headersSent ? res.destroy() : res.writeHead(400).end()))
  })
  const answer = async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    if (req.headers.origin !== undefined || !isToken(req.headers.authorization, token)) return void res.writeHead(401).end()
    const session = req.headers['mcp-session-id']
    if (req.method === 'DELETE') return void res.writeHead((await client.leave(session)) ? 204 : 404).end()
    if (req.method !== 'POST') return void res.writeHead(405).end()
    const body = await readBody(req)
    if (session === undefined && isHello(body)) {
      const id = client.enter()
      if (id === undefined) return void res.writeHead(409).end('another client is being served')
      res.setHeader('mcp-session-id', id)
    } else if (!client.is(session)) return void res.writeHead(404).end()
    const end = new AbortController()
    res.once('close', () => end.abort())
    await client.during(async () => {
      const headers = new Headers()
      for (const [name, value] of Object.entries(req.headers))
        if (typeof value === 'string' && name !== 'authorization') headers.set(name, value)
      const told = await handler.fetch(new Request('http://driver/', { method: 'POST', headers, body, signal: end.signal }))
      res.writeHead(told.status, Object.fromEntries(told.headers))
      if (told.body === null) return void res.end()
      await pipeline(Readable.fromWeb(told.body as ReadableStream), res).catch(() => {})
    })
  }
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, '127.0.0.1', resolve))
  const { port: bound } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${bound}/`,
    close: async () => {
      client.end()
      await closed(server)
      await handler.close()
    },
  }
}

/** Who is served. A client is told from others by the session that its first request opens. */
class OneClient {
  readonly #driver: Driver
  readonly #watch: NodeJS.Timeout
  #session: string | undefined
  #open = 0
  #lastAt = 0
  #leaving: Promise<void> | undefined

  constructor(driver: Driver) {
    this.#driver = driver
    this.#watch = setInterval(() => {
      if (this.#session !== undefined && this.#open === 0 && performance.now() - this.#lastAt > GONE_MS) void this.leave(this.#session)
    }, LOOK_MS).unref()
  }

  enter(): string | undefined {
    if (this.#session !== undefined || this.#leaving !== undefined) return undefined
    this.#lastAt = performance.now()
    return (this.#session = randomUUID())
  }

  is(session: unknown): boolean {
    return session !== undefined && session === this.#session
  }

  async during(run: () => Promise<void>): Promise<void> {
    this.#open++
    try {
      await run()
    } finally {
      this.#open--
      this.#lastAt = performance.now()
    }
  }

  /** The next client enters when everything is released. */
  async leave(session: unknown): Promise<boolean> {
    if (!this.is(session)) return false
    this.#session = undefined
    this.#leaving = this.#driver.act.stop().catch(() => {})
    await this.#leaving
    this.#leaving = undefined
    return true
  }

  end(): void {
    clearInterval(this.#watch)
  }
}

function isHello(body: Buffer): boolean {
  const message: unknown = JSON.parse(body.toString('utf8'))
  return typeof message === 'object' && message !== null && 'method' in message && message.method === 'initialize'
}

function isToken(header: string | undefined, token: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(header ?? ''), digest(`Bearer ${token}`))
}

async function closed(server: Server): Promise<void> {
  const done = new Promise((resolve) => server.close(resolve))
  server.closeAllConnections()
  await done
}
