/** So often is looked whether what lets someone in still counts. */
const LOOK_MS = 2_000

/** Why what let someone in does not count any more; undefined where it does. A rejection says neither. */
type Lost = () => Promise<unknown>

interface Open {
  lost: Lost
  end(why: unknown): void
  by: unknown
}

/** Connections, feeds, pictures and calls outlast the moment in which they were let in: one whose token or cookie was taken away ends soon after. */
export class Lasting {
  readonly #open = new Set<Open>()
  #timer: NodeJS.Timeout | undefined
  #isLooking = false

  /** What is returned is called when it has ended by itself. Those that were let in `by` the same are looked up once. */
  add(lost: Lost, end: Open['end'], by: unknown = lost): () => void {
    const open = { lost, end, by }
    this.#open.add(open)
    this.#timer ??= setInterval(() => void this.#look(), LOOK_MS).unref()
    return () => {
      this.#open.delete(open)
      if (this.#open.size > 0) return
      clearInterval(this.#timer)
      this.#timer = undefined
    }
  }

  /** Makes a call, and ends it when its caller has left or may not make it any more. */
  async during<T>(lost: Lost, left: AbortSignal | undefined, call: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const end = new AbortController()
    let taken: { why: unknown } | undefined
    const forget = this.add(lost, (why) => {
      taken = { why }
      end.abort()
    })
    const leave = (): void => end.abort(left?.reason)
    if (left?.aborted === true) leave()
    left?.addEventListener('abort', leave, { once: true })
    try {
      return await call(end.signal)
    } catch (thrown) {
      throw taken === undefined ? thrown : taken.why
    } finally {
      left?.removeEventListener('abort', leave)
      forget()
    }
  }

  /** A look that takes longer than the time between two is not made twice at once. */
  async #look(): Promise<void> {
    if (this.#isLooking) return
    this.#isLooking = true
    try {
      const known = new Map<unknown, unknown>()
      for (const { lost, end, by } of [...this.#open]) {
        if (!known.has(by)) known.set(by, await lost().catch(() => undefined))
        const why = known.get(by)
        if (why !== undefined) end(why)
      }
    } finally {
      this.#isLooking = false
    }
  }
}
