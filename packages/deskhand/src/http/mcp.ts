import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'
import { createMcpHandler, type McpHttpHandler, type Server } from '@modelcontextprotocol/server'
import { DeskhandError } from '@deskhand/core/errors'
import type { Principal } from '@deskhand/core/model'
import { mcpServer, type McpOptions } from '../mcp/server.ts'
import { refusal, type Desk } from '../sdk/desk.ts'
import { readBody } from './body.ts'
import type { ServedDesktop } from './desktop.ts'

/** Makes the server for one request of this caller. */
export type MakeMcp = (desk: Desk) => Server

/** MCP over Streamable HTTP, in the 2026 and the 2025 revision, each request for itself: nothing relies on a session. */
export class McpFace {
  readonly #handler: McpHttpHandler

  constructor(options: McpOptions, make: MakeMcp = (desk) => mcpServer(desk, options)) {
    this.#handler = createMcpHandler(({ authInfo }) => make((authInfo?.extra?.['desk'] as Desk | undefined) ?? NOBODY), {
      legacy: 'stateless',
    })
  }

  async serve(req: IncomingMessage, res: ServerResponse, url: URL, desktop: ServedDesktop, who: Principal): Promise<void> {
    const body = req.method === 'POST' ? await readBody(req) : undefined
    const end = new AbortController()
    res.once('close', () => end.abort())
    const request = new Request(url, { method: req.method, headers: headersOf(req), body, signal: end.signal })
    const authInfo = { token: '', clientId: who.id, scopes: [who.role], extra: { desk: deskOf(desktop, who) } }
    await send(res, await this.#handler.fetch(request, { authInfo }))
  }

  async close(): Promise<void> {
    await this.#handler.close()
  }
}

/** A desktop as an MCP server has it. */
function deskOf(desktop: ServedDesktop, who: Principal): Desk {
  return {
    call: async (tool, args = {}, { signal, onProgress, ...options } = {}) => {
      try {
        return await desktop.invoke('call', { tool, args, ...options }, who, { signal, onProgress })
      } catch (thrown) {
        return refusal(DeskhandError.from(thrown))
      }
    },
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

async function send(res: ServerResponse, answer: Response): Promise<void> {
  res.writeHead(answer.status, Object.fromEntries(answer.headers))
  if (answer.body === null) return void res.end()
  const body = Readable.fromWeb(answer.body as ReadableStream)
  await new Promise<void>((done) => {
    body.on('error', () => res.destroy())
    res.once('close', () => {
      body.destroy()
      done()
    })
    body.pipe(res)
  })
}
