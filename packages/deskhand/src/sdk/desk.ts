import { DeskhandError } from '@deskhand/core/errors'
import type { CallOrigin, Result } from '@deskhand/core/model'
import { ending } from '@deskhand/core/model/ending'

export interface CallOptions {
  /** Past this the answer is APPROVAL_PENDING or RUNNING with the operation's id. */
  waitMs?: number
  /** The URN of the desktop that is meant, where there are several. */
  desktop?: string
  callId?: string
  intent?: string
  dryRun?: boolean
  /** Whether the answer of an action says what changed; it does when left out. */
  changes?: boolean
  signal?: AbortSignal
  /** The trace that it belongs to. */
  trace?: CallOrigin
  /** The controls that the caller keeps, from `hold`. */
  hold?: string
  /** Hears how far a script is, call by call. */
  onProgress?: (note: unknown) => void
}

/** A desktop as a caller holds it, in this process or behind a broker. */
export interface Desk {
  /** Never throws for what a call can come to: a refusal is a result with an error in it. */
  call(tool: string, args?: unknown, options?: CallOptions): Promise<Result>
  /** Brings what a person at the caller's own client said to a question of the caller's; throws where the policy does not take it for an answer. */
  relay?(question: string, allow: boolean, reason?: string): Promise<void>
  close(): Promise<void>
}

/** A desktop whose controls a caller can keep over several calls. */
export interface HoldingDesk extends Desk {
  /** Keeps the controls until `release`, for calls that name what it answers; other callers wait. */
  hold(): Promise<string>
  /** Gives them back, and with them every key and button that is down. */
  release(hold: string): Promise<void>
}

export const refusal = (error: DeskhandError): Result =>
  ending({ status: 'error', op: '', sent: 'none', effect: 'refused', error: error.toJSON() })

/** The exit code that a result means for a command. */
export function exitCode(result: Result): number {
  return result.error === undefined ? 0 : DeskhandError.revive(result.error).exitCode
}
