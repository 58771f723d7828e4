import type { DeskhandError } from '../errors.ts'
import type { Effect, Result } from '../model/index.ts'

/** What a call came to, before it is written down. */
export interface Outcome {
  sent: Result['sent']
  effect: Effect
  via?: string
  verification?: Result['verification']
  evidence?: Result['evidence']
  data?: unknown
  text?: string
  images?: Result['images']
  /** It was carried out, and yet it is a failure: a post-condition that did not hold. */
  failure?: DeskhandError
}

/** The outcome of a call that only looked. */
export const LOOKED = { sent: 'none', effect: 'none' } as const
