import type { CapName } from '../driver.ts'
import type { Desk } from './desk.ts'

/** One sentence about a driver. Where something it needs is a declared gap, the refusal is checked instead. */
export interface Case {
  name: string
  needs: readonly CapName[]
  run: (desk: Desk) => Promise<void>
}

export const it = (name: string, needs: readonly CapName[], run: (desk: Desk) => Promise<void>): Case => ({ name, needs, run })
