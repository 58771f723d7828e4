import { setTimeout as sleep } from 'node:timers/promises'

/** What comes of it, unless it takes longer: then it fails with these words. */
export async function inTime<T>(result: Promise<T>, ms: number, otherwise: string): Promise<T> {
  const stop = new AbortController()
  const late = sleep(ms, undefined, { signal: stop.signal }).then(() => {
    throw new Error(`${otherwise} within ${Math.round(ms / 1000)} s`)
  })
  late.catch(() => {})
  try {
    return await Promise.race([result, late])
  } finally {
    stop.abort()
  }
}
