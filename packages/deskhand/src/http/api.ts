import type { IncomingMessage, ServerResponse } from 'node:http'
import { z } from 'zod'
import { DeskhandError } from '@deskhand/core/errors'
import { METHODS, type MethodName, type Principal, type Result } from '@deskhand/core/model'
import { traceparentOf } from '../telemetry/traceparent.ts'
import { readArgs } from '../tools/read-args.ts'
import { sendJson, sendProblem, readJson, toJson } from './body.ts'
import type { ServedDesktop } from './desktop.ts'
import { streamEvents } from './events.ts'
import { whenOver } from './leaving.ts'
import { queryParams } from './params.ts'
import { notTheirs, PROBLEM, problemOf, Refusal, statusOf } from './problem.ts'
import { findRoute, type Route } from './routes.ts'

export interface Asked {
  req: IncomingMessage
  res: ServerResponse
  /** The address below the desktop's. */
  path: string
  query: URLSearchParams
  who: Principal
  during: During
}

/** Makes a call, and ends it when its caller has left or may not make it any more. */
export type During = <T>(left: AbortSignal | undefined, call: (signal: AbortSignal) => Promise<T>) => Promise<T>

/** Answers a request to one desktop: a row of the table of methods, its feed, or its picture. */
export async function serveDesktop(desktop: ServedDesktop, asked: Asked): Promise<void> {
  const { req, res, path, query, who } = asked
  if (req.method === 'GET' && path === '/events') {
    mayWatch(who, 'events.subscribe')
    const last = req.headers['last-event-id']
    return streamEvents(req, res, desktop, typeof last === 'string' ? last : (query.get('after') ?? undefined))
  }
  if (req.method === 'GET' && path === '/picture') return picture(desktop, asked)
  if (req.method === 'GET' && path === '/picture/status') {
    mayWatch(who, 'events.subscribe')
    return sendJson(res, 200, { ...desktop.screen.status, port: desktop.vncPort.status })
  }
  if (path === '/picture/port' && (req.method === 'POST' || req.method === 'DELETE')) return vncPort(desktop, asked)
  const found = findRoute(req.method ?? '', path)
  if (found === undefined)
    throw new Refusal(
      404,
      new DeskhandError('NOT_FOUND', `there is nothing at ${path}`, { next: 'GET /api/v1/openapi.json has every address.' }),
    )
  if ('allowed' in found)
    throw new Refusal(405, new DeskhandError('BAD_ARGS', `${path} takes ${found.allowed.join(' and ')}`), {
      allow: found.allowed.join(', '),
    })
  const { route, names } = found
  const given = route.verb === 'POST' ? await readJson(req) : queryParams(route.method, query)
  // What the address states cannot be said otherwise in the query or the body.
  const params = { ...given, ...tracing(req, route), ...decoded(names), ...route.fixed }
  const result = await asked.during(endOf(asked, route, params), (signal) => desktop.invoke(route.method, params, who, { signal }))
  if (route.bytes !== undefined) return sendBytes(res, route.bytes, result)
  if (route.method === 'call' || route.method === 'operations.result' || route.method === 'replay') return sendResult(res, result as Result)
  sendJson(res, 200, result)
}

/** The trace that a client names in the usual header. */
function tracing({ headers }: IncomingMessage, { method }: Route): object {
  const traceparent = method === 'call' ? traceparentOf(headers['traceparent']) : undefined
  return traceparent === undefined ? {} : { trace: { traceparent } }
}

/** Refuses those whose role the table does not name, for what does not pass through a handler of it. */
export function mayWatch(who: Principal, method: MethodName): void {
  const roles: readonly string[] = METHODS[method].roles
  if (!roles.includes(who.role)) throw notTheirs(who, roles.join(' and '))
}

/** A call ends with its connection, but for one with a callId: its caller may come back for the outcome. */
function endOf({ res }: Asked, { method }: Route, params: Record<string, unknown>): AbortSignal | undefined {
  return method === 'call' && params['callId'] !== undefined ? undefined : leaving(res)
}

/** Aborted when the client leaves before it has its answer. */
function leaving(res: ServerResponse): AbortSignal {
  const end = new AbortController()
  whenOver(res, () => res.writableFinished || end.abort())
  return end.signal
}

function decoded(names: Record<string, string>): Record<string, string> {
  try {
    return Object.fromEntries(Object.entries(names).map(([name, value]) => [name, decodeURIComponent(value)]))
  } catch (cause) {
    throw new DeskhandError('BAD_ARGS', 'the address is not well-formed', { cause })
  }
}

async function picture(desktop: ServedDesktop, { res, who }: Asked): Promise<void> {
  const result = await desktop.invoke('call', { tool: 'input.capture', args: { format: 'png' } }, who, { signal: leaving(res) })
  const [image] = result.images ?? []
  if (image === undefined) return sendResult(res, result)
  res.writeHead(200, { 'content-type': image.mimeType, 'content-length': image.data.length, 'cache-control': 'no-store' })
  res.end(image.data)
}

const Opening = z.strictObject({
  minutes: z
    .number()
    .positive()
    .max(24 * 60)
    .default(15),
})

/** Opens the picture to VNC clients of this machine for a time, or closes it; both are written down first. */
async function vncPort(desktop: ServedDesktop, { req, res, who }: Asked): Promise<void> {
  mayWatch(who, 'takeover')
  if (req.method === 'DELETE') {
    desktop.vncPort.close()
    await desktop.noted('picture.close', who, {})
    return sendJson(res, 200, null)
  }
  const { minutes } = readArgs('picture/port', Opening, await readJson(req))
  await desktop.noted('picture.open', who, { minutes })
  sendJson(res, 201, await desktop.vncPort.open(minutes))
}

function sendBytes(res: ServerResponse, { field, type }: { field: string; type: string }, result: unknown): void {
  const bytes = (result as Record<string, Uint8Array | undefined>)[field]
  if (bytes === undefined)
    return sendProblem(
      res,
      new Refusal(404, new DeskhandError('NOT_FOUND', 'there is nothing to show', { next: 'It may not be shown, or was not kept.' })),
    )
  const isPicture = PNG.every((byte, i) => bytes[i] === byte)
  res.writeHead(200, { 'content-type': isPicture ? 'image/png' : type, 'content-length': bytes.length, 'cache-control': 'no-store' })
  res.end(bytes)
}

/** What every PNG file begins with. */
const PNG = [0x89, 0x50, 0x4e, 0x47]

/** The record of a call; one that failed is a problem with the record in it, and one that still waits says so. */
function sendResult(res: ServerResponse, result: Result): void {
  if (result.error === undefined) return sendJson(res, 200, result)
  const status = statusOf(result.error.code as DeskhandError['code'])
  if (status === 202) return sendJson(res, 202, result)
  const body = Buffer.from(toJson({ ...problemOf(DeskhandError.revive(result.error), status), result }))
  res.writeHead(status, { 'content-type': PROBLEM, 'cache-control': 'no-store', 'content-length': body.length })
  res.end(body)
}
