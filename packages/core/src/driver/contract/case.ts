import type { CapName } from '../driver.ts'
import type { ContractDesk } from './contract-desk.ts'

/** One sentence about a driver. Where something it needs is a declared gap, the refusal is checked instead. */
export interface Case {
  name: string
  needs: readonly CapName[]
  run: (desk: ContractDesk) => Promise<void>
}

export const it = (name: string, needs: readonly CapName[], run: (desk: ContractDesk) => Promise<void>): Case => ({ name, needs, run })
