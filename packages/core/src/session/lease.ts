import { within, type Act, type Guard, type Lease, type Sent, type Step } from '../driver/driver.ts'

const TTL_MS = 15_000
const STEP_MS = 30_000

/** The right to use pointer, focus, modifiers and clipboard, for as long as it is held. */
export interface Hands {
  step(step: Step, guard: Guard, signal: AbortSignal): Promise<Sent>
  /** Lets others have their turn while a person is asked; what was held is released. The next step takes it again. */
  rest(): Promise<void>
}

/** Pointer, keyboard and clipboard are one resource: whoever asks first gets it first, whole. */
export class LeaseQueue {
  readonly #act: Act
  #tail: Promise<unknown> = Promise.resolve()

  constructor(act: Act) {
    this.#act = act
  }

  /** Runs `work` with the lease; what is still held afterwards is released. Work that pauses between its steps asks to be kept alive. */
  async run<T>(signal: AbortSignal, work: (hands: Hands) => Promise<T>, keepAlive = false): Promise<T> {
    const turn = new Turn(this.#act, () => this.#next(), signal, keepAlive)
    try {
      await turn.take()
      return await work(turn)
    } finally {
      await turn.rest()
    }
  }

  /** Resolves when everybody who asked before is done; call what it gives to let the next one in. */
  async #next(): Promise<() => void> {
    const before = this.#tail
    let done = (): void => {}
    const mine = new Promise<void>((resolve) => (done = resolve))
    this.#tail = before.then(() => mine)
    await before
    return done
  }
}

/** One holder's turn. It can be rested and taken up again. */
class Turn implements Hands {
  readonly #act: Act
  readonly #next: () => Promise<() => void>
  readonly #signal: AbortSignal
  readonly #keepAlive: boolean
  #held?: { lease: Lease; done: () => void; alive?: NodeJS.Timeout }

  constructor(act: Act, next: () => Promise<() => void>, signal: AbortSignal, keepAlive: boolean) {
    this.#act = act
    this.#next = next
    this.#signal = signal
    this.#keepAlive = keepAlive
  }

  async take(): Promise<Lease> {
    if (this.#held !== undefined) return this.#held.lease
    const done = await this.#next()
    try {
      this.#signal.throwIfAborted()
      const lease = await this.#act.take(TTL_MS, within(STEP_MS, this.#signal))
      const renew = (): void => void this.#act.step(lease, { do: 'pointer', events: [] }, {}, within(STEP_MS)).catch(() => {})
      this.#held = { lease, done, alive: this.#keepAlive ? setInterval(renew, TTL_MS / 3).unref() : undefined }
      return lease
    } catch (thrown) {
      done()
      throw thrown
    }
  }

  async step(step: Step, guard: Guard, signal: AbortSignal): Promise<Sent> {
    return this.#act.step(await this.take(), step, guard, within(STEP_MS, signal))
  }

  async rest(): Promise<void> {
    const held = this.#held
    if (held === undefined) return
    this.#held = undefined
    clearInterval(held.alive)
    // A driver that died has nothing left to drop; its release is the dead-man's.
    await this.#act.drop(held.lease).catch(() => {})
    held.done()
  }
}
