import { Bell, type Change, type Changes } from '@deskhand/core/driver'

/** What happened, in order, for readers that each keep their own place. Old entries fall out; who is too slow starts over. */
export class ChangeLog {
  readonly #keep: number
  #first = 0
  #entries: Change[] = []
  readonly #bell = new Bell()

  constructor(keep = 10_000) {
    this.#keep = keep
  }

  get cursor(): string {
    return String(this.#first + this.#entries.length)
  }

  add(change: Change): void {
    this.#entries.push(change)
    if (this.#entries.length > this.#keep * 2) {
      this.#first += this.#entries.length - this.#keep
      this.#entries = this.#entries.slice(-this.#keep)
    }
    this.wake()
  }

  since(cursor: string): Changes {
    const at = /^\d{1,15}$/.test(cursor) ? Number(cursor) - this.#first : -1
    if (at < 0 || at > this.#entries.length) return { reset: true }
    return { cursor: this.cursor, changes: this.#entries.slice(at) }
  }

  wake(): void {
    this.#bell.ring()
  }

  /** Until something is added, or the time or the caller's patience is up. */
  wait(ms: number, signal: AbortSignal): Promise<void> {
    return this.#bell.wait(signal, ms)
  }
}
