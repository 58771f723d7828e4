import { json } from '@deskhand/core/selector/quote'
import { DeskhandError } from '@deskhand/core/errors'
import { instructions } from '../mcp/instructions.ts'
import { describeTools, listedTools, type Format } from '../tools/listing.ts'
import { TOOLSETS } from '../tools/toolsets.ts'
import type { Common } from './common.ts'
import { settingsOf } from './connect.ts'

export async function tools(common: Common, options: { format: string; instructions?: boolean; all?: boolean }): Promise<void> {
  if (!isFormat(options.format))
    throw new DeskhandError('BAD_ARGS', `there is no format ${options.format}`, { next: 'Use mcp, openai or anthropic.' })
  const toolsets = options.all ? TOOLSETS : (await settingsOf(common)).toolsets
  if (options.instructions) return void process.stdout.write(`${instructions(toolsets)}\n`)
  const chosen = listedTools().filter((t) => toolsets.includes(t.toolset))
  process.stdout.write(`${json(describeTools(options.format, chosen), 2)}\n`)
}

const isFormat = (s: string): s is Format => s === 'mcp' || s === 'openai' || s === 'anthropic'
