import { json } from '@deskhand/core/selector/quote'
import { DeskhandError } from '@deskhand/core/errors'
import type { Plan, Result } from '@deskhand/core/model'
import { exitCode } from '../sdk/desk.ts'

/** Arguments as they stand on a command line. */
export function parseJson(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch (cause) {
    throw new DeskhandError('BAD_ARGS', `the arguments are no JSON: ${(cause as Error).message}`, {
      next: `Write them as '{"target":"e12"}'.`,
    })
  }
}

export function seconds(text: string): number {
  const n = Number(text)
  if (!(n >= 0)) throw new DeskhandError('BAD_ARGS', `--wait takes seconds, not ${JSON.stringify(text)}`)
  return n * 1000
}

/** The exit code of a rehearsal: that of the first step which is known to fail or to be denied, as when it is done. */
export function rehearsalCode(result: Result): number {
  const { steps = [] } = (result.data ?? {}) as Partial<Plan>
  for (const { error, decision } of steps) {
    if (error !== undefined) return DeskhandError.revive(error).exitCode
    if (decision?.verdict === 'deny') return new DeskhandError(decision.code ?? 'DENIED', decision.reason).exitCode
  }
  return exitCode(result)
}

/** Pictures are printed as base64, everything else as it is. */
export function print(result: Result & { id?: string | number }): void {
  const images = result.images?.map(({ data, ...about }) => ({ ...about, base64: Buffer.from(data).toString('base64') }))
  process.stdout.write(`${json(images === undefined ? result : { ...result, images })}\n`)
}
