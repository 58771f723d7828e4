import { error } from './exceptions.ts'
import { asFloat, asInt, typeName } from './types.ts'
import type { Value } from './values.ts'

/** Conversions between numbers, with Python's errors where there is no result. */

export function needInt(v: Value): bigint {
  const i = asInt(v)
  if (i === undefined) throw error('TypeError', `'${typeName(v)}' object cannot be interpreted as an integer`)
  return i
}

export function needFloat(v: Value): number {
  const x = asFloat(v)
  if (x === undefined) throw error('TypeError', `must be real number, not ${typeName(v)}`)
  return x
}

/** `float(i)`. */
export function toFloat(i: bigint): number {
  const x = Number(i)
  if (!Number.isFinite(x)) throw error('OverflowError', 'int too large to convert to float')
  return x
}

/** `int(x)`. */
export function truncate(x: number): bigint {
  if (Number.isNaN(x)) throw error('ValueError', 'cannot convert float NaN to integer')
  if (!Number.isFinite(x)) throw error('OverflowError', 'cannot convert float infinity to integer')
  return BigInt(Math.trunc(x))
}
