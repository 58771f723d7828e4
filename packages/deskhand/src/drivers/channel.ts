import type { DeskhandError } from '@deskhand/core/errors'
import { Rate } from './rate.ts'

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

const MOST_BYTES = 64 * 2 ** 20

/** What a server may send in a second, whatever messages it is in. */
export const byteRate = (most = MOST_BYTES): Rate => new Rate(1000, most, 'bytes in a second')
