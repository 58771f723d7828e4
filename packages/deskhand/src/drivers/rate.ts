import { DeskhandError } from '@deskhand/core/errors'

/** Counts what a driver that is not trusted sends or costs in a while. */
export class Rate {
  readonly #ms: number
  readonly #most: number
  readonly #what: string
  #from = performance.now()
  #count = 0

  /** `what` says what is counted and in which time. */
  constructor(ms: number, most: number, what: string) {
    this.#ms = ms
    this.#most = most
    this.#what = what
  }

  /** The failure to end the driver with, once it is too much. */
  count(cost: number): DeskhandError | undefined {
    const now = performance.now()
    if (now - this.#from > this.#ms) [this.#from, this.#count] = [now, 0]
    this.#count += cost
    return this.#count > this.#most ? new DeskhandError('PROTOCOL', `The driver exceeds ${this.#most} ${this.#what}.`) : undefined
  }

  mustCount(cost: number): void {
    const flood = this.count(cost)
    if (flood !== undefined) throw flood
  }
}
