import { ShieldAlert, ShieldCheck } from 'lucide-react'
import { useState } from 'react'
import { useConsole, useDesktop } from './context.ts'
import { TEXT } from '../text.ts'

/** Whether the record is what was written, as of the last check; pressed, it is checked again. */
export function RecordMark() {
  const { store } = useConsole()
  const { check } = useDesktop()
  const [isChecking, setChecking] = useState(false)
  if (check === undefined) return null
  const again = async (): Promise<void> => {
    setChecking(true)
    await store.check()
    setChecking(false)
  }
  const { ok, entries, anchoredTo, problems } = check
  const [first] = problems
  const words = ok ? TEXT.verifiedTo(entries) : TEXT.brokenAt(first?.seq ?? 0)
  return (
    <button
      type="button"
      className={`chip mark ${ok ? 'ok' : 'bad'}`}
      aria-busy={isChecking}
      title={`${first?.detail ?? TEXT.anchored(entries, anchoredTo)} ${TEXT.checkAgain}`}
      onClick={() => void again()}
    >
      {ok ? <ShieldCheck size={14} aria-hidden="true" /> : <ShieldAlert size={14} aria-hidden="true" />}
      {words}
    </button>
  )
}
