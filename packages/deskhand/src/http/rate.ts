import { DeskhandError } from '@deskhand/core/errors'
import { Refusal } from './problem.ts'

const PER_SECOND = 1_000
const BURST = 2_000
const MOST = 1_000

/** What one principal may ask per second. */
export class Rates {
  readonly #left = new Map<string, { left: number; at: number }>()

  /** `name` tells them from all others; `who` is how they are called. */
  take(name: string, who: string): void {
    const now = performance.now()
    const known = this.#left.get(name) ?? { left: BURST, at: now }
    known.left = Math.min(BURST, known.left + ((now - known.at) / 1000) * PER_SECOND) - 1
    known.at = now
    if (this.#left.size > MOST) this.#left.clear()
    this.#left.set(name, known)
    if (known.left < 0) throw new Refusal(429, new DeskhandError('RATE_LIMITED', `${who} sends too many requests`), { 'retry-after': '1' })
  }
}
