import { DeskhandError, type ErrorCode } from '@deskhand/core/errors'
import type { Principal } from '@deskhand/core/model'

/** The status of an answer that is no error of the client's or ours is 200. */
const STATUS: Partial<Record<ErrorCode, number>> = {
  BAD_ARGS: 400,
  BAD_SELECTOR: 400,
  BAD_CONFIG: 400,
  BAD_POLICY: 400,
  BAD_UI_FILE: 400,
  BAD_SCRIPT: 400,
  UNKNOWN_TOOL: 404,
  UNKNOWN_OP: 404,
  UNKNOWN_SECRET: 404,
  UNKNOWN_APP: 404,
  NOT_FOUND: 404,
  NO_DESKTOP: 404,
  AMBIGUOUS_TARGET: 409,
  STALE_REF: 409,
  NOT_ACTIONABLE: 409,
  TARGET_CHANGED: 409,
  GUARD_BROKEN: 409,
  LEASE_LOST: 409,
  HUMAN_AT_CONTROLS: 409,
  STOPPED: 409,
  INTERRUPTED: 409,
  CANCELLED: 409,
  DENIED: 403,
  MODE_TOO_LOW: 403,
  APPROVAL_NEEDED: 403,
  APPROVAL_DENIED: 403,
  APPROVAL_EXPIRED: 403,
  NOT_ASKED: 403,
  UNAUTHORIZED: 403,
  RATE_LIMITED: 429,
  APPROVAL_PENDING: 202,
  RUNNING: 202,
  VERIFY_FAILED: 422,
  ASSERT_FAILED: 422,
  SCRIPT_FAILED: 422,
  PYTHON_EXEC_FAILED: 422,
  TIMEOUT: 504,
  PYTHON_TIMEOUT: 504,
  APP_HUNG: 504,
  NOT_CAPABLE: 501,
  MISSING_PACKAGE: 501,
  PYTHON_NOT_FOUND: 501,
  NO_BROKER: 503,
  BROKER_BUSY: 503,
  DRIVER_DEAD: 503,
}

export const statusOf = (code: ErrorCode): number => STATUS[code] ?? 500

export const PROBLEM = 'application/problem+json'

/** An error as RFC 9457 has it, with the code and the next step of the table. */
export function problemOf(error: DeskhandError, status = statusOf(error.code)): Record<string, unknown> {
  const { code, message, next, retry, details } = error.toJSON()
  return { type: `urn:deskhand:error:${code}`, title: code, status, detail: message, code, next, retry, details }
}

/** A refusal of the HTTP layer itself, with a status of its own. */
export class Refusal extends Error {
  readonly status: number
  readonly error: DeskhandError
  readonly headers: Record<string, string>
  /** Whom it was refused, where that is known. */
  readonly who: Principal | undefined

  constructor(status: number, error: DeskhandError, headers: Record<string, string> = {}, who?: Principal) {
    super(error.message)
    this.status = status
    this.error = error
    this.headers = headers
    this.who = who
  }
}

/** A principal asks for what is not their role's. */
export const notTheirs = (who: Principal, whose: string): Refusal =>
  new Refusal(
    403,
    new DeskhandError('UNAUTHORIZED', `this is for ${whose}; ${who.id} is ${who.role === 'viewer' ? 'a' : 'an'} ${who.role}`),
    {},
    who,
  )
