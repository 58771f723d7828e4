import { useCallback, useEffect, useState, type ReactNode } from 'react'
import { useDesktop, useUnread, wordsOf } from './context.ts'
import { Button } from './parts.tsx'
import { TEXT } from '../text.ts'

/** Something that is read from the server: on its way, there, or not to be had. */
export interface Reading<T> {
  value: T | undefined
  problem: string
  again(): void
}

/** Reads when it is first needed, and again when the server is back. `read` must stay the same function while it means the same. */
export function useReading<T>(read: () => Promise<T>): Reading<T> {
  const { link } = useDesktop()
  const [found, setFound] = useState<{ of: unknown; value?: T; problem: string }>({ of: read, problem: '' })
  const [times, setTimes] = useState(0)
  const isOffline = link === 'offline'
  useEffect(() => {
    if (isOffline) return
    let isOld = false
    read().then(
      (value) => isOld || setFound({ of: read, value, problem: '' }),
      (thrown: unknown) => isOld || setFound((known) => ({ ...(known.of === read ? known : {}), of: read, problem: wordsOf(thrown) })),
    )
    return () => void (isOld = true)
  }, [read, isOffline, times])
  const again = useCallback(() => setTimes((n) => n + 1), [])
  const { value, problem } = found.of === read ? found : { value: undefined, problem: '' }
  return { value, problem, again }
}

/** What is shown of it: itself, that it is being read, or why it cannot be, with a way to try again. */
export function Read<T>({ of: { value, problem, again }, children }: { of: Reading<T>; children(value: T): ReactNode }) {
  const unread = useUnread()
  if (value !== undefined) return children(value)
  if (problem !== '')
    return (
      <div className="failed" role="alert">
        <p>
          {TEXT.cannotRead} {problem}
        </p>
        <Button onClick={again}>{TEXT.tryAgain}</Button>
      </div>
    )
  return (
    <p className="loading" aria-busy="true">
      {unread}
    </p>
  )
}
