import { readFile } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import { json } from '@deskhand/core/selector/quote'
import { z } from 'zod'
import { DeskhandError } from '@deskhand/core/errors'
import { parseJson, rehearsalCode, seconds } from './call-io.ts'
import type { Common } from './common.ts'
import { agentDesk } from './connect.ts'

interface Options {
  ask?: boolean
  wait?: string
  json?: boolean
}

/** A list of calls, or the object that plan.rehearse takes. */
const File = z.union([z.array(z.unknown()), z.object({ actions: z.array(z.unknown()) }).transform((f) => f.actions)])

export async function rehearse(common: Common, file: string, options: Options): Promise<void> {
  const read = File.safeParse(parseJson(await load(file)))
  if (!read.success)
    throw new DeskhandError('BAD_ARGS', `${file} is no list of calls`, { next: 'Write [{"tool":"ui.click","args":{"target":"e12"}}, …].' })
  const desk = await agentDesk(common)
  try {
    const waitMs = options.wait === undefined ? undefined : seconds(options.wait)
    const result = await desk.call('plan.rehearse', { actions: read.data, ask: options.ask }, { waitMs })
    if (result.error !== undefined && !options.json) throw DeskhandError.revive(result.error)
    process.stdout.write(`${options.json ? json(result) : result.text}\n`)
    process.exitCode = rehearsalCode(result)
  } finally {
    await desk.close()
  }
}

async function load(file: string): Promise<string> {
  if (file === '-') return text(process.stdin)
  return readFile(file, 'utf8').catch((cause: unknown) => {
    throw new DeskhandError('BAD_ARGS', `${file} cannot be read`, { cause, next: 'Name a file, or - for standard input.' })
  })
}
