import { within, type Act, type Guard, type Lease, type Sent, type Step } from '../driver/driver.ts'

const TTL_MS = 15_000
const STEP_MS = 30_000

/** The right to use pointer, focus, modifiers and clipboard, for as long as it is held. */
export interface Hands {
  step(step: Step, guard: Guard, signal: AbortSignal): Promise<Sent>
}

/** Pointer, keyboard and clipboard are one resource: whoever asks first gets it first, whole. */
export class LeaseQueue {
  readonly #act: Act
  #tail: Promise<unknown> = Promise.resolve()

  constructor(act: Act) {
    this.#act = act
  }

  /** Runs `work` with the lease; what is still held afterwards is released. Never wait for a person inside. */
  async run<T>(signal: AbortSignal, work: (hands: Hands) => Promise<T>): Promise<T> {
    const before = this.#tail
    const turn = resolvers()
    this.#tail = before.then(() => turn.promise)
    try {
      await before
      signal.throwIfAborted()
      const lease = await this.#act.take(TTL_MS, within(STEP_MS, signal))
      try {
        return await work({ step: (step, guard, s) => this.#act.step(lease, step, guard, within(STEP_MS, s)) })
      } finally {
        await this.#drop(lease)
      }
    } finally {
      turn.resolve()
    }
  }

  /** A driver that died has nothing left to drop; its release is the dead-man's. */
  #drop(lease: Lease): Promise<void> {
    return this.#act.drop(lease).catch(() => {})
  }
}

function resolvers(): { promise: Promise<void>; resolve: () => void } {
  let resolve = (): void => {}
  const promise = new Promise<void>((r) => (resolve = r))
  return { promise, resolve }
}
