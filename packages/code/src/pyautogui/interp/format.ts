import type { Budget } from '../budget.ts'
import { error } from './exceptions.ts'
import { exponential, fixed, general, floatRepr } from './floats.ts'
import { toFloat } from './numbers.ts'
import { str } from './repr.ts'
import { cut, length } from './text.ts'
import { asInt, typeName } from './types.ts'
import type { Value } from './values.ts'

const SPEC = /^(?:(.)?([<>=^]))?([-+ ])?(z)?(#)?(0)?(\d+)?([,_])?(?:\.(\d+))?([a-zA-Z%])?$/su

export interface Spec {
  fill: string
  align: '<' | '>' | '=' | '^' | undefined
  sign: string
  alternate: boolean
  width: number
  group: string
  precision: number | undefined
  type: string
}

/** `format(value, spec)`: what follows the colon in an f-string. */
export function format(budget: Budget, value: Value, spec: string): string {
  if (spec === '') return str(budget, value)
  const whole = asInt(value)
  if (typeof value !== 'string' && typeof value !== 'number' && whole === undefined)
    throw error('TypeError', `unsupported format string passed to ${typeName(value)}.__format__`)
  const parsed = parseSpec(budget, spec, value)
  if (typeof value === 'string') return formatText(budget, value, parsed)
  if (whole !== undefined) budget.arithmetic(16, whole)
  return pad(budget, parsed, ...(typeof value === 'number' ? floatParts(value, parsed) : intParts(whole ?? 0n, parsed)))
}

function parseSpec(budget: Budget, spec: string, value: Value): Spec {
  const m = SPEC.exec(spec)
  if (!m) throw error('ValueError', 'Invalid format specifier')
  const [, fill, align, sign = '', , alternate, zero, width = '0', group = '', precision, type = ''] = m
  if (width.length > 9 || (precision ?? '').length > 9) throw error('ValueError', 'Too many decimal digits in format string')
  budget.text(Number(width))
  if (Number(precision ?? 0) > 1000) budget.text(budget.limits.text + 1)
  return {
    fill: fill ?? (zero ? '0' : ' '),
    align: readAlign(align) ?? (zero && typeof value !== 'string' ? '=' : undefined),
    sign,
    alternate: alternate !== undefined,
    width: Number(width),
    group,
    precision: precision === undefined ? undefined : Number(precision),
    type,
  }
}

function readAlign(align: string | undefined): Spec['align'] {
  return align === '<' || align === '>' || align === '=' || align === '^' ? align : undefined
}

function formatText(budget: Budget, s: string, spec: Spec): string {
  if (spec.type !== '' && spec.type !== 's') throw unknownCode(spec.type, 'str')
  if (spec.sign !== '') throw error('ValueError', 'Sign not allowed in string format specifier')
  if (spec.alternate) throw error('ValueError', 'Alternate form (#) not allowed in string format specifier')
  if (spec.align === '=') throw error('ValueError', "'=' alignment not allowed in string format specifier")
  if (spec.group !== '') throw error('ValueError', `Cannot specify '${spec.group}' with 's'.`)
  const shown = spec.precision === undefined ? s : cut(s, 0, spec.precision)
  return pad(budget, { ...spec, align: spec.align ?? '<' }, '', shown, '')
}

const RADIX = { b: 2, o: 8, x: 16, X: 16 }

type Parts = [sign: string, digits: string, tail: string]

export function intParts(v: bigint, spec: Spec): Parts {
  const sign = v < 0n ? '-' : spec.sign === '-' ? '' : spec.sign
  const size = v < 0n ? -v : v
  if (spec.precision !== undefined && !'eEfFgG%'.includes(spec.type || '?'))
    throw error('ValueError', 'Precision not allowed in integer format specifier')
  if ((spec.type === 'c' || (spec.group === ',' && 'boxX'.includes(spec.type || '?'))) && spec.group !== '') {
    throw error('ValueError', `Cannot specify '${spec.group}' with '${spec.type}'.`)
  }
  switch (spec.type) {
    case '':
    case 'd':
    case 'n':
      return [sign, group(size.toString(), spec.group, 3), '']
    case 'b':
    case 'o':
    case 'x':
    case 'X': {
      const digits = size.toString(RADIX[spec.type])
      const shown = spec.type === 'X' ? digits.toUpperCase() : digits
      return [sign + (spec.alternate ? `0${spec.type}` : ''), group(shown, spec.group, 4), '']
    }
    case 'c':
      return ['', character(v), '']
    case 'e':
    case 'E':
    case 'f':
    case 'F':
    case 'g':
    case 'G':
    case '%':
      return floatParts(toFloat(v), spec)
    default:
      throw unknownCode(spec.type, 'int')
  }
}

export function floatParts(x: number, spec: Spec): Parts {
  const negative = x < 0 || Object.is(x, -0)
  const sign = negative ? '-' : spec.sign === '-' ? '' : spec.sign
  const scaled = spec.type === '%' ? x * 100 : x
  if (!Number.isFinite(scaled)) {
    const word = Number.isNaN(scaled) ? 'nan' : 'inf'
    return [sign, 'EFG'.includes(spec.type || '?') ? word.toUpperCase() : word, spec.type === '%' ? '%' : '']
  }
  const digits = floatDigits(Math.abs(scaled), spec)
  const [whole = '', ...rest] = digits.split(/(?=[.eE])/)
  return [sign, group(whole, spec.group, 3) + rest.join(''), spec.type === '%' ? '%' : '']
}

function floatDigits(x: number, { type, precision, alternate }: Spec): string {
  const dot = (s: string): string => (alternate && !s.includes('.') ? `${s}.` : s)
  switch (type) {
    case '':
      return precision === undefined ? floatRepr(x) : general(x, precision, 'e', alternate, 1)
    case 'f':
    case 'F':
    case '%':
      return dot(fixed(x, precision ?? 6))
    case 'e':
    case 'E':
      return exponential(x, precision ?? 6, type).replace(/^(\d)(?=e)/i, alternate ? '$1.' : '$1')
    case 'g':
    case 'n':
      return general(x, precision ?? 6, 'e', alternate)
    case 'G':
      return general(x, precision ?? 6, 'E', alternate)
    default:
      throw unknownCode(type, 'float')
  }
}

/** Puts a mark between groups of digits, counted from the right. */
function group(digits: string, mark: string, size: number): string {
  if (mark === '') return digits
  const groups: string[] = []
  for (let end = digits.length; end > 0; end -= size) groups.unshift(digits.slice(Math.max(0, end - size), end))
  return groups.join(mark)
}

export function pad(budget: Budget, spec: Spec, sign: string, body: string, tail: string): string {
  const missing = spec.width - length(sign + body + tail)
  budget.text(Math.max(0, missing) + sign.length + body.length + tail.length)
  if (missing <= 0) return sign + body + tail
  const fill = (count: number): string => spec.fill.repeat(count)
  switch (spec.align ?? '>') {
    case '<':
      return sign + body + tail + fill(missing)
    case '^':
      return fill(missing >> 1) + sign + body + tail + fill(missing - (missing >> 1))
    case '=':
      return sign + zeros(spec, body, missing, fill) + tail
    default:
      return fill(missing) + sign + body + tail
  }
}

/** Zero padding gets group marks like the digits that it precedes. */
function zeros(spec: Spec, body: string, missing: number, fill: (count: number) => string): string {
  if (spec.group === '' || spec.fill !== '0') return fill(missing) + body
  const [whole = '', ...rest] = body.split(/(?=[.eE])/)
  const target = whole.length + missing
  const size = spec.group === '_' && 'boxX'.includes(spec.type || '?') ? 4 : 3
  const digits = whole.replaceAll(spec.group, '')
  let count = digits.length
  while (count + Math.trunc((count - 1) / size) < target) count++
  return group(digits.padStart(count, '0'), spec.group, size) + rest.join('')
}

function unknownCode(code: string, type: string): Error {
  return error('ValueError', `Unknown format code '${code}' for object of type '${type}'`)
}

/** `chr(v)`. There are no lone surrogates here. */
export function character(v: bigint): string {
  if (v < 0n || v > 0x10ffffn) throw error('ValueError', 'chr() arg not in range(0x110000)')
  if (v >= 0xd800n && v <= 0xdfffn) throw error('ValueError', 'chr() of half a character is not available here')
  return String.fromCodePoint(Number(v))
}
