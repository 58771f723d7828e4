import { createInterface } from 'node:readline'
import { z } from 'zod'
import { DeskhandError } from '@deskhand/core/errors'
import type { Result } from '@deskhand/core/model'
import { exitCode, refusal, type Desk } from '../desk.ts'
import { agentDesk, type Common } from './connect.ts'

interface Options {
  stdin?: boolean
  wait?: string
  dryRun?: boolean
}

export async function call(common: Common, tool: string | undefined, json: string | undefined, options: Options): Promise<void> {
  const waitMs = options.wait === undefined ? undefined : seconds(options.wait)
  const desk = await agentDesk(common)
  try {
    if (options.stdin) return await stream(desk, waitMs, options.dryRun)
    if (tool === undefined) throw new DeskhandError('BAD_ARGS', 'name a tool, or use --stdin')
    const result = await desk.call(tool, parseJson(json ?? '{}'), { waitMs, dryRun: options.dryRun })
    print(result)
    process.exitCode = exitCode(result)
  } finally {
    await desk.close()
  }
}

const Line = z.strictObject({
  id: z.union([z.string(), z.number()]).optional(),
  tool: z.string(),
  args: z.unknown().optional(),
  callId: z.string().optional(),
  waitMs: z.number().min(0).optional(),
  intent: z.string().optional(),
  dryRun: z.boolean().optional(),
})

/** One call per line, one result per line, in order; the exit code is that of the last failure. */
async function stream(desk: Desk, waitMs: number | undefined, dryRun: boolean | undefined): Promise<void> {
  for await (const line of createInterface({ input: process.stdin, crlfDelay: Infinity })) {
    if (line.trim() === '') continue
    const { id, result } = await one(desk, line, waitMs, dryRun)
    print(id === undefined ? result : { id, ...result })
    if (exitCode(result) !== 0) process.exitCode = exitCode(result)
  }
}

async function one(
  desk: Desk,
  line: string,
  waitMs: number | undefined,
  dryRun: boolean | undefined,
): Promise<{ id?: string | number; result: Result }> {
  try {
    const read = Line.safeParse(parseJson(line))
    if (!read.success) throw new DeskhandError('BAD_ARGS', read.error.issues.map((i) => `${i.path.join('.')}: ${i.message}`).join('; '))
    const { id, tool, args, ...rest } = read.data
    return { id, result: await desk.call(tool, args, { waitMs, dryRun, ...rest }) }
  } catch (thrown) {
    return { id: idOf(line), result: refusal(DeskhandError.from(thrown)) }
  }
}

export function parseJson(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch (cause) {
    throw new DeskhandError('BAD_ARGS', `the arguments are no JSON: ${(cause as Error).message}`, {
      next: `Write them as '{"target":"e12"}'.`,
    })
  }
}

/** Pictures are printed as base64, everything else as it is. */
const print = (result: Result & { id?: string | number }): void => {
  const images = result.images?.map(({ data, ...about }) => ({ ...about, base64: Buffer.from(data).toString('base64') }))
  process.stdout.write(`${JSON.stringify(images === undefined ? result : { ...result, images })}\n`)
}

export function seconds(text: string): number {
  const n = Number(text)
  if (!(n >= 0)) throw new DeskhandError('BAD_ARGS', `--wait takes seconds, not ${JSON.stringify(text)}`)
  return n * 1000
}

/** The id of a line that is no call, so that its answer can be told apart. */
function idOf(line: string): string | number | undefined {
  try {
    return z.object({ id: z.union([z.string(), z.number()]) }).parse(JSON.parse(line)).id
  } catch {
    return undefined
  }
}
