import { DeskhandError } from '../../errors.ts'
import { malformed } from './frame.ts'
import { MAX_DEADLINE_MS, type Rpc } from './message.ts'

export interface CallOptions {
  /** Counted from the call, waiting for its turn included. */
  deadlineMs?: number
  signal?: AbortSignal
  /** Does not wait for its turn. */
  urgent?: boolean
}

type Outcome = { type: 'result'; result: unknown } | { type: 'error'; error: DeskhandError }
interface Call {
  method: string
  params: unknown
  /** Set once it was sent. */
  id?: number
  endsAt: number
  settle: (outcome: Outcome) => void
  settled: boolean
}

const DEADLINE_MS = 30_000

/** The calls that this side has made. */
export class Calls {
  readonly #limit: number
  readonly #writable: () => boolean
  readonly #post: (rpc: Rpc) => void
  /** A call that was given up keeps its place until the other side answers: it may still be busy with it. */
  readonly #flying = new Map<number, Call>()
  #queue: Call[] = []
  #lastId = 0
  #ended: DeskhandError | undefined

  constructor(limit: number, writable: () => boolean, post: (rpc: Rpc) => void) {
    this.#limit = limit
    this.#writable = writable
    this.#post = post
  }

  start(method: string, params: unknown, { deadlineMs = DEADLINE_MS, signal, urgent = false }: CallOptions): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (this.#ended) return reject(this.#ended)
      if (signal?.aborted) return reject(cancelled(method, signal))
      if (!(deadlineMs > 0)) return reject(timedOut(method, deadlineMs))
      const onAbort = (): void => this.#giveUp(call, cancelled(method, signal))
      const bounded = Math.min(deadlineMs, MAX_DEADLINE_MS)
      const timer = setTimeout(() => this.#giveUp(call, timedOut(method, deadlineMs)), bounded)
      const call: Call = {
        method,
        params,
        endsAt: performance.now() + bounded,
        settled: false,
        settle: (outcome) => {
          if (call.settled) return
          call.settled = true
          clearTimeout(timer)
          signal?.removeEventListener('abort', onAbort)
          if (outcome.type === 'error') reject(outcome.error)
          else resolve(outcome.result)
        },
      }
      signal?.addEventListener('abort', onAbort, { once: true })
      if (urgent || this.#room) this.#send(call)
      else this.#queue.push(call)
    })
  }

  /** Sends what waited for its turn. */
  pump(): void {
    while (this.#room) {
      const call = this.#queue.shift()
      if (!call) return
      this.#send(call)
    }
  }

  answered(answer: Extract<Rpc, { type: 'result' | 'error' }>): void {
    if (answer.id > this.#lastId) throw malformed(`an answer to call ${answer.id}, which was never made`)
    const call = this.#flying.get(answer.id)
    this.#flying.delete(answer.id)
    call?.settle(answer)
    this.pump()
  }

  end(reason: DeskhandError): void {
    this.#ended = reason
    const open = [...this.#flying.values(), ...this.#queue]
    this.#flying.clear()
    this.#queue = []
    for (const call of open) call.settle({ type: 'error', error: reason })
  }

  get #room(): boolean {
    return this.#flying.size < this.#limit && this.#writable()
  }

  #send(call: Call): void {
    const id = ++this.#lastId
    const deadlineMs = Math.max(1, Math.round(call.endsAt - performance.now()))
    try {
      this.#post({ type: 'request', id, method: call.method, params: call.params, deadlineMs })
    } catch (thrown) {
      return call.settle({ type: 'error', error: DeskhandError.from(thrown) })
    }
    call.id = id
    this.#flying.set(id, call)
  }

  #giveUp(call: Call, error: DeskhandError): void {
    call.settle({ type: 'error', error })
    if (call.id === undefined) this.#queue = this.#queue.filter((c) => c !== call)
    if (call.id !== undefined && this.#flying.has(call.id))
      this.#post({ type: 'notification', method: '$/cancel', params: { id: call.id } })
  }
}

const cancelled = (method: string, signal: AbortSignal | undefined): DeskhandError =>
  new DeskhandError('CANCELLED', `${method} was cancelled.`, { cause: signal?.reason })

const timedOut = (method: string, deadlineMs: number): DeskhandError =>
  new DeskhandError('TIMEOUT', `${method} did not answer within ${deadlineMs} ms.`)
