/** The operator's pause: the script waits before its next step until it is resumed. */
export class PauseSwitch {
  private waiting: { promise: Promise<void>; resume: () => void } | undefined

  get paused(): boolean {
    return this.waiting !== undefined
  }

  pause(): void {
    if (this.waiting) return
    let resume = (): void => {}
    const promise = new Promise<void>((resolve) => (resume = resolve))
    this.waiting = { promise, resume }
  }

  resume(): void {
    this.waiting?.resume()
    this.waiting = undefined
  }

  async whenRunning(): Promise<void> {
    while (this.waiting) await this.waiting.promise
  }
}
