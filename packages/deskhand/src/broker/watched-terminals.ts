/** Terminals in which operators answer: agents must not act on their processes meanwhile. */
export class WatchedTerminals {
  readonly #own: Set<number>
  /** How many operators watch in each terminal. */
  readonly #watchers = new Map<number, number>()

  constructor(own: Set<number>) {
    this.#own = own
  }

  /** Protects these processes until the connection ends. Two operators may watch in one terminal; the last one ends its protection. */
  protect(pids: readonly number[], closed: Promise<unknown>): void {
    const added = pids.filter((pid) => !this.#own.has(pid) || this.#watchers.has(pid))
    for (const pid of added) {
      this.#own.add(pid)
      this.#watchers.set(pid, (this.#watchers.get(pid) ?? 0) + 1)
    }
    void closed.then(() => added.forEach((pid) => this.#release(pid)))
  }

  #release(pid: number): void {
    const left = (this.#watchers.get(pid) ?? 1) - 1
    if (left > 0) return void this.#watchers.set(pid, left)
    this.#watchers.delete(pid)
    this.#own.delete(pid)
  }
}
