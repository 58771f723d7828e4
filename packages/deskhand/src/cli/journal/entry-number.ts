import { DeskhandError } from '@deskhand/core/errors'

/** The number of an entry, as a person gives it. */
export function entryNumber(text: string): number {
  if (/^\d+$/.test(text)) return Number(text)
  throw new DeskhandError('BAD_ARGS', `${JSON.stringify(text)} is no number of an entry`, { next: 'deskhand journal list shows them.' })
}
