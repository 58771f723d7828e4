import type { IncomingMessage, Server } from 'node:http'
import { Server as TlsServer } from 'node:https'
import type { Duplex } from 'node:stream'

const ABOUT_IT = new Set(['connection', 'upgrade', 'http2-settings'])

export const wantsWebSocket = ({ headers }: IncomingMessage): boolean => headers.upgrade?.toLowerCase() === 'websocket'

/**
 * Serves a request whose client would rather speak another protocol, as those of Java and curl offer HTTP/2: the offer is ignored, as HTTP
 * has it. Node hands it over as if it had to be taken, so that the request comes in again without it.
 */
export function ignoreUpgrade(server: Server, req: IncomingMessage, socket: Duplex, head: Buffer): void {
  const lines = [`${req.method} ${req.url} HTTP/1.1`, 'Connection: close']
  for (let i = 0; i < req.rawHeaders.length; i += 2)
    if (!ABOUT_IT.has(req.rawHeaders[i]?.toLowerCase() ?? '')) lines.push(`${req.rawHeaders[i]}: ${req.rawHeaders[i + 1]}`)
  socket.unshift(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), head]))
  server.emit(server instanceof TlsServer ? 'secureConnection' : 'connection', socket)
}
