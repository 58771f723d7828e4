import type { PlannedStep } from '@deskhand/core/model'
import { Chip } from '../../parts/parts.tsx'
import { wanted } from '../../state/sentences.ts'
import { TEXT } from '../../text.ts'

/** A rehearsed plan, step by step, numbered as on the picture: what the answer means for each, and why one cannot be known yet. */
export function Plan({ steps }: { steps: readonly PlannedStep[] }) {
  return (
    <ol className="plan" aria-label={TEXT.planned}>
      {steps.map((step) => (
        <li key={step.n}>
          <span className={`n ${step.needs === 'plan' ? (step.risk?.level ?? '') : 'later'}`}>{step.n}</span> {wanted(step)}{' '}
          <Chip look={step.needs === 'plan' ? '' : 'plain'}>{meaning(step)}</Chip>
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

/** The numbers of the steps that an answer covers. */
export const coveredSteps = (steps: readonly PlannedStep[] = []): readonly number[] =>
  steps.filter(({ needs }) => needs === 'plan').map(({ n }) => n)
