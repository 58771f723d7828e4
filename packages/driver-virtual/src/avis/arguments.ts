import { z } from 'zod'
import { DeskhandError } from '@deskhand/core/errors'

/** An element of the simulated desktop as the session's selectors name it. */
export function elementTarget(id: string): { selector: string } {
  const safe = id.replaceAll(/[^\w .:[\]-]/gu, (char) => `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`)
  return { selector: `virtualId="${safe}"` }
}

export function required<T>(value: T | null | undefined, name: string): T {
  if (value === undefined || value === null) throw new DeskhandError('BAD_ARGS', `${name}: this command needs it.`)
  return value
}

/** Reads a command; a bad one is refused with the name of its bad field, and nothing happens. */
export function readArguments<S extends z.ZodType>(schema: S, input: unknown): z.output<S> {
  const read = schema.safeParse(input ?? {})
  if (read.success) return read.data
  const problems = read.error.issues.map((i) => `${i.path.join('.') || 'arguments'}: ${i.message}`)
  throw new DeskhandError('BAD_ARGS', problems.join('; '), { details: { problems } })
}
