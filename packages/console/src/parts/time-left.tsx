import { useEffect, useState } from 'react'
import { TEXT } from '../text.ts'

const SOON_MS = 60_000

/** How much of the time for an answer is left. */
export function TimeLeft({ until }: { until: string }) {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1_000)
    return () => clearInterval(timer)
  }, [])
  const left = Math.max(0, Date.parse(until) - now)
  const seconds = Math.ceil(left / 1_000)
  const words = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
  return (
    <time className={`left ${left < SOON_MS ? 'soon' : ''}`} role="timer" title={TEXT.timeLeft(words)}>
      {words}
    </time>
  )
}
