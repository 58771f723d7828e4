/** Work that was begun and has not ended, by whom it is about, and since when. */
export class UnderWay<T> {
  /** What has been under way for longer is not waited for. */
  readonly #patienceMs: number
  readonly #work = new Map<T, Map<Promise<void>, number>>()

  constructor(patienceMs: number) {
    this.#patienceMs = patienceMs
  }

  /** Gives the work back; it never fails. */
  add(subject: T, work: Promise<void>, onEnd: () => void = () => {}): Promise<void> {
    let known = this.#work.get(subject)
    if (known === undefined) this.#work.set(subject, (known = new Map()))
    const done = work
      .catch(() => {})
      .finally(() => {
        known.delete(done)
        if (known.size === 0 && this.#work.get(subject) === known) this.#work.delete(subject)
        onEnd()
      })
    known.set(done, performance.now())
    return done
  }

  forget(subject: T): void {
    this.#work.delete(subject)
  }

  has(subject: T): boolean {
    return this.#work.has(subject)
  }

  /** Those about whom something has been under way for too long to be waited for. */
  late(): Set<T> {
    const since = performance.now() - this.#patienceMs
    return new Set([...this.#work].filter(([, work]) => [...work.values()].some((begun) => begun <= since)).map(([subject]) => subject))
  }

  /** Waits for what was begun recently, as long as each is worth waiting for, at most `ms`. False when there is nothing to wait for. */
  async recent(ms: number): Promise<boolean> {
    const now = performance.now()
    const young = [...this.#work.values()].flatMap((work) => [...work]).filter(([, begun]) => now - begun < this.#patienceMs)
    if (young.length === 0) return false
    const left = Math.max(...young.map(([, begun]) => begun)) + this.#patienceMs - now
    let timer: NodeJS.Timeout | undefined
    const late = new Promise((done) => (timer = setTimeout(done, Math.min(ms, left))))
    await Promise.race([Promise.all(young.map(([work]) => work)), late]).finally(() => clearTimeout(timer))
    return true
  }
}
