import { writeFile } from 'node:fs/promises'
import { DeskhandError } from '@deskhand/core/errors'
import { openEvidence } from '@deskhand/core/journal'
import { evidenceKeyOf } from '../../wiring/evidence.ts'
import type { Common } from '../common.ts'
import { configOf } from '../config.ts'
import { placeFor } from '../journal.ts'

/** Opens what a rule had kept, into a file that only its owner can read. */
export async function evidence(common: Common, id: string, file: string, dir: string | undefined): Promise<void> {
  const key = await evidenceKeyOf(configOf(common))
  const bytes = await openEvidence(dir ?? (await placeFor(common)).journal, key).read(id)
  await writeFile(file, bytes, { mode: 0o600, flag: 'wx' }).catch((cause: NodeJS.ErrnoException) => {
    throw new DeskhandError('BAD_ARGS', `${file} cannot be written: ${cause.code === 'EEXIST' ? 'it is there already' : cause.message}`)
  })
  process.stdout.write(`${file}\n`)
}
