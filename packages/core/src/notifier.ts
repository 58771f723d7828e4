/** The longest delay that a Node timer supports. */
const LONGEST_MS = 2 ** 31 - 1

/** Resumes all waiting callers at once; a caller that starts to wait later waits for the next notification. */
export class Notifier {
  #waiting = new Set<() => void>()
  #closed = false

  get isAwaited(): boolean {
    return this.#waiting.size > 0
  }

  get closed(): boolean {
    return this.#closed
  }

  notify(): void {
    if (this.#waiting.size === 0) return
    const woken = [...this.#waiting]
    this.#waiting.clear()
    for (const wake of woken) wake()
  }

  close(): void {
    this.#closed = true
    this.notify()
  }

  /** Resolves on the next notification, after `ms`, or when the signal aborts; it never rejects. */
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
