import type { Check as Checked } from '@deskhand/core/model'
import { Check, Minus } from 'lucide-react'
import { useEffect, useState } from 'react'
import { useAct, useConsole } from '../../parts/context.ts'
import { TEXT } from '../../text.ts'

/** What is there on the machine, what is missing, and the line that gets it. */
export function Doctor() {
  const { store, api } = useConsole()
  const [checks, setChecks] = useState<readonly Checked[]>()
  const act = useAct()
  useEffect(() => {
    if (api.mayOperate) act(async () => setChecks(await store.api.doctor()))
  }, [act, api, store])
  if (!api.mayOperate) return null
  return (
    <section className="panel padded rows" aria-label={TEXT.settings.doctor} aria-busy={checks === undefined}>
      <h2>{TEXT.settings.doctor}</h2>
      <ul className="plain-list">
        {checks?.map(({ what, ok, detail, fix }) => (
          <li key={what}>
            {ok ? <Check size={15} aria-label="there" /> : <Minus size={15} aria-label={TEXT.settings.missing} />} {what}
            <small>{detail}</small>
            {fix !== undefined && <pre>{fix}</pre>}
          </li>
        ))}
      </ul>
    </section>
  )
}
