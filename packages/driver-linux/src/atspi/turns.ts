type Work = () => Promise<void>

interface Turn {
  done: Promise<void>
  next: Work | undefined
}

/** One at a time for each subject; what is asked for meanwhile is done once, afterwards, and only how that ends counts. */
export class Turns<T> {
  readonly #under = new Map<T, Turn>()

  /** Something is being done, or waits for that. */
  get any(): boolean {
    return this.#under.size > 0
  }

  take(subject: T, work: Work): Promise<void> {
    const under = this.#under.get(subject)
    if (under !== undefined) {
      under.next = work
      return under.done
    }
    const turn: Turn = { done: Promise.resolve(), next: undefined }
    this.#under.set(subject, turn)
    turn.done = run(turn, work).finally(() => this.#under.delete(subject))
    return turn.done
  }
}

async function run(turn: Turn, work: Work): Promise<void> {
  const end = await work().then(
    () => undefined,
    (error: unknown) => ({ error }),
  )
  const { next } = turn
  if (next === undefined) {
    if (end !== undefined) throw end.error
    return
  }
  turn.next = undefined
  return run(turn, next)
}
