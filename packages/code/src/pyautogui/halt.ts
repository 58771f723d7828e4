import type { ErrorCode } from '@deskhand/core/errors'

/** Ends the script. Unlike a Python exception, nothing in the script can catch it. */
export class Halt extends Error {
  readonly code: ErrorCode

  constructor(code: ErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'Halt'
    this.code = code
  }
}
