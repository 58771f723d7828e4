import type { ActivityLog } from '@deskhand/core/driver'
import type { Connection } from './connection.ts'
import type { WaylandInput } from './input.ts'

/** The shortest time without input after which the compositor says so. */
const IDLE_MS = 1
const RESUMED = 1

/**
 * A person's input, told from ours by a timer: the compositor says when the seat comes out of a millisecond without input, and if nothing of
 * ours is under way then, another one caused it. It does not say what was done or where, so that everything counts as a key, which holds up more.
 */
export class HumanWatch {
  readonly #connection: Connection
  #isSending = false
  #hasSent = false

  constructor(connection: Connection, input: WaylandInput, activity: ActivityLog) {
    this.#connection = connection
    const seat = connection.bind('wl_seat', 1)
    const isNew = connection.version(EXT) > 0
    const notifier = connection.bind(isNew ? EXT : KDE, 1)
    const timer = connection.create((event) => {
      if (event !== RESUMED || this.#isSending) return
      activity.count('keys')
      activity.tell()
    })
    if (isNew) connection.request(notifier, 1, [timer, IDLE_MS, seat])
    else connection.request(notifier, 0, [timer, seat, IDLE_MS])
    input.onSent = () => this.#sent()
  }

  /** Ours is under way until the compositor has answered a question that was sent after it. */
  #sent(): void {
    this.#hasSent = true
    if (!this.#isSending) void this.#await().catch(() => {})
  }

  async #await(): Promise<void> {
    this.#isSending = true
    try {
      while (this.#hasSent) {
        this.#hasSent = false
        await this.#connection.sync()
      }
    } finally {
      this.#isSending = false
    }
  }
}

const EXT = 'ext_idle_notifier_v1'
const KDE = 'org_kde_kwin_idle'
