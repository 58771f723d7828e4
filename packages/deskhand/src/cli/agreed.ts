import { createInterface } from 'node:readline/promises'
import { DeskhandError } from '@deskhand/core/errors'

/** Asks the person at the terminal whether to go on; `yes` says so beforehand. */
export async function agreed(question: string, yes = false): Promise<boolean> {
  if (yes) return true
  if (!process.stdin.isTTY)
    throw new DeskhandError('BAD_ARGS', `nobody can be asked whether to ${question}`, { next: 'Run it in a terminal, or add --yes.' })
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  try {
    return /^y(?:es)?$/i.test((await terminal.question(`${question}? [y/N] `)).trim())
  } finally {
    terminal.close()
  }
}
