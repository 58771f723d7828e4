import { DeskhandError } from '@deskhand/core/errors'
import { instructions } from '../mcp/instructions.ts'
import { describeTools, TOOLS, type Format } from '../tools/list.ts'
import { TOOLSETS } from '../tools/tool.ts'
import { configOf, type Common } from './connect.ts'

export function tools(common: Common, options: { format: string; instructions?: boolean; all?: boolean }): void {
  if (!isFormat(options.format))
    throw new DeskhandError('BAD_ARGS', `there is no format ${options.format}`, { next: 'Use mcp, openai or anthropic.' })
  const toolsets = options.all ? TOOLSETS : configOf(common).toolsets
  if (options.instructions) return void process.stdout.write(`${instructions(toolsets)}\n`)
  const chosen = TOOLS.filter((t) => toolsets.includes(t.toolset))
  process.stdout.write(`${JSON.stringify(describeTools(options.format, chosen), null, 2)}\n`)
}

const isFormat = (s: string): s is Format => s === 'mcp' || s === 'openai' || s === 'anthropic'
