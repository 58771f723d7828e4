import { DeskhandError } from '../../errors.ts'
import type { Sent } from '../../driver/driver.ts'
import type { FlatNode, Point, Route, Stroke } from '../../model/index.ts'
import type { InputLease } from '../call.ts'
import type { DriverState } from '../see/driver-state.ts'
import type { Resolved } from '../see/targets.ts'

/** Until nothing more is told, or only as long as two clicks stay one double click. */
export type Pause = 'until quiet' | 'a moment'

/** What an action is carried out with: the lease, the re-checked targets, and what this desktop can do. */
export interface ActContext {
  lease: InputLease
  driver: DriverState
  /** The way that was judged, where the action has more than one. */
  route?: Route
  targets: readonly Resolved[]
  /** The targets as the application has them right now, in the same order. */
  fresh: readonly (FlatNode | undefined)[]
  /** The text to type, secrets filled in. */
  text?: string
  signal: AbortSignal
  again: Again
}

/** Looks once more, and judges what a call reaches only in its course; what is not allowed ends it. */
export interface Again {
  /** The node as the application has it now. */
  check(key: string): Promise<FlatNode | undefined>
  /** What the keys that are left reach now, when that is more than these targets; answers with the targets from here on. */
  focus(from: readonly Resolved[], rest: readonly Stroke[]): Promise<readonly Resolved[]>
  /** What lies by now where a button is let go or pressed again, and what was judged to lie there. */
  release(at: Point, then: Resolved | undefined): Promise<Resolved>
  /** Resolves when what was pressed had the time to tell what that changed. */
  settled(pause?: Pause): Promise<void>
}

export function keyOf(on: ActContext): string {
  const key = on.targets[0]?.facts.key
  if (key === undefined) throw new DeskhandError('NOT_FOUND', 'there is no element to act upon')
  return key
}

export function pointOf(on: ActContext): Point {
  const at = on.targets[0]?.facts.at
  if (at === undefined) throw new DeskhandError('INTERNAL', 'a coordinate action without its point')
  return at
}

/** The route cannot be taken: `focus` or `by` names the part of it that this node or desktop does not have. */
export interface Unreached {
  unreached: 'focus' | 'by'
  why: DeskhandError
}

export const isUnreached = (sent: Sent | Unreached): sent is Unreached => 'unreached' in sent

/** For `catch`: turns what a node cannot do, or with `orRefuses` what it refuses, into a route that cannot be taken. */
export const unreached =
  (part: Unreached['unreached'], orRefuses = false) =>
  (thrown: unknown): Unreached => {
    const isSo = thrown instanceof DeskhandError && (thrown.code === 'NOT_CAPABLE' || (orRefuses && thrown.code === 'NOT_ACTIONABLE'))
    if (isSo) return { unreached: part, why: thrown }
    throw thrown
  }

/** A step that only helps may be missing. */
export function incapable(thrown: unknown): undefined {
  if (thrown instanceof DeskhandError && thrown.code === 'NOT_CAPABLE') return undefined
  throw thrown
}

export function unable(message: string): never {
  throw new DeskhandError('NOT_ACTIONABLE', message)
}
