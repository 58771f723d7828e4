import { DeskhandError } from '../../errors.ts'
import type { FlatNode, Point } from '../../model/index.ts'
import type { InputLease } from '../call.ts'
import type { DriverState } from '../see/driver-state.ts'
import type { Resolved } from '../see/targets.ts'

/** What an action is carried out with: the lease, the re-checked targets, and what this desktop can do. */
export interface ActContext {
  lease: InputLease
  driver: DriverState
  targets: readonly Resolved[]
  /** The targets as the application has them right now, in the same order. */
  fresh: readonly (FlatNode | undefined)[]
  check(key: string): Promise<FlatNode | undefined>
  /** The text to type, secrets filled in. */
  text?: string
  signal: AbortSignal
  /** Judges what a call reaches only in its course; what is not allowed ends it. */
  again: {
    /** What has the focus now, when it moved away from these targets; answers with the targets from here on. */
    focus(from: readonly Resolved[]): Promise<readonly Resolved[]>
    /** What lies by now where a button is let go, and what was judged to lie there. */
    release(at: Point, then: Resolved | undefined): Promise<Resolved>
  }
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

/** A way that this node or desktop does not have leaves room for the next one. */
export function incapable(thrown: unknown): undefined {
  if (thrown instanceof DeskhandError && thrown.code === 'NOT_CAPABLE') return undefined
  throw thrown
}

export function unable(message: string): never {
  throw new DeskhandError('NOT_ACTIONABLE', message)
}
