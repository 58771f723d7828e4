import { z } from 'zod'
import { DeskhandError } from '@deskhand/core/errors'
import type { Expectation } from '@deskhand/core/model'
import { readPlaybook, type Score } from '../playbook/steps.ts'
import { plainTool } from './batch.ts'
import { actionsOf, type PlannedAction } from './plan.ts'
import { StepRun } from './step-run.ts'
import { composedTool, type ComposedTool, type Perform, type Tool, type ToolContext } from './tool.ts'
import type { Principal } from '@deskhand/core/model'

const PlayArgs = z
  .strictObject({
    name: z.string().max(100).optional(),
    text: z.string().max(500_000).optional().describe('or the playbook itself'),
    with: z.record(z.string(), z.string()).default({}).describe('its parameters'),
    rehearse: z.boolean().default(false),
  })
  .refine((a) => (a.name === undefined) !== (a.text === undefined), 'needs either name or text')

/** Carries out playbooks, whose steps are calls to the tools that `named` knows. */
export const playTool = (named: (tool: string) => Tool): ComposedTool => ({
  ...composedTool(
    {
      name: 'play.run',
      toolset: 'play',
      description: 'Run a playbook: steps that an operator recorded and may have signed. It stops where things are not as recorded.',
      input: PlayArgs,
      readOnly: false,
    },
    async (act, { name, text, with: given, rehearse }, on, who) => {
      const score = readPlaybook(text ?? fromFolder(on, name ?? ''), given, (tool) => plainTool(named, tool))
      const playing: Perform = (kind, args, more) => act(kind, args, { playbook: score.stamp, ...more })
      if (rehearse) return playing('plan', { actions: await plannedOf(score, playing, on, who) })
      const allowed = await playing('capabilities', {})
      if (allowed.error !== undefined) return allowed
      return new StepRun(act, on, who, score.steps, score.stamp).run()
    },
  ),
  tells: 'record',
})

function fromFolder({ playbooks }: ToolContext, name: string): string {
  if (playbooks === undefined) throw new DeskhandError('BAD_ARGS', 'no playbooks are kept here', { next: 'Send the text of the playbook.' })
  return playbooks.read(name)
}

/** The actions behind the steps, each with what it has to meet. */
async function plannedOf(
  { steps }: Score,
  look: Perform,
  on: ToolContext,
  who: Principal,
): Promise<(PlannedAction & { expects?: Expectation })[]> {
  const all: (PlannedAction & { expects?: Expectation })[] = []
  for (const { tool, args, expects } of steps) {
    const [first, ...rest] = await actionsOf(tool, args, look, on, who)
    all.push({ ...first, expects }, ...rest.map((action) => ({ ...action, expects: expects && { app: expects.app } })))
  }
  return all
}
