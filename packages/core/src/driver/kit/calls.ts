import { DeskhandError } from '../../errors.ts'
import type { Cap, CapName, Ctx } from '../driver.ts'

/** Throws when the caller cancelled, or when the wire ended the call for a reason of its own. */
export function mustGoOn({ signal }: Ctx): void {
  if (!signal.aborted) return
  const { reason }: { reason: unknown } = signal
  throw reason instanceof DeskhandError ? reason : new DeskhandError('CANCELLED', 'the call was cancelled')
}

/** Refuses what the driver declared that it cannot do, with the declared reason. */
export function mustBeCapable(can: Record<CapName, Cap>, name: CapName): void {
  const cap = can[name]
  if (!cap.ok) throw new DeskhandError('NOT_CAPABLE', cap.reason, { next: cap.fix })
}
