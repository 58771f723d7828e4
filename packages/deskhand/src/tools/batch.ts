import { z } from 'zod'
import { DeskhandError } from '@deskhand/core/errors'
import { prefixesOf } from '@deskhand/core/selector'
import { spelledOut } from './condition-words.ts'
import { mustBeReadable } from './read-steps.ts'
import { StepRun, type StepTool } from './step-run.ts'
import { composedTool, type ComposedTool, type Tool } from './tool.ts'

const BatchArgs = z.strictObject({
  steps: z
    .array(z.strictObject({ tool: z.string().max(100), args: z.record(z.string(), z.unknown()).default({}) }))
    .min(1)
    .max(50)
    .describe('{ tool, args } each, as single calls would be'),
})

/** Carries out calls to the tools that `named` knows, one after the other, until something is not as expected. */
export const batchTool = (named: (tool: string) => Tool): ComposedTool => ({
  ...composedTool(
    {
      name: 'ui.batch',
      toolset: 'ui',
      description:
        'Several calls in one, in order. Each is judged by itself. It stops at the first error, denial, question to a person or surprise (an unexpected dialog, a window that goes, a failed verify) and says how far it came and what changed. Name what a step will open by a selector; snapshot and query are steps, too.',
      input: BatchArgs,
      readOnly: false,
    },
    async (act, { steps }, on, who) => {
      const run = steps.map(({ tool: name, args }) => {
        const tool = plainTool(named, name)
        return { args: Object(spelledOut(tool.name, args)) as typeof args, tool }
      })
      const { info } = on.session
      mustBeReadable(run, prefixesOf(info.parts ?? [info]))
      const allowed = await act('capabilities', {})
      if (allowed.error !== undefined) return allowed
      return new StepRun(act, on, who, run).run()
    },
  ),
  tells: 'record',
  stopsWhenAsked: true,
  parts: (args) => {
    const read = BatchArgs.safeParse(args)
    return read.success ? read.data.steps.map((step) => ({ ...step, tool: plainTool(named, step.tool).name })) : undefined
  },
})

/** A tool that a step may call; `click` is `ui.click`. */
export function plainTool(named: (tool: string) => Tool, name: string): StepTool {
  const tool = /[._]/.test(name) ? named(name) : named(`ui.${name}`)
  if ('control' in tool || UNBATCHED.has(tool.name))
    throw new DeskhandError('BAD_ARGS', `${tool.name} is no step among others`, { next: 'Send it as a call of its own.' })
  return tool
}

const UNBATCHED: ReadonlySet<string> = new Set(['ui.batch', 'plan.rehearse', 'play.run'])
