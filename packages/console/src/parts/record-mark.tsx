import { Shield, ShieldAlert, ShieldCheck } from 'lucide-react'
import { useState } from 'react'
import { useConsole, useDesktop } from './context.ts'
import { TEXT } from '../text.ts'

/** Whether the record is what was written, and up to where that was checked; pressed, it is checked again. */
export function RecordMark() {
  const { store } = useConsole()
  const { check, newest } = useDesktop()
  const [isChecking, setChecking] = useState(false)
  if (check === undefined) return null
  const again = async (): Promise<void> => {
    setChecking(true)
    await store.check()
    setChecking(false)
  }
  const { ok, entries, anchoredTo, problems } = check
  const [first] = problems
  const newer = Math.max(0, newest - entries)
  const words = !ok ? TEXT.brokenAt(first?.seq ?? 0) : newer === 0 ? TEXT.verified(entries) : TEXT.verifiedTo(entries, newer)
  const Icon = !ok ? ShieldAlert : newer === 0 ? ShieldCheck : Shield
  return (
    <button
      type="button"
      className={`chip mark ${!ok ? 'bad' : newer === 0 ? 'ok' : 'plain'}`}
      aria-busy={isChecking}
      title={`${first?.detail ?? TEXT.anchored(entries, anchoredTo)} ${TEXT.checkAgain}`}
      onClick={() => void again()}
    >
      <Icon size={14} aria-hidden="true" />
      {words}
    </button>
  )
}
