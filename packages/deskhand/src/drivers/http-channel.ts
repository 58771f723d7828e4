import { DeskhandError } from '@deskhand/core/errors'
import { byteRate, type Channel, LONGEST_MESSAGE, type Message } from './channel.ts'
import { EventData } from './event-data.ts'
import type { Rate } from './rate.ts'

export interface HttpOptions {
  url: string
  token?: string
  /** The longest answer that is taken. */
  maxBytes?: number
  /** How much it may send in a second. */
  maxRate?: number
}

/** A server takes a client that says nothing for longer for gone, and releases what it holds. */
const ALIVE_MS = 2000
const CLOSE_MS = 1000

/** An MCP server at an address, over Streamable HTTP: a request per message. */
export class HttpChannel implements Channel {
  readonly ended: Promise<DeskhandError>
  readonly #options: HttpOptions
  readonly #open = new Map<unknown, AbortController>()
  readonly #rate: Rate
  readonly #alive: NodeJS.Timeout
  #end: (why: DeskhandError) => void = () => {}
  #isOver = false
  #take: (message: Message) => void = () => {}
  #session: string | undefined
  #revision: string | undefined

  constructor(options: HttpOptions) {
    this.#options = options
    this.#rate = byteRate(options.maxRate)
    this.ended = new Promise((resolve) => (this.#end = resolve))
    this.#alive = setInterval(
      () => this.#session !== undefined && this.send({ jsonrpc: '2.0', id: 'alive', method: 'ping' }),
      ALIVE_MS,
    ).unref()
  }

  send(message: Message): void {
    if (this.#isOver) return
    const { id, method, params } = message
    // Servers without sessions know a request that is cancelled by its connection.
    if (method === 'notifications/cancelled') this.#open.get((params as Message)['requestId'])?.abort()
    const stop = new AbortController()
    if (id !== undefined) this.#open.set(id, stop)
    void this.#post(message, stop.signal)
      .catch((thrown: unknown) => {
        if (!stop.signal.aborted) this.#fail(DeskhandError.from(thrown))
      })
      .finally(() => this.#open.get(id) === stop && this.#open.delete(id))
  }

  listen(take: (message: Message) => void): void {
    this.#take = take
  }

  async close(why: DeskhandError = new DeskhandError('DRIVER_DEAD', 'The driver was closed.')): Promise<void> {
    if (this.#isOver) return
    this.#fail(why)
    if (this.#session === undefined) return
    const signal = AbortSignal.timeout(CLOSE_MS)
    await fetch(this.#options.url, { method: 'DELETE', headers: this.#headers(), signal }).catch(() => {})
  }

  #fail(why: DeskhandError): void {
    this.#isOver = true
    clearInterval(this.#alive)
    for (const stop of this.#open.values()) stop.abort()
    this.#end(why)
  }

  async #post(message: Message, signal: AbortSignal): Promise<void> {
    const { url } = this.#options
    const answer = await fetch(url, {
      method: 'POST',
      headers: this.#headers(),
      body: JSON.stringify(message),
      signal,
      redirect: 'error',
    }).catch((cause: unknown) => {
      throw new DeskhandError('DRIVER_DEAD', `The driver at ${url} cannot be reached.`, { cause })
    })
    if (!answer.ok) {
      await answer.body?.cancel()
      const code = answer.status === 401 || answer.status === 403 ? 'UNAUTHORIZED' : 'DRIVER_DEAD'
      throw new DeskhandError(code, `The driver at ${url} answered ${answer.status}.`)
    }
    this.#session ??= answer.headers.get('mcp-session-id')?.slice(0, 200)
    const isStream = answer.headers.get('content-type')?.startsWith('text/event-stream') === true
    const events = isStream ? new EventData() : undefined
    const held: string[] = []
    let size = 0
    const decoder = new TextDecoder()
    for await (const chunk of answer.body ?? []) {
      size += chunk.length
      if (size > (this.#options.maxBytes ?? LONGEST_MESSAGE))
        throw new DeskhandError('PROTOCOL', 'The driver sent a message that is too long.')
      this.#rate.mustCount(chunk.length)
      const text = decoder.decode(chunk, { stream: true })
      if (events === undefined) held.push(text)
      else for (const event of events.take(text)) this.#receive(event)
    }
    const text = held.join('')
    if (text.trim() !== '') this.#receive(text)
  }

  #receive(text: string): void {
    const message = parsed(text)
    if (message['id'] === 'alive') return
    const { result } = message
    if (this.#revision === undefined && typeof result === 'object' && result !== null && 'protocolVersion' in result)
      this.#revision = String(result.protocolVersion).slice(0, 40)
    this.#take(message)
  }

  #headers(): Record<string, string> {
    return {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...(this.#options.token !== undefined && { authorization: `Bearer ${this.#options.token}` }),
      ...(this.#session !== undefined && { 'mcp-session-id': this.#session }),
      ...(this.#revision !== undefined && { 'mcp-protocol-version': this.#revision }),
    }
  }
}

function parsed(text: string): Message {
  try {
    const message: unknown = JSON.parse(text)
    if (typeof message === 'object' && message !== null && !Array.isArray(message)) return message as Message
  } catch {
    // Told below.
  }
  throw new DeskhandError('PROTOCOL', 'The driver sent something that is no message.')
}
