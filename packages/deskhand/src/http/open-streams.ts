/** So often is looked whether a stream's token or cookie still counts. */
const LOOK_MS = 2_000

interface Stream {
  holds(): Promise<unknown>
  end(): void
}

/** Feeds and pictures outlast the request that opened them: one whose token or cookie was taken away ends soon after. */
export class OpenStreams {
  readonly #open = new Set<Stream>()
  #timer: NodeJS.Timeout | undefined

  /** `holds` rejects when the stream has to end; what is returned is called when it has ended by itself. */
  add(holds: Stream['holds'], end: Stream['end']): () => void {
    const stream = { holds, end }
    this.#open.add(stream)
    this.#timer ??= setInterval(() => void this.#look(), LOOK_MS).unref()
    return () => {
      this.#open.delete(stream)
      if (this.#open.size > 0) return
      clearInterval(this.#timer)
      this.#timer = undefined
    }
  }

  async #look(): Promise<void> {
    for (const { holds, end } of [...this.#open]) await holds().catch(end)
  }
}
