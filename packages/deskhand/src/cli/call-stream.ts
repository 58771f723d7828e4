import { createInterface } from 'node:readline'
import { z } from 'zod'
import { DeskhandError } from '@deskhand/core/errors'
import type { Result } from '@deskhand/core/model'
import { exitCode, refusal, type CallOptions, type Desk } from '../sdk/desk.ts'
import { readArgs } from '../tools/read-args.ts'
import { parseJson, print } from './call-io.ts'

const Id = z.union([z.string(), z.number()])
const Line = z.strictObject({
  id: Id.optional(),
  tool: z.string(),
  args: z.unknown().optional(),
  callId: z.string().optional(),
  waitMs: z.number().min(0).optional(),
  intent: z.string().optional(),
  dryRun: z.boolean().optional(),
})

/** One call per line of standard input, one result per line, in order; the exit code is that of the last failure. */
export async function stream(desk: Desk, options: CallOptions): Promise<void> {
  for await (const line of createInterface({ input: process.stdin, crlfDelay: Infinity })) {
    if (line.trim() === '') continue
    const { id, result } = await one(desk, line, options)
    print(id === undefined ? result : { id, ...result })
    if (exitCode(result) !== 0) process.exitCode = exitCode(result)
  }
}

async function one(desk: Desk, line: string, options: CallOptions): Promise<{ id?: string | number; result: Result }> {
  try {
    const { id, tool, args, ...rest } = readArgs('a line', Line, parseJson(line))
    return { id, result: await desk.call(tool, args, { ...options, ...rest }) }
  } catch (thrown) {
    return { id: idOf(line), result: refusal(DeskhandError.from(thrown)) }
  }
}

/** The id of a line that is no call, so that its answer can be told apart. */
function idOf(line: string): string | number | undefined {
  try {
    return z.object({ id: Id }).parse(JSON.parse(line)).id
  } catch {
    return undefined
  }
}
