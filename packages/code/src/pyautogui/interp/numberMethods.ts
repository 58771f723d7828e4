import { bare } from './fit.ts'
import type { Method } from './methods.ts'

export const intMethods: ReadonlyMap<string, Method<bigint | boolean>> = new Map([
  bare<bigint | boolean>('bit_length', (m, self) => {
    const size = magnitude(BigInt(self))
    m.budget.arithmetic(16, size)
    return size === 0n ? 0n : BigInt(size.toString(2).length)
  }),
])

export const floatMethods: ReadonlyMap<string, Method<number>> = new Map([bare<number>('is_integer', (_m, self) => Number.isInteger(self))])

const magnitude = (v: bigint): bigint => (v < 0n ? -v : v)
