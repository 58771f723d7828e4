import { DeskhandError } from '@deskhand/core/errors'
import { VERSION } from '../version.ts'
import type { Channel, Message } from './channel.ts'
import { Rate } from './rate.ts'
import { CHANGED, CHANGES_CAPABILITY } from './tools.ts'

const REVISION = '2025-06-18'
/** Messages that no call asked for, in a second: more of them are a flood. */
const MOST_UNASKED = 100
/** Pages of the list of tools. */
const MOST_PAGES = 10

interface Flying {
  answer(message: Message): void
  fail(error: DeskhandError): void
}

interface CallOptions {
  deadlineMs: number
  signal?: AbortSignal
  meta?: Message
}

/** An MCP client for one server that is not trusted: what is no answer to a question of ours is counted, and too much of it ends the channel. */
export class McpClient {
  readonly #channel: Channel
  readonly #flying = new Map<number, Flying>()
  #lastId = 0
  #end: DeskhandError | undefined
  readonly #unasked = new Rate(1000, MOST_UNASKED, 'messages in a second that were not asked for')
  #notifies = false
  #wake = new AbortController()

  constructor(channel: Channel) {
    this.#channel = channel
    channel.listen((message) => this.#take(message))
    void channel.ended.then((why) => {
      this.#end = why
      for (const call of this.#flying.values()) call.fail(why)
      this.#flying.clear()
    })
  }

  /** Shakes hands, and gives the names of the server's tools. */
  async start(deadlineMs: number): Promise<ReadonlySet<string>> {
    const end = performance.now() + deadlineMs
    const left = (): number => Math.max(1, end - performance.now())
    const clientInfo = { name: 'deskhand', version: VERSION }
    const { capabilities } = await this.#request(
      'initialize',
      { protocolVersion: REVISION, capabilities: {}, clientInfo },
      { deadlineMs: left() },
    )
    const extra = isObject(capabilities) ? capabilities['experimental'] : undefined
    this.#notifies = isObject(extra) && isObject(extra[CHANGES_CAPABILITY])
    this.#channel.send({ jsonrpc: '2.0', method: 'notifications/initialized' })
    const names = new Set<string>()
    let cursor: unknown
    for (let page = 0; page < MOST_PAGES; page++) {
      const result = await this.#request('tools/list', cursor === undefined ? {} : { cursor }, { deadlineMs: left() })
      const { tools, nextCursor } = result
      if (!Array.isArray(tools)) throw nonsense('tools/list was answered without tools')
      for (const tool of tools) if (isObject(tool) && typeof tool['name'] === 'string') names.add(tool['name'])
      if (nextCursor === undefined) break
      cursor = nextCursor
    }
    return names
  }

  /** What a tool answers under `result`; its error, where it has one. */
  async call(name: string, args: unknown, { deadlineMs, signal, meta }: CallOptions): Promise<unknown> {
    const answer = await this.#request('tools/call', { name, arguments: args, ...(meta && { _meta: meta }) }, { deadlineMs, signal })
    const { structuredContent: told, isError } = answer
    if (isError === true) throw failureIn(told, answer['content'])
    if (!isObject(told) || !('result' in told)) throw nonsense(`${name} was answered without structuredContent.result`)
    return told['result']
  }

  /** Aborted when the server next says that something changed; undefined where it does not say so by itself. */
  get nextChange(): AbortSignal | undefined {
    return this.#notifies ? this.#wake.signal : undefined
  }

  close(why?: DeskhandError): Promise<void> {
    return this.#channel.close(why)
  }

  #request(method: string, params: Message, { deadlineMs, signal }: CallOptions): Promise<Message> {
    if (this.#end !== undefined) return Promise.reject(this.#end)
    if (signal?.aborted) return Promise.reject(cancelled(method))
    const id = ++this.#lastId
    return new Promise((resolve, reject) => {
      const settle = (): void => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', abort)
        this.#flying.delete(id)
      }
      const fail = (error: DeskhandError): void => {
        settle()
        reject(error)
      }
      const giveUp = (error: DeskhandError): void => {
        this.#channel.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id, reason: error.code } })
        fail(error)
      }
      const abort = (): void => giveUp(signal?.reason instanceof DeskhandError ? signal.reason : cancelled(method))
      const timer = setTimeout(
        () => giveUp(new DeskhandError('TIMEOUT', `${method} was not answered within ${Math.round(deadlineMs)} ms`)),
        deadlineMs,
      )
      signal?.addEventListener('abort', abort)
      const answer = (message: Message): void => {
        settle()
        if (isObject(message['result'])) return resolve(message['result'])
        const { error } = message
        const words =
          isObject(error) && typeof error['message'] === 'string' ? error['message'].slice(0, 500) : 'an answer without a result'
        reject(new DeskhandError('DRIVER_FAILED', `${method}: ${words}`))
      }
      this.#flying.set(id, { answer, fail })
      this.#channel.send({ jsonrpc: '2.0', id, method, params })
    })
  }

  #take(message: Message): void {
    const { id, method } = message
    if (method === undefined && typeof id === 'number' && id <= this.#lastId) {
      const call = this.#flying.get(id)
      if (call !== undefined) return call.answer(message)
    }
    this.#count()
    if (method === CHANGED) {
      this.#wake.abort()
      this.#wake = new AbortController()
    } else if (method === 'ping' && id !== undefined) this.#channel.send({ jsonrpc: '2.0', id, result: {} })
    else if (method !== undefined && id !== undefined)
      this.#channel.send({ jsonrpc: '2.0', id, error: { code: -32_601, message: 'a driver asks its client nothing' } })
  }

  /** Notifications, requests and answers to nothing. */
  #count(): void {
    const flood = this.#unasked.count(1)
    if (flood !== undefined) void this.close(flood)
  }
}

/** The error that a tool told, in its own code where it has one. */
function failureIn(told: unknown, content: unknown): DeskhandError {
  const error = isObject(told) ? told['error'] : undefined
  if (isObject(error) && typeof error['code'] === 'string' && typeof error['message'] === 'string') {
    const next = typeof error['next'] === 'string' ? error['next'] : undefined
    return DeskhandError.revive({ code: error['code'], message: error['message'].slice(0, 2000), next: next?.slice(0, 500) })
  }
  const [first] = Array.isArray(content) ? (content as unknown[]) : []
  const words = isObject(first) && typeof first['text'] === 'string' ? first['text'].slice(0, 500) : 'no reason'
  return new DeskhandError('DRIVER_FAILED', words)
}

export const nonsense = (what: string): DeskhandError => new DeskhandError('PROTOCOL', what)

const cancelled = (method: string): DeskhandError => new DeskhandError('CANCELLED', `${method} was cancelled`)

const isObject = (value: unknown): value is Message => typeof value === 'object' && value !== null && !Array.isArray(value)
