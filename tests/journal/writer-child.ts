import { writeSync } from 'node:fs'
import { openJournal } from '@deskhand/core/journal'
import { acting, decided, done } from './kit.ts'

/** Writes overlapping calls for ever, and says what was acknowledged, until it is killed. */
const [dir = '', keyDir = '', desktop = '', run = ''] = process.argv.slice(2)

writeSync(1, 'opening\n')
const journal = await openJournal({ dir, desktop, keyDir, checkpointEvery: 40, rotateBytes: 60_000 })

async function calls(worker: number): Promise<void> {
  for (let i = 0; ; i++) {
    const op = `${run}-${worker}-${i}`
    await journal.append(decided(op))
    for (const body of [acting(op), done(op)]) {
      const seq = await journal.append(body, { durable: true })
      writeSync(1, `${seq} ${body.type} ${op}\n`)
    }
  }
}

try {
  await Promise.all(Array.from({ length: 8 }, (_, worker) => calls(worker)))
} catch (error) {
  writeSync(1, `failed ${codes(error)}\n`)
  writeSync(1, `later ${await journal.append(decided('late')).then(String, codes)}\n`)
  await journal.close()
}

/** The code of an error and of what caused it. */
function codes(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const own = 'code' in error ? String(error.code) : error.message
  return error.cause === undefined ? own : `${own} ${codes(error.cause)}`
}
