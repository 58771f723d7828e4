import { isKind, KINDS, TRAITS, type Explanation, type Principal } from '@deskhand/core/model'
import { explain, type RulePolicy } from '@deskhand/core/policy'
import { TOOLS, toolNamed } from '../tools/list.ts'
import { actionsOf, nothingToDo, type PlannedAction } from '../tools/plan.ts'
import { performer, type ToolContext } from '../tools/tool.ts'

/** What the policy would say to a call by the agent `as`, on what the call would really touch now. Nothing is done. */
export async function explainCall(
  on: ToolContext,
  policy: RulePolicy,
  { tool, args, as, intent }: { tool: string; args?: unknown; as: string; intent?: string },
): Promise<Explanation> {
  const principal: Principal = { id: as, role: 'agent' }
  const action = await actionOf(on, tool, args ?? {}, principal)
  const { subject, setting } = await on.session.consider({ ...action, principal, intent })
  return explain(policy, subject, setting)
}

/** Every name that a rule can mean: tools as they are offered, every action as `ui.*`, and the pictures that are kept as evidence. */
export const RULED: readonly string[] = [
  ...new Set([...TOOLS.map((t) => t.name), ...KINDS.map((kind) => `ui.${kind}`), 'evidence.picture']),
]

/** The action that a rule is asked about; of a composed tool the first thing it would do. To find that out it may have to look. */
async function actionOf(on: ToolContext, tool: string, args: unknown, who: Principal): Promise<PlannedAction> {
  const kind = tool.replace(/^ui[._]/, '')
  if (tool !== kind && isKind(kind)) return { tool, kind, args }
  const known = toolNamed(tool)
  const look = performer(on.session, known.name, who, { intent: 'deskhand policy explain' })
  const [first] = await actionsOf(known, args, look, on, who)
  // A rehearsal goes on behind a step that only looked; an explanation of the look would pass for one of the act.
  if (TRAITS[first.kind].reads && 'compose' in known && !known.readOnly) throw nothingToDo(known)
  return first
}
