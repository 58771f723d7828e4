/** What a subject is worth waiting for may be less after a moment: then it turned out to be large. */
const LOOK_MS = 50

/** Work that was begun and has not ended, by whom it is about, and since when. */
export class UnderWay<T> {
  /** How long what is about a subject is waited for. */
  readonly #patienceOf: (subject: T) => number
  readonly #work = new Map<T, Map<Promise<void>, number>>()

  constructor(patienceOf: (subject: T) => number) {
    this.#patienceOf = patienceOf
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
    const now = performance.now()
    const isLate = ([subject, work]: [T, Map<Promise<void>, number>]): boolean =>
      [...work.values()].some((begun) => begun <= now - this.#patienceOf(subject))
    return new Set([...this.#work].filter(isLate).map(([subject]) => subject))
  }

  /** Waits for what was begun recently, as long as each is worth waiting for, at most `ms`. False when there is nothing to wait for. */
  async recent(ms: number): Promise<boolean> {
    const end = performance.now() + ms
    for (let waited = false; ; waited = true) {
      const now = performance.now()
      const young = [...this.#work].flatMap(([subject, works]) =>
        [...works].map(([work, begun]) => ({ work, left: begun + this.#patienceOf(subject) - now })).filter(({ left }) => left > 0),
      )
      if (young.length === 0) return waited
      if (waited && now >= end) return true
      const left = Math.min(end - now, LOOK_MS, Math.max(...young.map((y) => y.left)))
      if (
        await all(
          young.map((y) => y.work),
          left,
        )
      )
        return true
    }
  }
}

/** True when all of it ended within so many milliseconds. */
async function all(work: readonly Promise<void>[], ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<false>((done) => (timer = setTimeout(() => done(false), ms)))
  return Promise.race([Promise.all(work).then(() => true), late]).finally(() => clearTimeout(timer))
}
