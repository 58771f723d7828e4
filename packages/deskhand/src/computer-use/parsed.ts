import type { z } from 'zod'
import { DeskhandError, schemaProblem } from '@deskhand/core/errors'

/** What a provider or its model sent, read by a schema; `what` names it in the failure. */
export function parsed<S extends z.ZodType>(schema: S, sent: unknown, what: string): z.output<S> {
  const read = schema.safeParse(sent)
  if (read.success) return read.data
  throw new DeskhandError('BAD_ARGS', `${what}: ${schemaProblem(read.error)}`)
}
