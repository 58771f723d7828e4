import type { Grant } from '../model/index.ts'
import type { Planned } from './plans.ts'

/** What stands for a person's answer to a call that asks: a standing grant, or the plan whose next step the call is. */
export type Cover = { by: 'grant'; grant: Grant } | { by: 'plan'; planned: Planned }

export function coverName(cover: Cover): string {
  switch (cover.by) {
    case 'grant':
      return `grant ${cover.grant.id}`
    case 'plan':
      return `step ${cover.planned.step} of plan ${cover.planned.approval}`
    default:
      return cover satisfies never
  }
}
