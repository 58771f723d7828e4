import { randomBytes } from 'node:crypto'
import { Notifier } from '../notifier.ts'
import type { DesktopEvent, EventBody } from '../model/index.ts'

/** How many events are kept for listeners that are behind. */
const KEEP = 4_096

/**
 * One ordered feed of everything that happens on a desktop. Listeners read from one ring at their own pace, so that a slow one costs nothing
 * and delays nothing: when the ring has gone past it, it is told what it missed and goes on from there.
 */
export class Events {
  /** Tells the events of this life of the desktop from those of another. */
  readonly #life = randomBytes(4).toString('hex')
  readonly #ring: { at: number; body: EventBody }[] = []
  readonly #notifier = new Notifier()
  /** Notifies of the end alone. */
  readonly #end = new Notifier()
  readonly #now: () => number
  #next = 1

  constructor(now: () => number) {
    this.#now = now
  }

  /** The id of the newest event; subscribe after it to hear only what comes. */
  get last(): string {
    return this.#id(this.#next - 1)
  }

  publish(body: EventBody): void {
    const n = this.#next++
    this.#ring[n % KEEP] = { at: this.#now(), body }
    this.#notifier.notify()
  }

  /**
   * Events after the one with this id, or from now on; ends with the signal or with the desktop. What happens within `gatherMs` after the first
   * event of a burst comes in one go.
   */
  async *subscribe(after: string = this.last, signal?: AbortSignal, gatherMs = 0): AsyncGenerator<DesktopEvent, void, undefined> {
    let at = this.#numberOf(after)
    if (at === undefined) {
      yield this.#missed(1)
      at = this.#oldest - 1
    }
    for (;;) {
      while (at < this.#next - 1) {
        if (at < this.#oldest - 1) {
          yield this.#missed(at + 1)
          at = this.#oldest - 1
        }
        const kept = this.#ring[++at % KEEP]
        if (kept !== undefined) yield { id: this.#id(at), time: new Date(kept.at).toISOString(), ...kept.body }
        if (signal?.aborted) return
      }
      if (signal?.aborted || this.#notifier.closed) return
      await this.#notifier.wait(signal)
      if (gatherMs > 0) await this.#end.wait(signal, gatherMs)
    }
  }

  close(): void {
    this.#notifier.close()
    this.#end.close()
  }

  get #oldest(): number {
    return Math.max(1, this.#next - KEEP)
  }

  #id(n: number): string {
    return `${this.#life}-${n}`
  }

  /** Undefined for an id of another life, or of no event. */
  #numberOf(id: string): number | undefined {
    const [life, n] = id.split('-')
    const number = Number(n)
    return life === this.#life && Number.isInteger(number) && number >= 0 && number < this.#next ? number : undefined
  }

  #missed(from: number): DesktopEvent {
    const id = this.#id(this.#oldest - 1)
    return { id, time: new Date(this.#now()).toISOString(), type: 'missed', from: this.#id(from), next: this.#id(this.#oldest) }
  }
}
