import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import { DeskhandError } from '@deskhand/core/errors'
import { json } from '@deskhand/core/selector/quote'
import { PLAYBOOK_NAME } from '../playbook/format.ts'
import { exitCode } from '../sdk/desk.ts'
import { rehearsalCode, seconds } from './call-io.ts'
import type { Common } from './common.ts'
import { agentDesk } from './connect.ts'

interface Options {
  with?: string[]
  rehearse?: boolean
  wait?: string
  json?: boolean
}

/** Runs a playbook from a file or by its name, as an agent; what its steps may do is the policy's to say. */
export async function play(common: Common, file: string, options: Options): Promise<void> {
  const isName = PLAYBOOK_NAME.test(file) && !file.endsWith('.toml') && file !== '-' && !existsSync(file)
  const args = {
    ...(isName ? { name: file } : { text: await read(file) }),
    with: Object.fromEntries((options.with ?? []).map(valueOf)),
    rehearse: options.rehearse === true,
  }
  const desk = await agentDesk(common)
  try {
    const waitMs = options.wait === undefined ? undefined : seconds(options.wait)
    const result = await desk.call('play.run', args, { waitMs, changes: false })
    if (options.json) process.stdout.write(`${json(result)}\n`)
    else if (result.text !== undefined) process.stdout.write(`${result.text}\n`)
    if (result.error !== undefined && !options.json) throw DeskhandError.revive(result.error)
    process.exitCode = options.rehearse ? rehearsalCode(result) : exitCode(result)
  } finally {
    await desk.close()
  }
}

function valueOf(given: string): [name: string, value: string] {
  const at = given.indexOf('=')
  if (at > 0) return [given.slice(0, at), given.slice(at + 1)]
  throw new DeskhandError('BAD_ARGS', `--with takes <parameter>=<value>, not ${JSON.stringify(given)}`, {
    next: `Write --with ${/^\w+$/.test(given) ? given : '<parameter>'}=…`,
  })
}

export async function read(file: string): Promise<string> {
  if (file === '-') return text(process.stdin)
  return readFile(file, 'utf8').catch((cause: unknown) => {
    throw new DeskhandError('BAD_ARGS', `${file} cannot be read`, { cause, next: 'Name a file, or - for standard input.' })
  })
}
