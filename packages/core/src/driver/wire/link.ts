import type { Duplex } from 'node:stream'
import { DeskhandError, type ErrorCode } from '../../errors.ts'
import { type CallOptions, Calls } from './calls.ts'
import { encodeFrame, FrameReader, isObject, malformed, type Message } from './frame.ts'
import { type Handler, Handlers } from './handlers.ts'
import { fromMessage, readError, type Rpc, toMessage } from './message.ts'

export type { CallOptions } from './calls.ts'
export type { Handler } from './handlers.ts'

export interface LinkOptions {
  /** What both sides must agree on; each tells it in its first frame. */
  protocol: { name: string; version: number }
  /** At least 64 KiB; the other side is told, and keeps to it. */
  maxFrameBytes?: number
  /** What this side sends at most, where the other side takes it; as much as it takes itself when left out. */
  maxSendBytes?: number
  /** Calls of the other side that are handled at a time; past it nothing more is read. */
  maxHandled?: number
  /** Calls of this side that are under way at a time; further ones wait. Keep it below the other side's `maxHandled`. */
  maxInFlight?: number
  /** The code for everything that was in flight when the link ended. */
  deadCode?: ErrorCode
  /** How long the other side's first frame may take. */
  helloMs?: number
}

/** What every side takes: a hello, an error. */
const MIN_FRAME_BYTES = 65_536
/** How long the last words may take before the stream is destroyed. */
const LINGER_MS = 500

/** JSON-RPC with binaries, in both directions, over any duplex stream. Any Uint8Array in params or results travels as it is. */
export class Link {
  /** When both sides have agreed on the protocol; calls need not wait for it. */
  readonly ready: Promise<void>
  /** Why the link ended; undefined when either side simply closed it. */
  readonly closed: Promise<DeskhandError | undefined>
  readonly #stream: Duplex
  readonly #options: Required<LinkOptions>
  readonly #reader = new FrameReader(MIN_FRAME_BYTES)
  readonly #calls: Calls
  readonly #handlers: Handlers
  readonly #ready = deferred<void>()
  readonly #closed = deferred<DeskhandError | undefined>()
  readonly #helloTimer: NodeJS.Timeout
  #sendLimit: number
  #isCorked = false
  #state: 'new' | 'open' | 'ended' = 'new'

