/** How Python writes a float: the shortest digits that read back the same. */
export function floatRepr(x: number): string {
  if (Number.isNaN(x)) return 'nan'
  if (!Number.isFinite(x)) return x > 0 ? 'inf' : '-inf'
  if (x === 0) return Object.is(x, -0) ? '-0.0' : '0.0'
  const { negative, digits, exponent } = shortest(x)
  const sign = negative ? '-' : ''
  if (exponent < -4 || exponent >= 16) return sign + scientific(digits, exponent, 'e')
  return sign + positional(digits, exponent, 1)
}

/** The shortest digits of |x| and the power of ten of the first one. */
function shortest(x: number): { negative: boolean; digits: string; exponent: number } {
  const [mantissa = '', power = '0'] = Math.abs(x).toExponential().split('e')
  return { negative: x < 0, digits: mantissa.replace('.', ''), exponent: Number(power) }
}

function scientific(digits: string, exponent: number, letter: string): string {
  const tail = digits.length > 1 ? `.${digits.slice(1)}` : ''
  const size = String(Math.abs(exponent)).padStart(2, '0')
  return `${digits[0]}${tail}${letter}${exponent < 0 ? '-' : '+'}${size}`
}

function positional(digits: string, exponent: number, minDecimals: number): string {
  if (exponent < 0) return `0.${'0'.repeat(-exponent - 1)}${digits}`
  const whole = digits.slice(0, exponent + 1).padEnd(exponent + 1, '0')
  const rest = digits.slice(exponent + 1).padEnd(minDecimals, '0')
  return rest === '' ? whole : `${whole}.${rest}`
}

/** |x| as numerator / 2^power, exactly. */
export function exact(x: number): { numerator: bigint; power: bigint } {
  const view = new DataView(new ArrayBuffer(8))
  view.setFloat64(0, Math.abs(x))
  const bits = view.getBigUint64(0)
  const fraction = bits & 0xfffffffffffffn
  const exponent = bits >> 52n
  const mantissa = exponent === 0n ? fraction : fraction | 0x10000000000000n
  const shift = (exponent === 0n ? 1n : exponent) - 1075n
  return shift >= 0n ? { numerator: mantissa << shift, power: 0n } : { numerator: mantissa, power: -shift }
}

/** numerator / denominator, rounded half to even. */
function divideRounded(numerator: bigint, denominator: bigint): bigint {
  const quotient = numerator / denominator
  const twice = (numerator % denominator) * 2n
  return twice > denominator || (twice === denominator && quotient % 2n === 1n) ? quotient + 1n : quotient
}

/** |x| with exactly `decimals` decimals, rounded from the exact value, as C's printf does. */
export function fixed(x: number, decimals: number): string {
  const { numerator, power } = exact(x)
  const scaled = divideRounded(numerator * 10n ** BigInt(decimals), 1n << power).toString()
  if (decimals === 0) return scaled
  const padded = scaled.padStart(decimals + 1, '0')
  return `${padded.slice(0, -decimals)}.${padded.slice(-decimals)}`
}

/** |x| in `count` significant digits, and the power of ten of the first one. */
function significant(x: number, count: number): { digits: string; exponent: number } {
  if (x === 0) return { digits: '0'.repeat(count), exponent: 0 }
  const { numerator, power } = exact(x)
  let exponent = shortest(x).exponent
  for (;;) {
    const shift = count - 1 - exponent
    const digits = (
      shift >= 0
        ? divideRounded(numerator * 10n ** BigInt(shift), 1n << power)
        : divideRounded(numerator, (1n << power) * 10n ** BigInt(-shift))
    ).toString()
    if (digits.length === count) return { digits, exponent }
    exponent += digits.length > count ? 1 : -1
  }
}

/** |x| as %e writes it. */
export function exponential(x: number, decimals: number, letter: 'e' | 'E'): string {
  const { digits, exponent } = significant(x, decimals + 1)
  return scientific(digits, exponent, letter)
}

/** |x| as %g writes it; `keepZeros` is the # flag. */
export function general(x: number, precision: number, letter: 'e' | 'E', keepZeros = false, minDecimals = 0): string {
  const count = precision === 0 ? 1 : precision
  const { digits, exponent } = significant(x, count)
  const shown = keepZeros ? digits : digits.replace(/0+$/, '') || '0'
  if (exponent < -4 || exponent >= count - (minDecimals > 0 ? 1 : 0)) return scientific(shown, exponent, letter)
  return positional(shown, exponent, minDecimals)
}

/** `round(x, decimals)`. */
export function roundTo(x: number, decimals: number): number {
  if (!Number.isFinite(x) || decimals > 323) return x
  if (decimals < -308) return x < 0 ? -0 : 0
  const { numerator, power } = exact(x)
  const sign = x < 0 || Object.is(x, -0) ? '-' : ''
  if (decimals >= 0) return Number(`${sign}${divideRounded(numerator * 10n ** BigInt(decimals), 1n << power)}e${-decimals}`)
  return Number(`${sign}${divideRounded(numerator, (1n << power) * 10n ** BigInt(-decimals))}e${-decimals}`)
}

/** `round(x)`: half to even. */
export function roundHalfEven(x: number): bigint {
  const { numerator, power } = exact(x)
  const size = divideRounded(numerator, 1n << power)
  return x < 0 ? -size : size
}

/** x to a small integer power, correctly rounded, as JavaScript's `**` is sometimes off by a bit. Undefined where it would take long. */
export function wholePower(x: number, power: number): number | undefined {
  const { numerator, power: shift } = exact(x)
  const n = BigInt(Math.abs(power))
  if (n > 64n || shift * n > 20_000n || numerator === 0n) return undefined
  const [top, bottom] = [numerator ** n, 1n << (shift * n)]
  const size = power < 0 ? trueDivide(bottom, top) : trueDivide(top, bottom)
  return x < 0 && n % 2n === 1n ? -size : size
}

/** a / b for integers, correctly rounded; Infinity on overflow. */
export function trueDivide(a: bigint, b: bigint): number {
  const limit = 9007199254740992n
  if (a <= limit && a >= -limit && b <= limit && b >= -limit) return Number(a) / Number(b)
  const negative = a < 0n !== b < 0n
  const top = a < 0n ? -a : a
  const bottom = b < 0n ? -b : b
  const shift = BigInt(top.toString(2).length - bottom.toString(2).length) - 66n
  const quotient = shift >= 0n ? top / (bottom << shift) : (top << -shift) / bottom
  const exactly = shift >= 0n ? quotient * (bottom << shift) === top : quotient * bottom === top << -shift
  const sticky = exactly ? quotient : quotient | 1n
  const half = Math.trunc(Number(shift) / 2)
  const size = Number(sticky) * 2 ** half * 2 ** (Number(shift) - half)
  return negative ? -size : size
}
