import { DeskhandError } from '@deskhand/core/errors'

/** Runs at most `places` jobs at a time, in order of arrival. A caller that aborts while waiting leaves the queue. */
export function limitConcurrency(places: number) {
  const waiting: (() => void)[] = []

  const enter = (signal?: AbortSignal) =>
    new Promise<void>((resolve, reject) => {
      const goIn = () => {
        signal?.removeEventListener('abort', giveUp)
        resolve()
      }
      const giveUp = () => {
        waiting.splice(waiting.indexOf(goIn), 1)
        reject(new DeskhandError('CANCELLED', 'The call was cancelled while it waited for its turn.'))
      }
      signal?.addEventListener('abort', giveUp, { once: true })
      waiting.push(goIn)
    })

  return async <T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> => {
    if (places > 0) places--
    else await enter(signal)
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else places++
    }
  }
}