  constructor(stream: Duplex, options: LinkOptions) {
    const {
      protocol,
      maxFrameBytes = 256 * 2 ** 20,
      maxSendBytes = maxFrameBytes,
      maxHandled = 256,
      maxInFlight = 64,
      deadCode = 'DRIVER_DEAD',
      helloMs = 10_000,
    } = options
    this.#options = {
      protocol,
      maxFrameBytes: Math.max(maxFrameBytes, MIN_FRAME_BYTES),
      maxSendBytes: Math.max(maxSendBytes, MIN_FRAME_BYTES),
      maxHandled,
      maxInFlight,
      deadCode,
      helloMs,
    }
    this.#stream = stream
    this.#sendLimit = this.#options.maxSendBytes
    this.#calls = new Calls(
      maxInFlight,
      () => !stream.writableNeedDrain,
      (rpc) => this.#write(rpc),
    )
    this.#handlers = new Handlers(maxHandled)
    this.ready = this.#ready.promise
    this.closed = this.#closed.promise
    this.ready.catch(() => {})
    stream.on('data', this.#onData)
    stream.on('drain', () => this.#calls.pump())
    stream.on('end', () => this.#end(this.#reader.idle ? undefined : this.#dead('The link ended in the middle of a frame.')))
    stream.on('error', (cause: Error) => this.#end(this.#dead(`The link broke: ${cause.message}`, cause)))
    stream.on('close', () => this.#end(this.#dead('The link was cut.')))
    this.#helloTimer = setTimeout(() => this.#fail(malformed(`no hello within ${helloMs} ms`)), helloMs).unref()
    this.#write({ type: 'notification', method: '$/hello', params: { ...protocol, maxFrameBytes: this.#options.maxFrameBytes } })
  }

  /** Names what this side answers; do it in the same tick as `new Link`. */
  handle(method: string, handler: Handler): void {
    this.#handlers.add(method, handler)
  }

  /** The other side's answer. Binaries in `params` must stay as they are until then. */
  call(method: string, params?: unknown, options: CallOptions = {}): Promise<unknown> {
    return this.#calls.start(method, params, options)
  }

  /** Resolves when the stream takes more: a sender that awaits it cannot flood the other side. */
  async notify(method: string, params?: unknown): Promise<void> {
    if (this.#state === 'ended') throw this.#dead('The link has ended.')
    this.#write({ type: 'notification', method, params })
    while (this.#stream.writableNeedDrain && !this.#stream.destroyed) await drained(this.#stream)
  }

  /** Ends the link for both sides; with a reason, the other side is told it. */
  async close(reason?: DeskhandError): Promise<void> {
    if (reason) this.#fail(reason)
    else this.#end(undefined)
    if (!this.#stream.closed) await new Promise((resolve) => this.#stream.once('close', resolve))
  }

  readonly #onData = (chunk: Uint8Array): void => {
    this.#reader.push(chunk)
    this.#dispatch()
  }

  #dispatch(): void {
    try {
      let message: Message | undefined
      while (this.#state !== 'ended' && !this.#handlers.full && (message = this.#reader.next())) this.#receive(fromMessage(message))
    } catch (thrown) {
      return this.#fail(DeskhandError.from(thrown))
    }
    if (this.#handlers.full) this.#stream.pause()
  }

  #receive(rpc: Rpc): void {
    if (this.#state === 'new') return this.#greet(rpc)
    switch (rpc.type) {
      case 'request':
        return this.#handlers.accept(rpc, (answer, flushed) => this.#answer(answer, flushed))
      case 'notification':
        return this.#notice(rpc.method, rpc.params)
      case 'result':
      case 'error':
        return this.#calls.answered(rpc)
      default:
        rpc satisfies never
    }
  }

  #greet(rpc: Rpc): void {
    if (rpc.type !== 'notification' || rpc.method !== '$/hello') throw malformed('something else than hello first')
    const { name, version, maxFrameBytes: theirs } = readHello(rpc.params)
    const { protocol, maxFrameBytes, maxSendBytes } = this.#options
    if (name !== protocol.name || version !== protocol.version) {
      throw new DeskhandError('PROTOCOL', `This side speaks ${protocol.name} ${protocol.version}, the other side ${name} ${version}.`)
    }
    clearTimeout(this.#helloTimer)
    this.#sendLimit = Math.min(maxSendBytes, theirs)
    this.#reader.limit = maxFrameBytes
    this.#state = 'open'
    this.#ready.resolve()
  }

  #notice(method: string, params: unknown): void {
    if (method === '$/cancel') return this.#handlers.cancel(readCancel(params))
    if (method === '$/close') return this.#end(readClose(params))
    void this.#handlers.notice(method, params).then(this.#freed, (thrown: unknown) => this.#fail(DeskhandError.from(thrown)))
  }

  #answer(answer: Extract<Rpc, { type: 'result' | 'error' }>, flushed: () => void): void {
    if (this.#state === 'ended') return
    const done = (): void => {
      flushed()
      this.#freed()
    }
    try {
      this.#write(answer, done)
    } catch (thrown) {
      const error = new DeskhandError('INTERNAL', brief(`The answer cannot be sent: ${DeskhandError.from(thrown).message}`))
      this.#write({ type: 'error', id: answer.id, error }, done)
    }
  }

  readonly #freed = (): void => {
    if (!this.#stream.isPaused() || this.#state === 'ended') return
    this.#dispatch()
    if (!this.#handlers.full) this.#stream.resume()
  }

  #write(rpc: Rpc, flushed?: () => void): void {
    const { parts, size } = encode(rpc)
    if (size > this.#sendLimit) throw new DeskhandError('PROTOCOL', `A message of ${size} bytes is over the limit of ${this.#sendLimit}.`)
    this.#cork()
    const last = parts.length - 1
    for (const [i, part] of parts.entries()) this.#stream.write(part, i === last ? flushed : undefined)
  }

  /** What is said in one go is sent in one go. */
  #cork(): void {
    if (this.#isCorked) return
    this.#isCorked = true
    this.#stream.cork()
    process.nextTick(() => {
      this.#isCorked = false
      this.#stream.uncork()
    })
  }

  /** Ends the link and tells the other side why. */
  #fail(reason: DeskhandError): void {
    if (this.#state !== 'ended' && this.#stream.writable) {
      const error = { code: reason.code, message: brief(reason.message), next: brief(reason.next) }
      this.#write({ type: 'notification', method: '$/close', params: { error } })
    }
    this.#end(reason)
  }

  #end(reason: DeskhandError | undefined): void {
    if (this.#state === 'ended') return
    this.#state = 'ended'
    clearTimeout(this.#helloTimer)
    const error = reason ?? this.#dead('The link was closed.')
    this.#stream.off('data', this.#onData)
    this.#stream.resume()
    this.#stream.end()
    const timer = setTimeout(() => this.#stream.destroy(), LINGER_MS).unref()
    this.#stream.once('close', () => clearTimeout(timer))
    this.#ready.reject(error)
    this.#calls.end(error)
    this.#handlers.end(error)
    this.#closed.resolve(reason)
  }

  #dead(message: string, cause?: unknown): DeskhandError {
    return new DeskhandError(this.#options.deadCode, message, { cause })
  }
}

/** Short enough for any frame. */
const brief = (text: string): string => text.slice(0, 2000)

interface Hello {
  name: string
  version: number
  maxFrameBytes: number
}

function readHello(params: unknown): Hello {
  const { name, version, maxFrameBytes } = isObject(params) ? params : {}
  if (typeof name !== 'string' || typeof version !== 'number' || !(typeof maxFrameBytes === 'number' && maxFrameBytes >= MIN_FRAME_BYTES))
    throw wrongParams()
  return { name, version, maxFrameBytes }
}

function readCancel(params: unknown): number {
  if (!isObject(params) || typeof params['id'] !== 'number') throw wrongParams()
  return params['id']
}

function readClose(params: unknown): DeskhandError {
  if (!isObject(params) || !isObject(params['error'])) throw wrongParams()
  return readError(params['error'])
}

const wrongParams = (): DeskhandError => malformed('a message of the link itself with wrong parameters')

function encode(rpc: Rpc): { parts: Uint8Array[]; size: number } {
  try {
    return encodeFrame(toMessage(rpc))
  } catch (cause) {
    throw new DeskhandError('BAD_ARGS', `This cannot be sent: ${DeskhandError.from(cause).message}`, { cause })
  }
}

function drained(stream: Duplex): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      stream.off('drain', done).off('close', done)
      resolve()
    }
    stream.on('drain', done).on('close', done)
  })
}

function deferred<T>(): { promise: Promise<T>; resolve: (value: T) => void; reject: (reason: Error) => void } {
  let resolve!: (value: T) => void
  let reject!: (reason: Error) => void
  const promise = new Promise<T>((yes, no) => {
    resolve = yes
    reject = no
  })
  return { promise, resolve, reject }
}
