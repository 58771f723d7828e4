import { DeskhandError } from '@deskhand/core/errors'
import { Plan } from '@deskhand/core/model'
import type { CallOptions, Desk } from './desk.ts'

/** What a list of calls would touch and what would be decided; none of them is made. `ask` puts it to a person as one plan. */
export async function rehearse(
  desk: Desk,
  actions: readonly { tool: string; args?: unknown }[],
  { ask, ...options }: CallOptions & { ask?: boolean } = {},
): Promise<Plan> {
  const { data, error } = await desk.call('plan.rehearse', { actions, ask }, options)
  if (error !== undefined) throw DeskhandError.revive(error)
  return Plan.parse(data)
}
