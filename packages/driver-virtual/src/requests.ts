import { DeskhandError } from '@deskhand/core/errors'
import type { Desktop } from './desktop.ts'
import { setState } from './values.ts'

/** Writes the outcome of a code request where the interface wants it. */
export function answer(desk: Desktop, id: string, result: unknown): void {
  const request = desk.requests.get(id)
  if (!request) throw new DeskhandError('BAD_ARGS', `The simulated desktop waits for no answer to ${id}.`)
  desk.requests.delete(id)
  if (request.into && desk.elements.has(request.into.key)) setState(desk, request.into, formatOutcome(result))
  desk.flush()
}

/** An ExecutionResult, an error or a plain text, as a person reads it. */
export function formatOutcome(result: unknown): string {
  if (typeof result === 'string') return result
  if (typeof result !== 'object' || result === null) return String(result)
  const field = (name: string): string => {
    const value: unknown = name in result ? Object.getOwnPropertyDescriptor(result, name)?.value : undefined
    return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
  }
  const status = field('status_message') || (field('code') ? `${field('code')}: ${field('message')}` : '')
  const exit = field('script_exit_code')
  return [field('stdout').trimEnd(), field('stderr').trimEnd(), status, exit === '' ? '' : `exit code ${exit}`].filter(Boolean).join('\n')
}
