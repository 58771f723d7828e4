/** Whether the caller may simply send the same call again. */
export type Retry = 'safe' | 'observe_first' | 'never'

interface Row {
  next: string
  exit: 1 | 2 | 3 | 4 | 5
  retry: Retry
}

const row = (exit: Row['exit'], retry: Retry, next: string): Row => ({ exit, retry, next })

/** Every failure Deskhand can report: the next step, the exit code, and whether a retry is safe. */
export const ERRORS = {
  BAD_ARGS: row(2, 'never', 'Correct the named argument; the tool list has the schema.'),
  UNKNOWN_TOOL: row(2, 'never', 'Use a name from the tool list.'),
  BAD_SELECTOR: row(2, 'never', 'Correct the selector at the marked column.'),
  BAD_CONFIG: row(2, 'never', 'Correct deskhand.toml at the named field.'),
  BAD_POLICY: row(2, 'never', 'Correct the policy file at the named line.'),
  BAD_UI_FILE: row(2, 'never', 'Correct the user interface file at the named field.'),
  BAD_SCRIPT: row(2, 'never', 'Correct the script at the named line and send it again; nothing was done.'),
  SCRIPT_FAILED: row(1, 'observe_first', 'Take a snapshot to see how far the script came, then correct the named line.'),
  PYTHON_NOT_FOUND: row(1, 'never', 'This Python cannot run here; deskhand doctor says what is missing.'),
  PYTHON_TIMEOUT: row(1, 'safe', 'Make the script do less, or ask the operator to raise python.timeout.'),
  PYTHON_EXEC_FAILED: row(1, 'safe', 'Read the message; change the script so that it stays within its limits.'),
  NOT_FOUND: row(1, 'observe_first', 'Take a snapshot and choose a selector from it.'),
  AMBIGUOUS_TARGET: row(1, 'observe_first', 'Use one of the listed ids or selectors.'),
  STALE_REF: row(1, 'observe_first', 'Take a new snapshot; the element is gone or became another one.'),
  NOT_ACTIONABLE: row(1, 'observe_first', 'Wait until the element can be operated, or choose another one.'),
  TARGET_CHANGED: row(1, 'observe_first', 'Take a new snapshot and decide again.'),
  GUARD_BROKEN: row(1, 'observe_first', 'Something else took the focus or the place; take a new snapshot.'),
  VERIFY_FAILED: row(1, 'observe_first', 'Read the attached snapshot before doing anything else.'),
  SURPRISE: row(1, 'observe_first', 'Read what changed; send the steps that are left if they still fit.'),
  ASSERT_FAILED: row(1, 'observe_first', 'The condition does not hold; take a snapshot to see why.'),
  TIMEOUT: row(1, 'observe_first', 'Take a snapshot; allow more time if the desktop is slow.'),
  NOT_CAPABLE: row(1, 'never', 'Choose another way; ui.capabilities says what this desktop can do.'),
  APP_HUNG: row(1, 'observe_first', 'The application does not answer; look again later, or end it with desktop.close and force.'),
  DENIED: row(4, 'never', 'The policy forbids this; do not try to reach it another way.'),
  MODE_TOO_LOW: row(4, 'never', 'An operator has to raise the mode before this desktop can be acted upon.'),
  RATE_LIMITED: row(4, 'safe', 'Slow down and send the call again later.'),
  APPROVAL_NEEDED: row(3, 'never', 'No operator can answer; run where one can, or let the policy allow it.'),
  APPROVAL_PENDING: row(3, 'never', 'Ask for the outcome with op.wait and the operation id.'),
  APPROVAL_DENIED: row(4, 'never', 'A person said no; read the reason and do something else.'),
  NOT_ASKED: row(
    3,
    'safe',
    'No person was shown the question; have an operator watch (deskhand approvals --watch), then send the call again.',
  ),
  APPROVAL_EXPIRED: row(3, 'safe', 'Nobody answered in time; send the call again if it is still needed.'),
  RUNNING: row(1, 'never', 'Ask for the outcome with op.wait and the operation id.'),
  UNKNOWN_OP: row(2, 'never', 'Use an operation id that this desktop gave you.'),
  CANCELLED: row(1, 'observe_first', 'The call was cancelled; take a snapshot to see how far it came.'),
  STOPPED: row(5, 'never', 'An operator stopped this desktop; wait until it is resumed.'),
  HUMAN_AT_CONTROLS: row(1, 'observe_first', 'A person is using the desktop; wait until they are done.'),
  INTERRUPTED: row(1, 'observe_first', 'Take a snapshot to see how far it came; this call is not carried out again.'),
  LEASE_LOST: row(1, 'observe_first', 'The input lease ended; take a snapshot and call again.'),
  UNAUTHORIZED: row(4, 'never', 'Use the right token; an agent cannot act as the operator.'),
  UNKNOWN_SECRET: row(2, 'never', 'Ask the operator to add the secret.'),
  UNKNOWN_APP: row(2, 'never', 'Use the name of an installed application.'),
  NO_BROKER: row(1, 'safe', 'Start one with: deskhand up'),
  BROKER_BUSY: row(1, 'safe', 'Another Deskhand owns this desktop; use it, or end it first.'),
  NO_DESKTOP: row(1, 'safe', 'Bring one up with: deskhand desktop up'),
  MISSING_PACKAGE: row(1, 'safe', 'Install what is named; deskhand doctor prints the line.'),
  DRIVER_DEAD: row(
    1,
    'observe_first',
    'The driver ended and is started anew; take a snapshot and call again once. One that ends again has to be corrected: deskhand driver check names what is wrong.',
  ),
  DRIVER_FAILED: row(1, 'observe_first', 'Take a snapshot; deskhand doctor says what the driver is missing.'),
  JOURNAL_FAILED: row(1, 'never', 'The record cannot be written, so nothing acts; free the disk or fix its rights.'),
  JOURNAL_BROKEN: row(1, 'never', 'The record was changed at the named entry; keep a copy and find out why.'),
  PROTOCOL: row(1, 'never', 'The two sides do not speak the same protocol version.'),
  INTERNAL: row(1, 'observe_first', 'This is a fault of Deskhand; please report it with the message.'),
} as const satisfies Record<string, Row>

