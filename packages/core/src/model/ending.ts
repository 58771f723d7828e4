import type { Result } from './result.ts'

/** A result that says whether its call may be sent again. What is sent twice is done twice: only what sent nothing can be safe. */
export function ending(result: Omit<Result, 'retry'>): Result {
  const { sent, error } = result
  if (error === undefined) return { ...result, retry: sent === 'none' ? 'safe' : 'observe_first' }
  // A call that ran out of time before anything was sent has changed nothing.
  const unsent = error.code === 'TIMEOUT' ? 'safe' : error.retry
  const retry = error.retry === 'never' ? 'never' : sent === 'none' ? unsent : 'observe_first'
  return { ...result, retry, error: { ...error, retry } }
}
