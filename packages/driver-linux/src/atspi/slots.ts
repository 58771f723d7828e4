import { Queue } from '../dbus/queue.ts'

/** Lets so much work run at a time; the rest waits, in order, and costs next to nothing meanwhile. What can wait lets all else go first. */
export class Slots {
  #free: number
  readonly #waiting = new Queue<() => void>()
  readonly #patient = new Queue<() => void>()

  constructor(count: number) {
    this.#free = count
  }

  async run<T>(work: () => Promise<T>, canWait = false): Promise<T> {
    if (this.#free > 0) this.#free--
    else await new Promise<void>((go) => (canWait ? this.#patient : this.#waiting).push(go))
    try {
      return await work()
    } finally {
      const next = this.#waiting.shift() ?? this.#patient.shift()
      if (next === undefined) this.#free++
      else next()
    }
  }
}
