import { DeskhandError } from '@deskhand/core/errors'
import { INSTRUCTIONS } from '../mcp/instructions.ts'
import { describeTools, type Format } from '../tools/list.ts'

export function tools(options: { format: string; instructions?: boolean }): void {
  if (options.instructions) {
    process.stdout.write(`${INSTRUCTIONS}\n`)
    return
  }
  if (!isFormat(options.format)) throw new DeskhandError('BAD_ARGS', `there is no format ${options.format}`, { next: 'Use mcp, openai or anthropic.' })
  process.stdout.write(`${JSON.stringify(describeTools(options.format), null, 2)}\n`)
}

const isFormat = (s: string): s is Format => s === 'mcp' || s === 'openai' || s === 'anthropic'
