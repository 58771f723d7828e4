/** The longest that a timer of Node's can wait. */
const LONGEST_MS = 2 ** 31 - 1

/** Wakes everyone who waits; whoever waits later waits for the next ring. */
export class Bell {
  #waiting = new Set<() => void>()
  #closed = false

  /** Whether anybody waits. */
  get isHeard(): boolean {
    return this.#waiting.size > 0
  }

  get closed(): boolean {
    return this.#closed
  }

  ring(): void {
    const woken = [...this.#waiting]
    this.#waiting.clear()
    for (const wake of woken) wake()
  }

  close(): void {
    this.#closed = true
    this.ring()
  }

  /** Until it rings, or until the time or the caller's patience is up. */
  wait(signal?: AbortSignal, ms = Infinity): Promise<void> {
    if (this.#closed || signal?.aborted) return Promise.resolve()
    return new Promise((resolve) => {
      const wake = (): void => {
        clearTimeout(timer)
        this.#waiting.delete(wake)
        signal?.removeEventListener('abort', wake)
        resolve()
      }
      const timer = ms === Infinity ? undefined : setTimeout(wake, Math.min(ms, LONGEST_MS))
      this.#waiting.add(wake)
      signal?.addEventListener('abort', wake)
    })
  }
}
