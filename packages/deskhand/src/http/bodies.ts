import type { IncomingMessage } from 'node:http'
import { DeskhandError } from '@deskhand/core/errors'
import { Refusal } from './problem.ts'

/** What may be held of the bodies of one agent or viewer whose requests are not answered yet. */
const MOST_BYTES = 64 * 2 ** 20

/** Who sent what is read of a request, and how many bytes of it. */
const shares = new WeakMap<IncomingMessage, { name: string; bytes: number; held: Map<string, number> }>()

/** Keeps memory for others: calls that wait hold what was sent with them. */
export class Bodies {
  readonly #held = new Map<string, number>()

  /** `name` tells the sender from all others. */
  begin(req: IncomingMessage, name: string): void {
    shares.set(req, { name, bytes: 0, held: this.#held })
  }

  /** The request is answered, or its client has left. */
  end(req: IncomingMessage): void {
    const { name, bytes } = shares.get(req) ?? { name: '', bytes: 0 }
    shares.delete(req)
    const left = (this.#held.get(name) ?? 0) - bytes
    if (left > 0) this.#held.set(name, left)
    else this.#held.delete(name)
  }
}

/** Counts bytes that were read; refuses them where its sender has too many under way. */
export function count(req: IncomingMessage, bytes: number): void {
  const share = shares.get(req)
  if (share === undefined) return
  const all = (share.held.get(share.name) ?? 0) + bytes
  if (all > MOST_BYTES) throw tooMany()
  share.bytes += bytes
  share.held.set(share.name, all)
}

const tooMany = (): Refusal =>
  new Refusal(
    429,
    new DeskhandError('RATE_LIMITED', `more than ${MOST_BYTES} bytes of your requests wait for their answers`, {
      next: 'Wait for some of them, or send less with each.',
    }),
    { 'retry-after': '1' },
  )
