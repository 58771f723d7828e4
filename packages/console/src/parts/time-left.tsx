import { useEffect, useState } from 'react'
import { TEXT } from '../text.ts'

const SOON_MS = 60_000
const RADIUS = 8
const AROUND = 2 * Math.PI * RADIUS

interface TimeLeftProps {
  from?: string
  until: string
  /** What happens then. */
  ending?: string
}

/** How much time is left, in words, and as a ring that empties where it is known from when on it runs. */
export function TimeLeft({ from, until, ending = '' }: TimeLeftProps) {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1_000)
    return () => clearInterval(timer)
  }, [])
  const left = Math.max(0, Date.parse(until) - now)
  const part = from === undefined ? undefined : Math.min(1, left / Math.max(1, Date.parse(until) - Date.parse(from)))
  const words = clockOf(left)
  return (
    <time className={`left ${left < SOON_MS ? 'soon' : ''}`} role="timer" title={part === undefined ? undefined : TEXT.timeLeft(words)}>
      {part !== undefined && (
        <svg className="ring" viewBox="0 0 20 20" width="20" height="20" aria-hidden="true">
          <circle cx="10" cy="10" r={RADIUS} />
          <circle className="rest" cx="10" cy="10" r={RADIUS} strokeDasharray={`${part * AROUND} ${AROUND}`} />
        </svg>
      )}
      {`${ending} ${words}`.trim()}
    </time>
  )
}

function clockOf(ms: number): string {
  const seconds = Math.ceil(ms / 1_000)
  const two = (n: number): string => String(n).padStart(2, '0')
  const [hours, minutes] = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60]
  return hours === 0 ? `${minutes}:${two(seconds % 60)}` : `${hours}:${two(minutes)}:${two(seconds % 60)}`
}
