import { randomUUID } from 'node:crypto'
import { DeskhandError } from '@deskhand/core/errors'
import type { InputLease, Session } from '@deskhand/core/session'

/** The controls that callers of one connection keep over several calls, by the words they name them with. */
export class Holds {
  readonly #session: Session
  readonly #held = new Map<string, { lease: InputLease; end: () => void; ended: Promise<void> }>()

  constructor(session: Session) {
    this.#session = session
  }

  /** Waits for its turn; other callers wait until it is ended. */
  take(signal: AbortSignal): Promise<string> {
    const hold = randomUUID()
    return new Promise((ready, failed) => {
      const ended = this.#session.hold(signal, async (lease) => {
        const over = new Promise<void>((end) => this.#held.set(hold, { lease, end, ended }))
        signal.addEventListener('abort', () => void this.end(hold), { once: true })
        ready(hold)
        await over
      })
      ended.catch(failed)
    })
  }

  lease(hold: string | undefined): InputLease | undefined {
    if (hold === undefined) return undefined
    const held = this.#held.get(hold)
    if (held === undefined) throw new DeskhandError('LEASE_LOST', 'the controls are not held any more')
    return held.lease
  }

  /** Gives the controls back, and with them every key and button that is down. */
  async end(hold: string): Promise<void> {
    const held = this.#held.get(hold)
    this.#held.delete(hold)
    held?.end()
    await held?.ended
  }
}
