import { randomUUID } from 'node:crypto'
import { DeskhandError } from '@deskhand/core/errors'
import type { Principal, Result } from '@deskhand/core/model'
import type { InputLease, Session } from '@deskhand/core/session'

/** How long controls are kept: without a call under way, and in all. */
export interface HoldLimits {
  idleMs: number
  mostMs: number
}

interface Held {
  lease: InputLease
  end: () => void
  ended: Promise<void>
  /** Calls under way, and those that wait for a person. */
  calls: number
  idle?: NodeJS.Timeout
}

const UNFINISHED: ReadonlySet<string> = new Set(['APPROVAL_PENDING', 'RUNNING'])

/** The controls that callers of one connection keep over several calls, by the words they name them with. Past the limits others have their turn. */
export class Holds {
  readonly #session: Session
  readonly #limits: HoldLimits | undefined
  readonly #held = new Map<string, Held>()
  #isTaking = false

  constructor(session: Session, limits?: HoldLimits) {
    this.#session = session
    this.#limits = limits
  }

  /** Waits for its turn; other callers wait until it is ended. */
  async take(signal: AbortSignal): Promise<string> {
    if (this.#limits !== undefined && (this.#isTaking || this.#held.size > 0))
      throw new DeskhandError('RATE_LIMITED', 'this connection has the controls already, or waits for them', {
        next: 'Release them first.',
      })
    const hold = randomUUID()
    this.#isTaking = true
    try {
      return await new Promise((ready, failed) => {
        const ended = this.#session.hold(signal, async (lease) => {
          const over = new Promise<void>((end) => this.#held.set(hold, { lease, end, ended, calls: 0 }))
          signal.addEventListener('abort', () => void this.end(hold), { once: true })
          const most = this.#after(hold, this.#limits?.mostMs)
          this.#rewind(hold)
          ready(hold)
          await over
          clearTimeout(most)
        })
        ended.catch(failed)
      })
    } finally {
      this.#isTaking = false
    }
  }

  /** Makes a call with the controls that it names. The time without a call begins when it has ended, also where that is after its answer. */
  async during(hold: string | undefined, who: Principal, call: (lease?: InputLease) => Promise<Result>): Promise<Result> {
    if (hold === undefined) return call()
    const held = this.#held.get(hold)
    if (held === undefined) throw new DeskhandError('LEASE_LOST', 'the controls are not held any more')
    clearTimeout(held.idle)
    held.calls++
    const over = (): void => {
      if (--held.calls === 0) this.#rewind(hold)
    }
    try {
      const result = await call(held.lease)
      void this.#ended(result, who).then(over)
      return result
    } catch (thrown) {
      over()
      throw thrown
    }
  }

  /** Gives the controls back, and with them every key and button that is down. */
  async end(hold: string): Promise<void> {
    const held = this.#held.get(hold)
    this.#held.delete(hold)
    clearTimeout(held?.idle)
    held?.end()
    await held?.ended
  }

  /** Resolves when the call with this answer has ended. */
  async #ended({ op, error }: Result, who: Principal): Promise<void> {
    if (error === undefined || !UNFINISHED.has(error.code)) return
    try {
      await this.#session.operations.wait(op, who, Infinity)
    } catch {
      // It failed, or is too old to be known.
    }
  }

  #rewind(hold: string): void {
    const held = this.#held.get(hold)
    if (held !== undefined) held.idle = this.#after(hold, this.#limits?.idleMs)
  }

  #after(hold: string, ms: number | undefined): NodeJS.Timeout | undefined {
    return ms === undefined ? undefined : setTimeout(() => void this.end(hold), ms).unref()
  }
}
