import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { DeskhandError } from '../../errors.ts'
import type { TargetFacts } from '../../model/index.ts'

/** How often a picture is taken again, and how long in between: longer in all than a caret takes to blink. */
const LOOKS = 4
const BETWEEN_MS = 350
/** A caret that blinks makes two, of which the one that was shown comes again; what has more changes by itself. */
const MOST_FACES = 2

/** Takes the picture that a person was shown once more; nothing where that cannot be done. */
export type Look = () => Promise<Uint8Array | undefined>

interface Bound {
  shown: string
  look: Look
}

/** Binds answers to the picture that a person was shown, where nothing else tells what stands around a target. */
export class BoundPictures {
  readonly #bound = new Map<string, Bound>()

  /** Looks again for a while; whether it changes by itself, which an answer is not bound to. */
  async bind(id: string, png: Uint8Array, look: Look, signal: AbortSignal): Promise<boolean> {
    const shown = digestOf(png)
    const faces = new Set([shown])
    this.#bound.set(id, { shown, look })
    for (let looks = 0; looks < LOOKS; looks++) {
      await sleep(BETWEEN_MS, undefined, { signal, ref: false })
      const now = await look()
      // What is shown after the answer is no part of what the person saw.
      signal.throwIfAborted()
      if (now !== undefined) faces.add(digestOf(now))
      if (faces.size <= MOST_FACES) continue
      this.#bound.delete(id)
      return true
    }
    return false
  }

  /** Throws when it looks otherwise than the person saw it. */
  async mustBeSame(id: string, signal: AbortSignal): Promise<void> {
    const bound = this.#bound.get(id)
    if (bound === undefined) return
    for (let looks = 0; looks < LOOKS; looks++) {
      if (looks > 0) await sleep(BETWEEN_MS, undefined, { signal })
      const now = await bound.look()
      if (now !== undefined && digestOf(now) === bound.shown) return
    }
    throw new DeskhandError('TARGET_CHANGED', 'the question is void: its picture changed while it waited', {
      next: 'Take a new snapshot; if it is still wanted, call again.',
    })
  }

  forget(id: string): void {
    this.#bound.delete(id)
  }
}

/** Whether pixels alone tell what a target is, and what stands around it. */
export const isOnlySeen = ({ region, unread, role }: TargetFacts): boolean => region !== undefined || unread === true || UNTOLD.has(role)

const UNTOLD: ReadonlySet<string> = new Set(['region', 'desktop', 'unknown'])

const digestOf = (png: Uint8Array): string => createHash('sha256').update(png).digest('base64')
