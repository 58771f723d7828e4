import type { DeskhandError } from '../errors.ts'
import type { Guard, Sent, Step } from '../driver/driver.ts'
import type { ActionKind, CallOrigin, Expectation, PlaybookStamp, Principal } from '../model/index.ts'

/** One call from any face: a tool's name, the action behind it and its raw arguments. */
export interface Call {
  tool: string
  kind: ActionKind
  args: unknown
  principal: Principal
  /** The URN of the desktop that is meant; a session refuses a call for another one. */
  desktop?: string
  /** The same id from the same principal is the same call: it is carried out once, also across a crash of the broker. */
  callId?: string
  /** Why the agent wants this, in its own words; recorded, never believed. */
  intent?: string
  origin?: { script: string; line: number }
  /** The playbook that it is a step of, which rules may ask for. No face takes it from a caller. */
  playbook?: PlaybookStamp
  /** What it has to meet; anything else is not acted upon. */
  expects?: Expectation
  /** Where it comes from, for traces; recorded nowhere else. */
  trace?: CallOrigin
  signal?: AbortSignal
  /** The answer also says what changed since the caller was last told. */
  changes?: boolean
  /** Why its arguments cannot be read; it is refused, and recorded as any other. */
  unreadable?: DeskhandError
  /** Resolve and decide only. */
  dryRun?: boolean
  /** A lease that the caller already holds, as a script does. */
  lease?: InputLease
  /** Hears how far a long call is. */
  onProgress?(note: unknown): void
}

/** The right to use pointer, focus, modifiers and clipboard, for as long as it is held. */
export interface InputLease {
  /** Keys and buttons that earlier steps left down. */
  readonly held: readonly string[]
  /** Returns once the lease is held; throws when it cannot be had. */
  ready(): Promise<void>
  step(step: Step, guard: Guard, signal: AbortSignal): Promise<Sent>
  /** Lets others have their turn while a person is asked; what was held is released. The next step takes it again. */
  rest(): Promise<void>
}

/** Told the approval that an operation waits for, and nothing when it no longer waits. */
export type Waiting = (approval?: string) => void
