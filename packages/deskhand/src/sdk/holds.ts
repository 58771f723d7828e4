import { randomUUID } from 'node:crypto'
import { DeskhandError } from '@deskhand/core/errors'
import type { InputLease, Session } from '@deskhand/core/session'

/** How long controls are kept: without a call, and in all. */
export interface HoldLimits {
  idleMs: number
  mostMs: number
}

interface Held {
  lease: InputLease
  end: () => void
  ended: Promise<void>
  idle?: NodeJS.Timeout
}

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
          const over = new Promise<void>((end) => this.#held.set(hold, { lease, end, ended }))
          signal.addEventListener('abort', () => void this.end(hold), { once: true })
          const most = this.#after(hold, this.#limits?.mostMs)
          this.#used(hold)
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

  lease(hold: string | undefined): InputLease | undefined {
    if (hold === undefined) return undefined
    const held = this.#held.get(hold)
    if (held === undefined) throw new DeskhandError('LEASE_LOST', 'the controls are not held any more')
    this.#used(hold)
    return held.lease
  }

  /** Gives the controls back, and with them every key and button that is down. */
  async end(hold: string): Promise<void> {
    const held = this.#held.get(hold)
    this.#held.delete(hold)
    clearTimeout(held?.idle)
    held?.end()
    await held?.ended
  }

  #used(hold: string): void {
    const held = this.#held.get(hold)
    if (held === undefined) return
    clearTimeout(held.idle)
    held.idle = this.#after(hold, this.#limits?.idleMs)
  }

  #after(hold: string, ms: number | undefined): NodeJS.Timeout | undefined {
    return ms === undefined ? undefined : setTimeout(() => void this.end(hold), ms).unref()
  }
}
