/** Wakes everyone who waits; whoever waits later waits for the next ring. */
export class Bell {
  #waiting = new Set<() => void>()
  #closed = false

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

  wait(signal?: AbortSignal): Promise<void> {
    if (this.#closed || signal?.aborted) return Promise.resolve()
    return new Promise((resolve) => {
      const wake = (): void => {
        this.#waiting.delete(wake)
        signal?.removeEventListener('abort', wake)
        resolve()
      }
      this.#waiting.add(wake)
      signal?.addEventListener('abort', wake)
    })
  }
}
