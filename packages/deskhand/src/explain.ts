import { DeskhandError } from '@deskhand/core/errors'
import { explain, type Explanation, type RulePolicy } from '@deskhand/core/policy'
import type { Session } from '@deskhand/core/session'
import { toolNamed } from './tools/list.ts'

/** What the policy would say to a call by the agent `as`, on what the call would really touch now. Nothing is done. */
export async function explainCall(session: Session, policy: RulePolicy, tool: string, args: unknown, as: string): Promise<Explanation> {
  const known = toolNamed(tool)
  if (!('kind' in known)) throw new DeskhandError('BAD_ARGS', `${tool} is no single action; explain the ui.* calls it is made of`)
  const { subject, setting } = await session.consider({ tool: known.name, kind: known.kind, args: args ?? {}, principal: { id: as, role: 'agent' } })
  return explain(policy, subject, setting)
}
