import { useCallback } from 'react'
import { useConsole } from '../../parts/context.ts'
import { Chip } from '../../parts/parts.tsx'
import { Read, useReading } from '../../parts/reading.tsx'
import { reasonOf } from '../../state/rules.ts'
import { TEXT } from '../../text.ts'

/** What the policy would say to a click of an agent on what a selector names. Ids are each caller's own; a selector means the same to all. */
export function Verdict({ selector }: { selector: string }) {
  const { store } = useConsole()
  const explain = useCallback(() => store.api.explain('ui.click', { target: selector }, 'agent'), [selector, store])
  const said = useReading(explain)
  return (
    <div className="rows" role="group" aria-label={TEXT.inspector.wouldClick}>
      <h3>{TEXT.inspector.wouldClick}</h3>
      <Read of={said}>
        {({ decision, risk }) => (
          <>
            <div className="chips">
              <Chip look={decision.verdict === 'allow' ? 'ok' : decision.verdict === 'deny' ? 'bad' : 'warn'}>
                {TEXT.verdicts[decision.verdict]}
              </Chip>
              <Chip look="plain">{TEXT.risk[risk.level]}</Chip>
            </div>
            <p>{reasonOf(decision)}</p>
          </>
        )}
      </Read>
    </div>
  )
}
