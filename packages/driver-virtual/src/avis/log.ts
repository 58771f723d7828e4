import type { Result } from '@deskhand/core/model'
import type { AvisDesktop } from './port.ts'
import type { AVISActionLogEntry, Outcome } from './types.ts'

/** What a command was, before it is known how it ended. */
export interface Attempt {
  command_type: AVISActionLogEntry['command_type']
  action_type: string
  target_element_id?: string | null
  parameters: Record<string, unknown>
}

export interface Ending {
  outcome: Outcome
  outcome_message: string
  error_code?: string | null
  op?: string | null
}

const KEEP = 1000

/** Every command and how it ended, oldest first; the last thousand of them. */
export class ActionLog {
  readonly #desktop: AvisDesktop
  readonly #level: AVISActionLogEntry['permission_level']
  #entries: AVISActionLogEntry[] = []
  #count = 0

  constructor(desktop: AvisDesktop, level: AVISActionLogEntry['permission_level']) {
    this.#desktop = desktop
    this.#level = level
  }

  list(limit = KEEP): AVISActionLogEntry[] {
    return limit > 0 ? this.#entries.slice(-limit) : []
  }

  add(attempt: Attempt, ending: Ending): AVISActionLogEntry {
    const { focused, hovered, nowMs } = this.#desktop.state()
    const entry: AVISActionLogEntry = {
      entry_id: `avis-${++this.#count}`,
      timestamp_ms: nowMs,
      command_type: attempt.command_type,
      action_type: attempt.action_type,
      target_element_id: attempt.target_element_id ?? null,
      parameters: withoutContents(attempt.parameters),
      permission_level: this.#level,
      outcome: ending.outcome,
      outcome_message: ending.outcome_message,
      error_code: ending.error_code ?? null,
      op: ending.op ?? null,
      virtual_cursor_position: cursorOf(this.#desktop),
      virtual_focused_element_id: focused ?? null,
      virtual_hovered_element_id: hovered ?? null,
    }
    this.#entries.push(entry)
    if (this.#entries.length > KEEP) this.#entries.shift()
    return entry
  }
}

/** The pointer as parts of the screen. */
export function cursorOf(desktop: AvisDesktop): [number, number] {
  const { cursor, screen } = desktop.state()
  return [cursor.x / screen.width, cursor.y / screen.height]
}

/** How the session's answer reads in S2's words. */
export function endingOf(result: Result): Ending {
  const { error, op } = result
  if (!error) {
    const outcome = result.effect === 'no_effect' ? 'no_effect' : 'success'
    return { outcome, outcome_message: result.verification?.details ?? (outcome === 'success' ? 'done' : 'nothing changed'), op }
  }
  return { outcome: outcomeOf(error.code), outcome_message: `${error.message} ${error.next}`, error_code: error.code, op }
}

export const outcomeOf = (code: string | undefined): Outcome => OUTCOMES[code ?? ''] ?? 'failed'

const OUTCOMES: Record<string, Outcome> = {
  NOT_FOUND: 'element_not_found',
  STALE_REF: 'element_not_found',
  NOT_ACTIONABLE: 'not_actionable',
  NOT_CAPABLE: 'not_actionable',
  GUARD_BROKEN: 'not_actionable',
  AMBIGUOUS_TARGET: 'not_actionable',
  DENIED: 'denied',
  MODE_TOO_LOW: 'denied',
  RATE_LIMITED: 'denied',
  APPROVAL_DENIED: 'denied',
  UNAUTHORIZED: 'denied',
  APPROVAL_NEEDED: 'denied',
  APPROVAL_PENDING: 'pending',
  RUNNING: 'pending',
  STOPPED: 'stopped',
}

/** Typed text and code may be secret: the log keeps their length. */
function withoutContents(parameters: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(parameters)
      .filter(([, value]) => value !== undefined && value !== null)
      .map(([name, value]) => (SECRET.has(name) && typeof value === 'string' ? [name, { length: [...value].length }] : [name, value])),
  )
}

const SECRET = new Set(['text_to_type', 'text', 'code_to_execute'])
