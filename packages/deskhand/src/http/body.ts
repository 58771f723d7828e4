import type { IncomingMessage, ServerResponse } from 'node:http'
import { DeskhandError } from '@deskhand/core/errors'
import { count } from './bodies.ts'
import { PROBLEM, problemOf, Refusal } from './problem.ts'

const LARGEST = 4 * 2 ** 20

/** The bytes of a request, bounded. */
export async function readBody(req: IncomingMessage, largest = LARGEST): Promise<Buffer> {
  if (Number(req.headers['content-length'] ?? 0) > largest) throw tooLarge(largest)
  const parts: Buffer[] = []
  let size = 0
  // A request that was destroyed for its size would never hear why.
  try {
    for await (const part of req.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      size += part.length
      count(req, part.length)
      if (size > largest) throw tooLarge(largest)
      parts.push(part)
    }
  } catch (thrown) {
    // One that sends all of it before it reads hears it, too; the rest is read and thrown away for as long as a request may take.
    req.resume()
    throw thrown
  }
  return Buffer.concat(parts)
}

/** A JSON object; nothing at all is an empty one. */
export async function readJson(req: IncomingMessage, largest = LARGEST): Promise<Record<string, unknown>> {
  const bytes = await readBody(req, largest)
  if (bytes.length === 0) return {}
  const type = req.headers['content-type'] ?? ''
  if (!/^application\/json\b/i.test(type))
    throw new Refusal(
      415,
      new DeskhandError('BAD_ARGS', `a body of ${JSON.stringify(type.slice(0, 100))} is not read here`, { next: 'Send application/json.' }),
    )
  let value: unknown
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch (cause) {
    throw new DeskhandError('BAD_ARGS', 'the body is no JSON', { cause, next: 'Send one JSON object.' })
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new DeskhandError('BAD_ARGS', 'the body is no JSON object', { next: 'Send one JSON object.' })
  return value as Record<string, unknown>
}

export const sendJson = (res: ServerResponse, status: number, value: unknown, headers: Record<string, string> = {}): void =>
  sendText(res, status, toJson(value), headers)

/** JSON that was made before. */
export function sendText(res: ServerResponse, status: number, text: string, headers: Record<string, string> = {}): void {
  const body = Buffer.from(text)
  res.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store', 'content-length': body.length, ...headers })
  res.end(body)
}

/** Says what went wrong, in the shape of RFC 9457. */
export function sendProblem(res: ServerResponse, thrown: unknown): void {
  if (res.headersSent) return void res.destroy()
  const { status, error, headers } =
    thrown instanceof Refusal ? thrown : { status: undefined, error: DeskhandError.from(thrown), headers: {} }
  const problem = problemOf(error, status)
  const body = Buffer.from(toJson(problem))
  res.writeHead(Number(problem['status']), {
    'content-type': PROBLEM,
    'cache-control': 'no-store',
    'content-length': body.length,
    ...headers,
  })
  res.end(body)
}

/** Pictures travel as base64. A Buffer would otherwise have become an object of numbers before it is asked about. */
export const toJson = (value: unknown): string =>
  JSON.stringify(value, function (this: Record<string, unknown>, key, part: unknown) {
    const own = this[key]
    return own instanceof Uint8Array ? Buffer.from(own.buffer, own.byteOffset, own.length).toString('base64') : part
  })

const tooLarge = (largest: number): Refusal =>
  new Refusal(413, new DeskhandError('BAD_ARGS', `the body is larger than ${largest} bytes`, { next: 'Send less in one request.' }))
