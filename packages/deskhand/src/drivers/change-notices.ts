import type { Changes, Cursor, Driver } from '@deskhand/core/driver'
import { DeskhandError } from '@deskhand/core/errors'

const LOOK_MS = 10_000

/** Tells a client that does not wait for changes itself when there are some: once, and again after it asked what they are. */
export class ChangeNotices {
  readonly #driver: Driver
  readonly #tell: () => Promise<void>
  #looking = new AbortController()

  constructor(driver: Driver, tell: () => Promise<void>) {
    this.#driver = driver
    this.#tell = tell
  }

  /** A client that asks has no need of a notice. */
  asked(): void {
    this.#looking.abort()
  }

  /** A client knows what was up to this cursor, and waits for nothing. */
  async lookFrom(cursor: Cursor): Promise<void> {
    this.#looking.abort()
    const { signal } = (this.#looking = new AbortController())
    let since = cursor
    while (!signal.aborted) {
      const news = await this.#changes(since, signal)
      if (signal.aborted || news === undefined) return
      if ('reset' in news || news.changes.length > 0) return this.#tell().catch(() => {})
      since = news.cursor
    }
  }

  async #changes(since: Cursor, signal: AbortSignal): Promise<Changes | undefined> {
    try {
      return await this.#driver.observe.changes(since, LOOK_MS, { signal, deadlineMs: 2 * LOOK_MS })
    } catch (thrown) {
      // A driver that cannot tell is asked by its client, who is then told why.
      return DeskhandError.from(thrown).code === 'TIMEOUT' ? { cursor: since, changes: [] } : undefined
    }
  }
}
