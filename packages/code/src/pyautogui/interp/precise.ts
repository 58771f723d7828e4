import { exact, trueDivide } from './floats.ts'

/**
 * Elementary functions, rounded from 192 exact binary places. The C library that Python computes with is right in nearly
 * every last digit, the JavaScript engine in about nineteen of twenty: scripts that draw circles would print other numbers.
 */
const PLACES = 192n
/** What one of them costs a script's budget. */
export const EFFORT = 256
const ONE = 1n << PLACES
/** Outside of these the engine's own functions serve. */
const SMALL = 2 ** -26
const LARGE = 2 ** 40

type Fixed = bigint

const fixed = (x: number): Fixed => {
  const { numerator, power } = exact(x)
  const size = (numerator << PLACES) >> power
  return x < 0 ? -size : size
}
const times = (a: Fixed, b: Fixed): Fixed => (a * b) >> PLACES
const over = (a: Fixed, b: Fixed): Fixed => (a << PLACES) / b
const toFloat = (a: Fixed): number => trueDivide(a, ONE)
const within = (x: number): boolean => Math.abs(x) >= SMALL && Math.abs(x) <= LARGE

export const sin = (x: number): number => (within(x) ? toFloat(circle(fixed(x)).sin) : Math.sin(x))
export const cos = (x: number): number => (within(x) ? toFloat(circle(fixed(x)).cos) : Math.cos(x))

export function tan(x: number): number {
  if (!within(x)) return Math.tan(x)
  const c = circle(fixed(x))
  return trueDivide(c.sin, c.cos)
}

/** The angle of (x, y), from the engine's own answer and what it is off by. */
export function atan2(y: number, x: number): number {
  const guess = Math.atan2(y, x)
  const tiny = Math.min(Math.abs(x), Math.abs(y)) < 2 ** -100 || Math.max(Math.abs(x), Math.abs(y)) > LARGE
  if (tiny || Math.abs(guess) < SMALL) return guess
  return angle(fixed(y), fixed(x), guess)
}

export const atan = (x: number): number => (within(x) ? angle(fixed(x), ONE, Math.atan(x)) : Math.atan(x))
export const asin = (x: number): number => (inUnit(x) ? angle(fixed(x), beside(x), Math.asin(x)) : Math.asin(x))
export const acos = (x: number): number => (inUnit(x) ? angle(beside(x), fixed(x), Math.acos(x)) : Math.acos(x))

export function exp(x: number): number {
  if (!within(x) || Math.abs(x) > 700) return Math.exp(x)
  return exponential(fixed(x))
}

export const log = (x: number): number => (isOrdinary(x) ? toFloat(logarithm(x)) : Math.log(x))

/** x to the power y, for a positive x. */
export function power(x: number, y: number): number {
  const guess = x ** y
  if (!isOrdinary(x) || !within(y) || !isOrdinary(guess)) return guess
  return exponential(times(logarithm(x), fixed(y)))
}

/** The root of the sum of the squares. */
export function norm(parts: readonly number[]): number {
  if (!parts.every((x) => x === 0 || within(x))) return Math.hypot(...parts)
  return toFloat(root(parts.reduce((sum, x) => sum + times(fixed(x), fixed(x)), 0n)))
}

const inUnit = (x: number): boolean => Math.abs(x) >= SMALL && Math.abs(x) < 1
const isOrdinary = (x: number): boolean => x > 1e-290 && x < 1e290

/** The other side of a right-angled triangle whose long side is 1. */
const beside = (x: number): Fixed => root(ONE - times(fixed(x), fixed(x)))

/** The square root, by Newton's steps from the engine's answer. */
function root(a: Fixed): Fixed {
  if (a <= 0n) return 0n
  let guess = fixed(Math.sqrt(toFloat(a)))
  for (let i = 0; i < 3 && guess > 0n; i++) guess = (guess + over(a, guess)) >> 1n
  return guess
}

function angle(y: Fixed, x: Fixed, guess: number): number {
  const { sin: s, cos: c } = circle(fixed(guess))
  const off = over(times(y, c) - times(x, s), times(x, c) + times(y, s))
  return toFloat(fixed(guess) + off - times(off, times(off, off)) / 3n)
}

function circle(x: Fixed): { sin: Fixed; cos: Fixed } {
  const quarter = PI >> 1n
  const turns = (2n * x + quarter) / (2n * quarter) - (2n * x + quarter < 0n ? 1n : 0n)
  const rest = x - turns * quarter
  const square = times(rest, rest)
  let sin: Fixed = 0n
  let cos: Fixed = 0n
  let term = ONE
  for (let n = 1n; term !== 0n; n += 2n) {
    cos += term
    const odd = times(term, rest) / n
    sin += odd
    term = -times(term, square) / (n * (n + 1n))
  }
  const quadrant = Number(((turns % 4n) + 4n) % 4n)
  return (
    [
      { sin, cos },
      { sin: cos, cos: -sin },
      { sin: -sin, cos: -cos },
      { sin: -cos, cos: sin },
    ][quadrant] ?? { sin, cos }
  )
}

/** e to the x. */
function exponential(x: Fixed): number {
  const shift = x / LN2
  const rest = (x - shift * LN2) >> 8n
  let size: Fixed = 0n
  let term = ONE
  for (let n = 1n; term !== 0n && term !== -1n; n++) {
    size += term
    term = times(term, rest) / n
  }
  for (let i = 0; i < 8; i++) size = times(size, size)
  return shift >= 0n ? trueDivide(size << shift, ONE) : trueDivide(size, ONE << -shift)
}

function logarithm(x: number): Fixed {
  const power = Math.round(Math.log2(x))
  const { numerator, power: shift } = exact(x)
  const top = power < 0 ? numerator << BigInt(-power) : numerator
  const bottom = (power < 0 ? 1n : 1n << BigInt(power)) << shift
  return halfLog(((top - bottom) << PLACES) / (top + bottom)) + BigInt(power) * LN2
}

/** Twice the inverse hyperbolic tangent: the logarithm of (1 + z) / (1 - z). */
function halfLog(z: Fixed): Fixed {
  const square = times(z, z)
  let sum: Fixed = 0n
  let term = z
  for (let n = 1n; term !== 0n && term !== -1n; n += 2n) {
    sum += term / n
    term = times(term, square)
  }
  return 2n * sum
}

const arctan = (denominator: bigint): Fixed => {
  let sum: Fixed = 0n
  let term = ONE / denominator
  for (let n = 1n; term !== 0n; n += 4n) {
    sum += term / n
    term /= denominator * denominator
    sum -= term / (n + 2n)
    term /= denominator * denominator
  }
  return sum
}

/** Machin's formula. */
const PI: Fixed = 16n * arctan(5n) - 4n * arctan(239n)
const LN2: Fixed = halfLog(ONE / 3n)
