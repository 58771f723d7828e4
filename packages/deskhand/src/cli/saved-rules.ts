import { readFile } from 'node:fs/promises'
import { DeskhandError } from '@deskhand/core/errors'
import { Verdict } from '@deskhand/core/model'
import type { Common } from './common.ts'
import { asOperator } from './operate.ts'

/** The rules that operators saved for a desktop, which stand beside the files of its configuration. */
export const print = (common: Common): Promise<void> =>
  asOperator(common, async (client) => void process.stdout.write((await client.invoke('policy.saved', {})).text))

/** Puts a file in their place; what it would have decided differently is told. */
export const save = (common: Common, file: string): Promise<void> =>
  asOperator(common, async (client) => {
    const text = await readFile(file, 'utf8').catch((cause: unknown) => {
      throw new DeskhandError('BAD_ARGS', `${file} cannot be read`, { cause })
    })
    const { version } = await client.invoke('policy.saved', {})
    const { calls, read } = await client.invoke('policy.trial', { text })
    const saved = await client.invoke('policy.save', { text, version })
    process.stdout.write(`saved in ${saved.file}; of the last ${read} calls ${calls.length} would have been decided differently\n`)
  })

/** A rule for calls like a recorded one. */
export const propose = (common: Common, op: string, wanted: string): Promise<void> =>
  asOperator(common, async (client) => {
    const decision = Verdict.safeParse(wanted)
    if (!decision.success)
      throw new DeskhandError('BAD_ARGS', `there is no decision ${wanted}`, { next: `Use one of ${Verdict.options.join(', ')}.` })
    process.stdout.write((await client.invoke('policy.propose', { op, decision: decision.data })).text)
  })
