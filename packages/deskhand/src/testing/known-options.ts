import { DeskhandError } from '@deskhand/core/errors'

/** Tests in plain JavaScript have no types: a misspelt option would go unnoticed. */
export function mustKnow(options: object, known: readonly string[], what: string): void {
  const unknown = Object.keys(options).find((key) => !known.includes(key))
  if (unknown === undefined) return
  throw new DeskhandError('BAD_ARGS', `${what} has no option ${JSON.stringify(unknown)}`, { next: `There are: ${known.join(', ')}.` })
}
