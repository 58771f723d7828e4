import { z } from 'zod'
import { DeskhandError } from '@deskhand/core/errors'
import { ending, TRAITS, type ActionKind, type Principal, type Result } from '@deskhand/core/model'
import { spelledOut } from './condition-words.ts'
import { composedTool, type ComposedTool, type Perform, type Tool, type ToolContext } from './tool.ts'

const PlanArgs = z.strictObject({
  actions: z
    .array(z.strictObject({ tool: z.string().max(200), args: z.record(z.string(), z.unknown()).default({}) }))
    .min(1)
    .max(100)
    .describe('calls in order'),
  ask: z.boolean().default(false).describe('ask a person once for all of them'),
})

/** Rehearses calls to the tools that `named` knows. */
export const planTool = (named: (tool: string) => Tool): ComposedTool =>
  composedTool(
    {
      name: 'plan.rehearse',
      toolset: 'op',
      description:
        'Try out calls without making them: what each would touch, whether it is allowed, what is unknown until earlier ones are done. With ask, one approval covers the known ones; then make exactly these calls.',
      input: PlanArgs,
      readOnly: true,
    },
    async (act, { actions, ask }, on, who) => {
      const steps: PlannedAction[] = []
      for (const { tool, args } of actions) {
        for (const part of partsOf(named, tool, args)) steps.push(...(await actionsOf(named(part.tool), part.args, act, on, who)))
      }
      return act('plan', { actions: steps, ask })
    },
  )

export interface PlannedAction {
  tool: string
  kind: ActionKind
  args: unknown
}

/** The calls that a call stands for; itself where it is one. */
function partsOf(named: (tool: string) => Tool, name: string, args: unknown): { tool: string; args: unknown }[] {
  const tool = named(name)
  const parts = 'compose' in tool ? tool.parts?.(args) : undefined
  return parts === undefined ? [{ tool: name, args }] : parts.flatMap((part) => partsOf(named, part.tool, part.args))
}

/** The actions behind one call. A composed tool looks for real where it begins; what it would do then is taken down. One that would do nothing, or not yet, is its look. */
export async function actionsOf(
  tool: Tool,
  args: unknown,
  look: Perform,
  on: ToolContext,
  who: Principal,
): Promise<[PlannedAction, ...PlannedAction[]]> {
  if ('kind' in tool) return [{ tool: tool.name, kind: tool.kind, args: spelledOut(tool.name, args) }]
  if ('control' in tool || tool.toolset === 'avis' || UNPLANNED.has(tool.name))
    throw new DeskhandError('BAD_ARGS', `${tool.name} cannot be taken apart into actions`, { next: 'Name the ui.* actions instead.' })
  const acts: PlannedAction[] = []
  let looked: PlannedAction | undefined
  const takeDown: Perform = async (kind, more) => {
    if (!TRAITS[kind].reads) acts.push({ tool: tool.name, kind, args: more })
    else looked ??= { tool: tool.name, kind, args: more }
    return TRAITS[kind].reads && acts.length === 0 ? look(kind, more) : NOT_DONE
  }
  const outcome = await tool.compose(takeDown, args, on, who)
  const [first, ...rest] = acts
  if (first !== undefined) return [first, ...rest]
  if (looked !== undefined) return [looked]
  throw outcome.error === undefined ? nothingToDo(tool) : DeskhandError.revive(outcome.error)
}

/** The refusal of a tool that would act and has nothing to act upon. */
export const nothingToDo = ({ name }: Tool): DeskhandError =>
  new DeskhandError('NOT_FOUND', `${name} finds nothing, or too much, to act upon`)

/** A rehearsal of an analysis would send what it looks at to the vision model. */
const UNPLANNED: ReadonlySet<string> = new Set(['plan.rehearse', 'play.run', 'gui_analyze_screen'])

const NOT_DONE: Result = ending({ status: 'success', op: '', sent: 'none', effect: 'none', data: {} })
