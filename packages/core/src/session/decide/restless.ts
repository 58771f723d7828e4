/** Which texts change by themselves, such as a clock: again and again, and not as a consequence of input. */
export class Restless {
  readonly #changes = new Map<string, { count: number; last: number }>()
  readonly #now: () => number
  #touchedAt = -Infinity

  constructor(now: () => number = () => performance.now()) {
    this.#now = now
  }

  /** An element says something else than before. */
  changed(key: string): void {
    const now = this.#now()
    if (now - this.#touchedAt < AFTER_INPUT_MS) return
    const known = this.#changes.get(key)
    const isRecent = known !== undefined && now - known.last < REMEMBERED_MS
    if (isRecent && now - known.last < APART_MS) return
    this.#changes.delete(key)
    this.#changes.set(key, { count: isRecent ? known.count + 1 : 1, last: now })
    const [oldest] = this.#changes.keys()
    if (this.#changes.size > MOST && oldest !== undefined) this.#changes.delete(oldest)
  }

  /** Input is sent: what changes for a while may be its consequence. */
  touched(): void {
    this.#touchedAt = this.#now()
  }

  isRestless(key: string): boolean {
    const known = this.#changes.get(key)
    return known !== undefined && known.count >= TIMES && this.#now() - known.last < REMEMBERED_MS
  }
}

const TIMES = 2
const AFTER_INPUT_MS = 1_000
/** Changes closer together count as one. */
const APART_MS = 200
const REMEMBERED_MS = 60_000
const MOST = 10_000
