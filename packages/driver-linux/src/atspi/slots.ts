import { Queue } from '../dbus/queue.ts'

/** Whose turn it is first: what is in view, then what tells whether something is, then what is not. */
export const RANK = { inView: 0, state: 1, outOfView: 2 } as const
type Rank = (typeof RANK)[keyof typeof RANK]

/** Lets so much work run at a time; the rest waits, by rank and in order, and costs next to nothing meanwhile. */
export class Slots {
  #free: number
  readonly #waiting = Object.values(RANK).map(() => new Queue<() => void>())

  constructor(count: number) {
    this.#free = count
  }

  async run<T>(work: () => Promise<T>, rank: Rank): Promise<T> {
    if (this.#free > 0) this.#free--
    else await new Promise<void>((go) => this.#waiting[rank]?.push(go))
    try {
      return await work()
    } finally {
      const next = this.#next()
      if (next === undefined) this.#free++
      else next()
    }
  }

  #next(): (() => void) | undefined {
    for (const queue of this.#waiting) {
      const next = queue.shift()
      if (next !== undefined) return next
    }
    return undefined
  }
}
