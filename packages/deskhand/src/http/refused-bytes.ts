import { STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { DeskhandError } from '@deskhand/core/errors'
import { toJson } from './body.ts'
import { PROBLEM, problemOf } from './problem.ts'

/** What was sent is no request, or none that ends: its client is told so, as far as it still listens, and let go. */
export function refuseBytes(error: NodeJS.ErrnoException, socket: Duplex & { _httpMessage?: { headersSent: boolean } }): void {
  // In the middle of an answer more bytes would be taken for a part of it.
  if (!socket.writable || socket._httpMessage?.headersSent === true) return void socket.destroy()
  const [status, message] = REFUSALS.get(error.code ?? '') ?? [400, 'what was sent is no request of HTTP']
  const body = toJson(problemOf(new DeskhandError('BAD_ARGS', message), status))
  const head = [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, 'Connection: close', `Content-Type: ${PROBLEM}`]
  socket.end(`${head.join('\r\n')}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`, () => socket.destroy())
  // One that takes no answer is let go, too.
  setTimeout(() => socket.destroy(), TAKE_MS).unref()
}

/** So long a client has to take the answer. */
const TAKE_MS = 2_000

const REFUSALS: ReadonlyMap<string, readonly [status: number, message: string]> = new Map([
  ['HPE_HEADER_OVERFLOW', [431, 'the head of the request is larger than 16 KiB']],
  ['ERR_HTTP_REQUEST_TIMEOUT', [408, 'the request did not end in time']],
])
