import { DeskhandError } from '@deskhand/core/errors'

/** A JSON-RPC message of either side. */
export type Message = Record<string, unknown>

/** The way to an MCP server. What comes over it is not trusted: a channel bounds its size and ends with a reason. */
export interface Channel {
  send(message: Message): void
  /** Names who takes the messages; do it in the same tick in which the channel was opened. */
  listen(take: (message: Message) => void): void
  /** When the channel has ended, for any reason, and why. */
  readonly ended: Promise<DeskhandError>
  /** Ends it, and what was started for it: at once where the server did something wrong. */
  close(why?: DeskhandError): Promise<void>
}

/** What an added driver may send in one message: a tree of some ten thousand nodes. */
export const LONGEST_MESSAGE = 16 * 2 ** 20

/** What an added driver may send in a second; more is a flood. */
const MOST_BYTES = 64 * 2 ** 20
const SECOND_MS = 1000

/** Counts the bytes of a server, whatever messages they are in. */
export class ByteRate {
  readonly #most: number
  #from = performance.now()
  #bytes = 0

  constructor(most = MOST_BYTES) {
    this.#most = most
  }

  /** The failure to end the channel with, once it is too much. */
  count(bytes: number): DeskhandError | undefined {
    const now = performance.now()
    if (now - this.#from > SECOND_MS) [this.#from, this.#bytes] = [now, 0]
    this.#bytes += bytes
    return this.#bytes > this.#most
      ? new DeskhandError('PROTOCOL', `The driver sent more than ${this.#most} bytes in a second.`)
      : undefined
  }
}
