import { DeskhandError } from '@deskhand/core/errors'
import { exitCode } from '../sdk/desk.ts'
import { parseJson, print, seconds } from './call-io.ts'
import type { Common } from './common.ts'
import { agentDesk } from './connect.ts'

interface Options {
  stdin?: boolean
  wait?: string
  dryRun?: boolean
}

export async function call(common: Common, tool: string | undefined, json: string | undefined, options: Options): Promise<void> {
  const waitMs = options.wait === undefined ? undefined : seconds(options.wait)
  const desk = await agentDesk(common)
  try {
    if (options.stdin) return await (await import('./call-stream.ts')).stream(desk, { waitMs, dryRun: options.dryRun })
    if (tool === undefined) throw new DeskhandError('BAD_ARGS', 'name a tool, or use --stdin')
    const result = await desk.call(tool, parseJson(json ?? '{}'), { waitMs, dryRun: options.dryRun })
    print(result)
    process.exitCode = exitCode(result)
  } finally {
    await desk.close()
  }
}
