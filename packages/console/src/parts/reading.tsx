import { useCallback, useEffect, useRef, useState, type ReactNode } from 'react'
import { useDesktop, useUnread, wordsOf } from './context.ts'
import { Button } from './parts.tsx'
import { TEXT } from '../text.ts'

/** Something that is read from the server: on its way, there, or not to be had. */
export interface Reading<T> {
  value: T | undefined
  problem: string
  again(): void
}

const AGAIN_MS = 1_000

/**
 * Reads when it is first needed, again when the server is back, and once a second at most while `news` changes. `read` must stay the same
 * function while it means the same.
 */
export function useReading<T>(read: () => Promise<T>, news = 0): Reading<T> {
  const { link } = useDesktop()
  const [found, setFound] = useState<{ of: unknown; value?: T; problem: string }>({ of: read, problem: '' })
  const [times, setTimes] = useState(0)
  const isOffline = link === 'offline'
  const due = useSlowly(news)
  useEffect(() => {
    if (isOffline) return
    let isOld = false
    read().then(
      (value) => isOld || setFound({ of: read, value, problem: '' }),
      (thrown: unknown) => isOld || setFound((known) => ({ ...(known.of === read ? known : {}), of: read, problem: wordsOf(thrown) })),
    )
    return () => void (isOld = true)
  }, [read, isOffline, times, due])
  const again = useCallback(() => setTimes((n) => n + 1), [])
  const { value, problem } = found.of === read ? found : { value: undefined, problem: '' }
  return { value, problem, again }
}

/** The same number, but changed once a second at most. */
function useSlowly(news: number): number {
  const [told, setTold] = useState(news)
  const toldAt = useRef(-Infinity)
  useEffect(() => {
    if (news === told) return
    const tell = (): void => {
      toldAt.current = performance.now()
      setTold(news)
    }
    const timer = setTimeout(tell, toldAt.current + AGAIN_MS - performance.now())
    return () => clearTimeout(timer)
  }, [news, told])
  return told
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
