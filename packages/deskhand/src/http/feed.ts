import type { DesktopEvent } from '@deskhand/core/model'

/** How many events are kept for readers that are behind or come back. */
const KEEP = 4_096

export interface Told {
  id: string
  /** The event as it is sent; made once for all readers, when the first of them takes it. */
  readonly json: string
  event: DesktopEvent
}

function toldOf(event: DesktopEvent): Told {
  let json: string | undefined
  return {
    id: event.id,
    event,
    get json() {
      return (json ??= JSON.stringify(event))
    },
  }
}

/**
 * The feed of one desktop as its broker sends it, for any number of readers. They read from one ring at their own pace: a slow one costs
 * nothing, and is told what it missed.
 */
export class Feed {
  readonly #ring: (Told | undefined)[] = []
  readonly #waiting = new Set<() => void>()
  #life = ''
  /** The numbers of the oldest event that is kept, and of the next one. */
  #oldest = 1
  #next = 1
  #closed = false

  /** The id of the newest event. */
  get last(): string {
    return `${this.#life}-${this.#next - 1}`
  }

  /** Begins a feed at this event. */
  begin(last: string): void {
    const [life, n] = partsOf(last)
    this.#life = life
    this.#oldest = this.#next = n + 1
  }

  push(event: DesktopEvent): void {
    if (event.type === 'missed') {
      this.#oldest = this.#next = partsOf(event.next)[1]
      return
    }
    this.#ring[this.#next % KEEP] = toldOf(event)
    this.#next++
    this.#oldest = Math.max(this.#oldest, this.#next - KEEP)
    this.#wake()
  }

  /** Events after the one with this id, or from now on, until the signal or the desktop's end. */
  async *subscribe(after: string | undefined, signal: AbortSignal): AsyncGenerator<Told, void, undefined> {
    let at = after === undefined ? this.#next - 1 : this.#numberOf(after)
    if (at === undefined) {
      yield this.#missed(1)
      at = this.#oldest - 1
    }
    const wake = (): void => this.#wake()
    signal.addEventListener('abort', wake, { once: true })
    try {
      while (!signal.aborted) {
        if (at < this.#oldest - 1) {
          yield this.#missed(at + 1)
          at = this.#oldest - 1
          continue
        }
        if (at < this.#next - 1) {
          const told = this.#ring[++at % KEEP]
          if (told !== undefined) yield told
          continue
        }
        if (this.#closed) return
        await new Promise<void>((done) => this.#waiting.add(done))
      }
    } finally {
      signal.removeEventListener('abort', wake)
    }
  }

  close(): void {
    this.#closed = true
    this.#wake()
  }

  #wake(): void {
    const waiting = [...this.#waiting]
    this.#waiting.clear()
    for (const done of waiting) done()
  }

  /** Undefined for an id of another life, or of no event. */
  #numberOf(id: string): number | undefined {
    const [life, n] = partsOf(id)
    return life === this.#life && Number.isInteger(n) && n >= 0 && n < this.#next ? n : undefined
  }

  #missed(from: number): Told {
    const id = `${this.#life}-${this.#oldest - 1}`
    const event: DesktopEvent = {
      id,
      time: new Date().toISOString(),
      type: 'missed',
      from: `${this.#life}-${from}`,
      next: `${this.#life}-${this.#oldest}`,
    }
    return toldOf(event)
  }
}

function partsOf(id: string): [life: string, n: number] {
  const at = id.lastIndexOf('-')
  return [id.slice(0, at), /^\d{1,15}$/.test(id.slice(at + 1)) ? Number(id.slice(at + 1)) : Number.NaN]
}
