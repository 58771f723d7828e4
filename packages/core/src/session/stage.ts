import type { CapName, DriverInfo } from '../driver/driver.ts'
import { DeskhandError } from '../errors.ts'
import type { FlatNode, Point } from '../model/index.ts'
import type { Hands } from './lease.ts'
import type { Resolved } from './resolve.ts'

/** Where an action is carried out: the lease, the re-checked nodes, and what this desktop can do. */
export interface Stage {
  hands: Hands
  info: DriverInfo
  targets: readonly Resolved[]
  /** The targets as the application has them right now, in the same order. */
  fresh: readonly (FlatNode | undefined)[]
  check(key: string): Promise<FlatNode | undefined>
  /** The text to type, secrets filled in. */
  text?: string
  signal: AbortSignal
  /** Judges what has the focus now, when it moved, and answers with the targets from here on. */
  follow(): Promise<readonly Resolved[]>
}

export const can = (on: Stage, cap: CapName): boolean => on.info.can[cap].ok

export function need(on: Stage, name: CapName): void {
  const cap = on.info.can[name]
  if (!cap.ok) throw new DeskhandError('NOT_CAPABLE', `this desktop cannot do ${name}: ${cap.reason}`, { next: cap.fix })
}

export function keyOf(on: Stage): string {
  const key = on.targets[0]?.facts.key
  if (key === undefined) throw new DeskhandError('NOT_FOUND', 'there is no element to act upon')
  return key
}

export function pointOf(on: Stage): Point {
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
