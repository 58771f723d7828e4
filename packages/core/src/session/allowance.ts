import { setTimeout as sleep } from 'node:timers/promises'

/** What a caller may put on the disk at once, and per second from then on, by calls that do nothing. */
const BURST_BYTES = 4 * 2 ** 20
const BYTES_PER_SECOND = 32 * 1024

interface Account {
  bytes: number
  at: number
  /** Those before in the queue. */
  turn: Promise<void>
}

/**
 * Bounds what refusals and rehearsals cost on the disk. Each caller has an allowance of its own that refills; past it its calls wait their
 * turn, and everything is still recorded.
 */
export class Allowance {
  readonly #accounts = new Map<string, Account>()
  readonly #over = new AbortController()

  /** Resolves when so many bytes of this caller may be written. */
  pay(who: string, bytes: number): Promise<void> {
    const account = this.#accounts.get(who) ?? { bytes: BURST_BYTES, at: performance.now(), turn: Promise.resolve() }
    this.#accounts.set(who, account)
    account.turn = account.turn.then(async () => {
      const now = performance.now()
      account.bytes = Math.min(BURST_BYTES, account.bytes + ((now - account.at) / 1000) * BYTES_PER_SECOND)
      account.at = now
      if (account.bytes < 0) await this.#wait((-account.bytes / BYTES_PER_SECOND) * 1000)
      account.bytes -= bytes
    })
    return account.turn
  }

  /** Nothing waits any more. */
  close(): void {
    this.#over.abort()
  }

  async #wait(ms: number): Promise<void> {
    await sleep(ms, undefined, { signal: this.#over.signal }).catch(() => {})
  }
}
