import { methods, takes } from './fit.ts'

export const intMethods = methods<bigint | boolean>({
  bit_length: takes(0, '', (m, _given, self) => {
    const size = magnitude(BigInt(self))
    m.budget.arithmetic(16, size)
    return size === 0n ? 0n : BigInt(size.toString(2).length)
  }),
})

export const floatMethods = methods<number>({ is_integer: takes(0, '', (_m, _given, self) => Number.isInteger(self)) })

const magnitude = (v: bigint): bigint => (v < 0n ? -v : v)
