import { Queue } from '../dbus/queue.ts'

/** Lets so much work run at a time; the rest waits, in order, and costs next to nothing meanwhile. */
export class Slots {
  #free: number
  readonly #waiting = new Queue<() => void>()

  constructor(count: number) {
    this.#free = count
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free--
    else await new Promise<void>((go) => this.#waiting.push(go))
    try {
      return await work()
    } finally {
      const next = this.#waiting.shift()
      if (next === undefined) this.#free++
      else next()
    }
  }
}
