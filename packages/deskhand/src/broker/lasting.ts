/** So often is looked whether what lets someone in still counts. */
const LOOK_MS = 2_000

interface Open {
  holds(): Promise<unknown>
  end(why: unknown): void
}

/** Connections, feeds, pictures and calls outlast the moment in which they were let in: one whose token or cookie was taken away ends soon after. */
export class Lasting {
  readonly #open = new Set<Open>()
  #timer: NodeJS.Timeout | undefined

  /** `holds` rejects when it has to end; what is returned is called when it has ended by itself. */
  add(holds: Open['holds'], end: Open['end']): () => void {
    const open = { holds, end }
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
  async during<T>(holds: Open['holds'], left: AbortSignal | undefined, call: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const end = new AbortController()
    let taken: { why: unknown } | undefined
    const forget = this.add(holds, (why) => {
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

  async #look(): Promise<void> {
    for (const { holds, end } of [...this.#open]) await holds().catch(end)
  }
}
