import type { z } from 'zod'
import { DeskhandError } from '@deskhand/core/errors'
import { complaints, beyondBounds } from '@deskhand/core/model'

/** Reads arguments by their schema; BAD_ARGS names every field that is wrong. */
export function readArgs<S extends z.ZodType>(name: string, schema: S, args: unknown): z.output<S> {
  const problem = beyondBounds(args, Infinity)
  if (problem !== undefined) throw new DeskhandError('BAD_ARGS', `${name}: ${problem}`)
  const read = schema.safeParse(args ?? {})
  if (read.success) return read.data
  const fields = 'shape' in schema ? Object.keys(Object(schema.shape)) : []
  throw new DeskhandError('BAD_ARGS', `${name}: ${complaints(read.error.issues, args ?? {}, fields).join('; ')}`)
}
