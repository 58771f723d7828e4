import { DeskhandError } from '../../errors.ts'
import type { Ctx } from '../driver.ts'
import { malformed } from './frame.ts'
import type { Rpc } from './message.ts'

/** Answers a call. `ctx.signal` aborts when the caller cancels, the deadline passes or the link ends; its reason is a DeskhandError. */
export type Handler = (params: unknown, ctx: Ctx) => unknown

type Request = Extract<Rpc, { type: 'request' }>
type Answer = Extract<Rpc, { type: 'result' | 'error' }>

/** The calls that the other side has made. */
export class Handlers {
  readonly #limit: number
  readonly #handlers = new Map<string, Handler>()
  /** From the arrival of a request until its answer is flushed. */
  readonly #running = new Map<number, AbortController>()
  #notices = 0
  readonly #ending = new AbortController()

  constructor(limit: number) {
    this.#limit = limit
  }

  add(method: string, handler: Handler): void {
    this.#handlers.set(method, handler)
  }

  get full(): boolean {
    return this.#running.size + this.#notices >= this.#limit
  }

  /** Starts a call; `answer` is given the outcome and has to say when it is flushed. */
  accept(request: Request, answer: (answer: Answer, flushed: () => void) => void): void {
    if (this.#running.has(request.id)) throw malformed(`a second request with the id ${request.id}`)
    const abort = new AbortController()
    this.#running.set(request.id, abort)
    void this.#run(request, abort).then((outcome) => answer(outcome, () => this.#running.delete(request.id)))
  }

  /** Runs a call that wants no answer; an unknown name is ignored. */
  async notice(method: string, params: unknown): Promise<void> {
    this.#notices++
    try {
      await this.#handlers.get(method)?.(params, { signal: this.#ending.signal, deadlineMs: Infinity })
    } finally {
      this.#notices--
    }
  }

  cancel(id: number): void {
    this.#running.get(id)?.abort(new DeskhandError('CANCELLED', 'The caller cancelled the call.'))
  }

  end(reason: DeskhandError): void {
    const running = [...this.#running.values(), this.#ending]
    this.#running.clear()
    for (const abort of running) abort.abort(reason)
  }

  async #run({ id, method, params, deadlineMs }: Request, abort: AbortController): Promise<Answer> {
    const handler = this.#handlers.get(method)
    if (!handler) return { type: 'error', id, error: new DeskhandError('PROTOCOL', `There is no method "${method}" here.`) }
    const late = (): void => abort.abort(new DeskhandError('TIMEOUT', `${method} took longer than ${deadlineMs} ms.`))
    const timer = setTimeout(late, deadlineMs)
    try {
      return { type: 'result', id, result: await handler(params, { signal: abort.signal, deadlineMs }) }
    } catch (thrown) {
      const error = DeskhandError.from(thrown)
      const gaveUp = abort.signal.aborted && (error.code === 'CANCELLED' || error.code === 'INTERNAL')
      return { type: 'error', id, error: gaveUp ? DeskhandError.from(abort.signal.reason) : error }
    } finally {
      clearTimeout(timer)
    }
  }
}
