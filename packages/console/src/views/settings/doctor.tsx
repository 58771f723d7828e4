import type { Check as Checked } from '@deskhand/core/model'
import { Check, Minus } from 'lucide-react'
import { Read, type Reading } from '../../parts/reading.tsx'
import { Snippet } from '../../parts/snippet.tsx'
import { TEXT } from '../../text.ts'

/** What is there on the machine, what is missing, and the line that gets it. */
export function Doctor({ checks }: { checks: Reading<Checked[]> }) {
  return (
    <section className="panel padded rows" aria-label={TEXT.settings.doctor}>
      <h2>{TEXT.settings.doctor}</h2>
      <Read of={checks}>
        {(list) => (
          <ul className="plain-list">
            {list.map(({ what, ok, detail, fix }) => (
              <li key={what}>
                {ok ? <Check size={15} aria-label={TEXT.settings.there} /> : <Minus size={15} aria-label={TEXT.settings.missing} />} {what}
                <small>{detail}</small>
                {fix !== undefined && <Snippet text={fix} />}
              </li>
            ))}
          </ul>
        )}
      </Read>
    </section>
  )
}
