import { DeskhandError } from '../../errors.ts'
import { isObject, malformed, type Message } from './frame.ts'

/** A JSON-RPC 2.0 message. Ids are counted up from 1 by each side; a request says how many milliseconds its answer is awaited. */
export type Rpc =
  | { type: 'request'; id: number; method: string; params: unknown; deadlineMs: number }
  | { type: 'notification'; method: string; params: unknown }
  | { type: 'result'; id: number; result: unknown }
  | { type: 'error'; id: number; error: DeskhandError }

/** The longest deadline there is: what a Node timer can hold. */
export const MAX_DEADLINE_MS = 2 ** 31 - 1

export function toMessage(rpc: Rpc): Message {
  switch (rpc.type) {
    case 'request':
      return { jsonrpc: '2.0', id: rpc.id, method: rpc.method, params: rpc.params, deadlineMs: rpc.deadlineMs }
    case 'notification':
      return { jsonrpc: '2.0', method: rpc.method, params: rpc.params }
    case 'result':
      return { jsonrpc: '2.0', id: rpc.id, result: rpc.result ?? null }
    case 'error':
      return { jsonrpc: '2.0', id: rpc.id, error: { code: SERVER_ERROR, message: rpc.error.message, data: rpc.error.toJSON() } }
    default:
      return rpc satisfies never
  }
}

/** Reads one message; what is no JSON-RPC throws PROTOCOL. */
export function fromMessage(message: Message): Rpc {
  const { jsonrpc, id, method, params } = message
  if (jsonrpc !== '2.0') throw malformed('a message that is not JSON-RPC 2.0')
  if (typeof method === 'string') {
    if (id === undefined) return { type: 'notification', method, params }
    return { type: 'request', id: readId(id), method, params, deadlineMs: readDeadline(message['deadlineMs']) }
  }
  if (method !== undefined) throw malformed('a method that is no string')
  if ('result' in message) return { type: 'result', id: readId(id), result: message['result'] }
  if (isObject(message['error'])) return { type: 'error', id: readId(id), error: readError(message['error']) }
  throw malformed('a message that is neither call nor answer')
}

const SERVER_ERROR = -32000

/** Rebuilds what crossed as the body of an error; a body without our code becomes INTERNAL. */
export function readError(error: Record<string, unknown>): DeskhandError {
  const { code, message, next, details } = isObject(error['data']) ? error['data'] : error
  if (typeof code === 'string' && typeof message === 'string' && (next === undefined || typeof next === 'string'))
    return DeskhandError.revive({ code, message, next, details })
  const told = error['message']
  return new DeskhandError('INTERNAL', typeof told === 'string' ? told : 'The other side sent an error without a message.')
}

function readId(id: unknown): number {
  if (typeof id !== 'number' || !Number.isSafeInteger(id) || id < 1) throw malformed('an id that is no positive number')
  return id
}

function readDeadline(deadlineMs: unknown): number {
  if (typeof deadlineMs !== 'number' || !(deadlineMs > 0)) throw malformed('a request without a deadline')
  return Math.min(deadlineMs, MAX_DEADLINE_MS)
}