export type ErrorCode = keyof typeof ERRORS

export interface ErrorBody {
  code: ErrorCode
  message: string
  next: string
  retry: Retry
  details?: unknown
}

export class DeskhandError extends Error {
  readonly code: ErrorCode
  readonly next: string
  readonly details: unknown

  constructor(code: ErrorCode, message: string, options: { next?: string; details?: unknown; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'DeskhandError'
    this.code = code
    this.next = options.next ?? ERRORS[code].next
    this.details = options.details
  }

  get exitCode(): number {
    return ERRORS[this.code].exit
  }

  toJSON(): ErrorBody {
    const body: ErrorBody = { code: this.code, message: this.message, next: this.next, retry: ERRORS[this.code].retry }
    if (this.details !== undefined) body.details = this.details
    return body
  }

  /** What was thrown, as a coded error; an unknown fault becomes INTERNAL. */
  static from(thrown: unknown): DeskhandError {
    if (thrown instanceof DeskhandError) return thrown
    const message = thrown instanceof Error ? thrown.message : String(thrown)
    return new DeskhandError('INTERNAL', message, { cause: thrown })
  }

  /** Rebuilds an error that crossed a wire. */
  static revive(body: { code: string; message: string; next?: string; details?: unknown }): DeskhandError {
    const code = Object.hasOwn(ERRORS, body.code) ? (body.code as ErrorCode) : 'INTERNAL'
    return new DeskhandError(code, body.message, { next: body.next, details: body.details })
  }
}

/** What a schema has against a value, in one line: the first field that does not fit, and why. `whole` stands for the value itself. */
export function schemaProblem(
  error: { readonly issues: readonly { path: readonly PropertyKey[]; message: string }[] },
  whole = 'it',
): string {
  const [issue] = error.issues
  return issue === undefined ? `${whole}: cannot be read` : `${issue.path.join('.') || whole}: ${issue.message}`
}
