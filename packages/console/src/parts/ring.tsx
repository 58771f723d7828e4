import { useEffect, useState } from 'react'

const RADIUS = 11
const ROUND = 2 * Math.PI * RADIUS

/** How much of the time for an answer is left. */
export function Ring({ from, until }: { from: string; until: string }) {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1_000)
    return () => clearInterval(timer)
  }, [])
  const left = Math.max(0, Date.parse(until) - now)
  const share = left / Math.max(1, Date.parse(until) - Date.parse(from))
  const seconds = Math.ceil(left / 1_000)
  const words = seconds > 90 ? `${Math.round(seconds / 60)} min left` : `${seconds} s left`
  return (
    <svg className="ring" viewBox="0 0 26 26" role="timer" aria-label={words}>
      <title>{words}</title>
      <circle cx="13" cy="13" r={RADIUS} stroke="var(--line)" />
      <circle
        cx="13"
        cy="13"
        r={RADIUS}
        stroke={share < 0.25 ? 'var(--bad)' : 'var(--warn)'}
        strokeDasharray={`${ROUND * Math.min(1, share)} ${ROUND}`}
        strokeLinecap="round"
        transform="rotate(-90 13 13)"
      />
    </svg>
  )
}
