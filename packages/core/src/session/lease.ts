import { DeskhandError } from '../errors.ts'
import { within, type Act, type Guard, type Lease, type Sent, type Step } from '../driver/driver.ts'

const TTL_MS = 15_000
const STEP_MS = 30_000

/** The right to use pointer, focus, modifiers and clipboard, for as long as it is held. */
export interface Hands {
  step(step: Step, guard: Guard, signal: AbortSignal): Promise<Sent>
  /** Lets others have their turn while a person is asked; what was held is released. The next step takes it again. */
  rest(): Promise<void>
}

/** How much a call has sent so far; `unknown` while a step is under way, and for good when it never came back. */
export interface Progress {
  sent: 'none' | 'partial' | 'all' | 'unknown'
}

/** The same hands, keeping count. */
export function counted(hands: Hands, progress: Progress): Hands {
  return {
    rest: () => hands.rest(),
    step: async (step, guard, signal) => {
      const was = progress.sent
      progress.sent = 'unknown'
      const done = await hands.step(step, guard, signal).catch((thrown: unknown) => {
        // What a desktop cannot do it has not begun.
        if (thrown instanceof DeskhandError && thrown.code === 'NOT_CAPABLE') progress.sent = was
        throw thrown
      })
      progress.sent = done.sent === 'none' && was === 'none' ? 'none' : done.sent === 'all' && was !== 'partial' ? 'all' : 'partial'
      return done
    },
  }
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
      signal.throwIfAborted()
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
    const done = await this.#turn()
    try {
      this.#signal.throwIfAborted()
      // Not cancelled on its way: a lease that nobody knows of would block everybody.
      const lease = await this.#act.take(TTL_MS, within(STEP_MS))
      const renew = (): void => void this.#act.step(lease, { do: 'pointer', events: [] }, {}, within(STEP_MS)).catch(() => {})
      this.#held = { lease, done, alive: this.#keepAlive ? setInterval(renew, TTL_MS / 3).unref() : undefined }
      return lease
    } catch (thrown) {
      done()
      throw thrown
    }
  }

  /** A caller that gives up while it waits passes its turn on when that comes. */
  async #turn(): Promise<() => void> {
    const turn = this.#next()
    const given = await Promise.race([turn, aborted(this.#signal)])
    if (given !== undefined) return given
    void turn.then((done) => done())
    throw this.#signal.reason
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

function aborted(signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(undefined)
    else signal.addEventListener('abort', () => resolve(undefined), { once: true })
  })
}
