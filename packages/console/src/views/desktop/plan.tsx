import type { PlannedStep } from '@deskhand/core/model'
import { Chip } from '../../parts/parts.tsx'
import { wanted } from '../../state/sentences.ts'
import { TEXT } from '../../text.ts'

/** A rehearsed plan, step by step: what is known of each, what is not and why, and what the answer means for it. */
export function Plan({ steps }: { steps: readonly PlannedStep[] }) {
  return (
    <ol className="plan" aria-label={TEXT.planned}>
      {steps.map((step) => (
        <li key={step.n}>
          {wanted(step)} {step.state === 'unknown' && <Chip look="warn">{TEXT.notKnown}</Chip>}{' '}
          <Chip look={step.needs === 'plan' ? '' : step.needs === 'nothing' ? 'plain' : 'warn'}>{meaning(step)}</Chip>
          {step.risk !== undefined && step.risk.level !== 'low' && <small> {TEXT.risk[step.risk.level]}</small>}
          {step.why !== undefined && <small className="block">{step.why}</small>}
        </li>
      ))}
    </ol>
  )
}

function meaning({ needs, decision, error }: PlannedStep): string {
  if (needs !== 'nothing') return TEXT.needs[needs]
  if (error !== undefined) return TEXT.wouldFail(error.code)
  return decision?.verdict === 'deny' ? TEXT.marks.denied : TEXT.needs.nothing
}
