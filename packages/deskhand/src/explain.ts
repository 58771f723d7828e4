import { DeskhandError } from '@deskhand/core/errors'
import { ACTIONS, type ActionKind } from '@deskhand/core/model'
import { explain, type Explanation, type RulePolicy } from '@deskhand/core/policy'
import type { Session } from '@deskhand/core/session'
import { TOOLS, toolNamed } from './tools/list.ts'

/** What the policy would say to a call by the agent `as`, on what the call would really touch now. Nothing is done. */
export async function explainCall(session: Session, policy: RulePolicy, tool: string, args: unknown, as: string): Promise<Explanation> {
  const { subject, setting } = await session.consider({ tool, kind: kindOf(tool), args: args ?? {}, principal: { id: as, role: 'agent' } })
  return explain(policy, subject, setting)
}

/** Every name that a rule can mean: tools as they are offered, and every action as `ui.*`. */
export const RULED: readonly string[] = [...new Set([...TOOLS.map((t) => t.name), ...Object.keys(ACTIONS).map((kind) => `ui.${kind}`)])]

/** The action that a rule is asked about. */
export function kindOf(tool: string): ActionKind {
  const kind = tool.replace(/^ui[._]/, '')
  if (tool !== kind && isKind(kind)) return kind
  const known = toolNamed(tool)
  if ('kind' in known) return known.kind
  throw new DeskhandError('BAD_ARGS', `${tool} is no single action, and no rule is asked about it as a whole`, {
    next: 'Explain the action it consists of, such as ui.click_xy.',
  })
}

export const isKind = (name: string): name is ActionKind => Object.hasOwn(ACTIONS, name)
