import { createServer, request, type RequestListener, type Server, type ServerOptions } from 'node:http'
import type { Socket } from 'node:net'
import { DeskhandError } from '@deskhand/core/errors'
import { listen, type Listener } from '@deskhand/core/platform'

/** The API at a socket that only the server's own user can open: what comes in there is the operator's, without a token. */
export class OwnerSocket {
  readonly #server: Server
  #listener: Listener | undefined
  readonly #sockets = new WeakSet<Socket>()

  static async open(endpoint: string, limits: ServerOptions, handle: RequestListener): Promise<OwnerSocket> {
    const own = new OwnerSocket(createServer(limits, handle))
    own.#listener = await listen(endpoint, 0o600, (socket) => {
      own.#sockets.add(socket)
      own.#server.emit('connection', socket)
    })
    return own
  }

  private constructor(server: Server) {
    this.#server = server
  }

  has(socket: Socket): boolean {
    return this.#sockets.has(socket)
  }

  /** Takes no more connections; those that are open go on until `end`. */
  close(): void {
    this.#listener?.close()
  }

  end(): void {
    this.#server.closeAllConnections()
  }
}

/** Asks a server for something as its operator. */
export function askAsOwner(endpoint: string, url: string, verb: string, path: string, body?: unknown): Promise<unknown> {
  return new Promise((done, fail) => {
    const headers = { host: new URL(url).host, 'content-type': 'application/json' }
    const req = request({ socketPath: endpoint, method: verb, path: `/api/v1${path}`, headers, agent: false }, (res) => {
      let text = ''
      res.setEncoding('utf8').on('data', (part: string) => (text += part))
      res.once('error', fail)
      res.once('end', () => {
        const answer = JSON.parse(text) as { code?: string; detail?: string; next?: string }
        if (res.statusCode !== undefined && res.statusCode < 300) return done(answer)
        const { code = 'INTERNAL', detail = `the server answered ${res.statusCode}`, next } = answer
        fail(DeskhandError.revive({ code, message: detail, next }))
      })
    })
    req.once('error', (cause) => fail(new DeskhandError('NO_BROKER', `no server answers on ${endpoint}`, { cause })))
    req.end(body === undefined ? undefined : JSON.stringify(body))
  })
}
