import type { Grant } from '../../model/index.ts'
import type { Planned } from './plans.ts'

/** What stands for a person's answer to a call that asks: a standing grant, or the plan whose next step the call is. */
export type Consent = { by: 'grant'; grant: Grant } | { by: 'plan'; planned: Planned }

export function consentName(consent: Consent): string {
  switch (consent.by) {
    case 'grant':
      return `grant ${consent.grant.id}`
    case 'plan':
      return `step ${consent.planned.step} of plan ${consent.planned.approval}`
    default:
      return consent satisfies never
  }
}
