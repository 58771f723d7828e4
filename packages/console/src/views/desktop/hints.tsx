import { X } from 'lucide-react'
import { useState } from 'react'
import { TEXT } from '../../text.ts'

const KEY = 'deskhand.hints'

/** What a person needs to know in the first minutes, one hint at a time; then none. */
export function Hints() {
  const [read, setRead] = useState(() => Number(localStorage.getItem(KEY) ?? 0))
  const hint = TEXT.hints[read]
  if (hint === undefined) return null
  const next = (): void => {
    localStorage.setItem(KEY, String(read + 1))
    setRead(read + 1)
  }
  return (
    <p className="hint">
      <span>
        {read + 1} / {TEXT.hints.length}
      </span>
      {hint}
      <button type="button" className="button quiet" onClick={next} aria-label={TEXT.gotIt}>
        <X size={15} aria-hidden="true" />
      </button>
    </p>
  )
}
