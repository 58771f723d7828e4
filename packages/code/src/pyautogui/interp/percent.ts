import type { Budget } from '../budget.ts'
import { error } from './exceptions.ts'
import { character, floatParts, intParts, pad, type Spec } from './format.ts'
import { needFloat, truncate } from './numbers.ts'
import { str } from './repr.ts'
import { converted } from './template.ts'
import { cut, length } from './text.ts'
import { asInt, typeName } from './types.ts'
import { PyDict, PyList, PyTuple, type Value } from './values.ts'

/** Limits the length of a key, so that a template of unclosed keys does not take quadratic time. */
const PLACE = /%(?:\(([^()]{0,200})\))?([-+ #0]*)(\*|\d+)?(?:\.(\*|\d+))?([hlL]?)([\s\S]|$)/g

const CODES = 'sradiuxXofFeEgGc'

/** `template % values`. */
export function percent(budget: Budget, template: string, values: Value): string {
  const tuple = values instanceof PyTuple ? values.items : undefined
  const mapping = values instanceof PyDict ? values : undefined
  let used = 0
  const take = (): Value => {
    const list = tuple ?? [values]
    const v = list[used++]
    if (v === undefined) throw error('TypeError', 'not enough arguments for format string')
    return v
  }
  let out = ''
  let end = 0
  // One place at a time: `replace` would find all of them before the first is looked at.
  for (const match of template.matchAll(PLACE)) {
    out += template.slice(end, match.index) + place(match)
    end = match.index + match[0].length
    budget.text(out.length)
  }
  out += template.slice(end)
  if (tuple ? used < tuple.length : used === 0 && !mapping && !(values instanceof PyList))
    throw error('TypeError', 'not all arguments converted during string formatting')
  budget.text(out.length)
  return out

  function place(match: RegExpExecArray): string {
    const [all, name, flags = '', width, precision, , code = ''] = match
    budget.work(8)
    if (all === '%%') return '%'
    if (code === '(' && !mapping) throw error('TypeError', 'format requires a mapping')
    if (code === '' || code === '(') throw error('ValueError', 'incomplete format')
    if (width === '*' || precision === '*') throw error('ValueError', "'*' in a format string is not available; write the width out")
    if ((width ?? '').length > 9 || (precision ?? '').length > 9) throw error('ValueError', 'width too big')
    if (name !== undefined && !mapping) throw error('TypeError', 'format requires a mapping')
    const value = name === undefined ? take() : (mapping?.entries.get(name)?.value ?? missing(name))
    if (!CODES.includes(code))
      throw error(
        'ValueError',
        `unsupported format character '${code}' (0x${(code.codePointAt(0) ?? 0).toString(16)}) at index ${match.index + all.length - 1}`,
      )
    const piece = percentPart(budget, value, flags, Number(width ?? 0), precision === undefined ? undefined : Number(precision), code)
    budget.work(piece.length >> 3)
    return piece
  }
}

function missing(name: string): never {
  throw error('KeyError', name)
}

function percentPart(budget: Budget, value: Value, flags: string, width: number, precision: number | undefined, code: string): string {
  const left = flags.includes('-')
  const sign = flags.includes('+') ? '+' : flags.includes(' ') ? ' ' : '-'
  const zero = flags.includes('0') && !left
  const base: Spec = {
    fill: ' ',
    align: left ? '<' : '>',
    sign,
    alternate: flags.includes('#'),
    width,
    group: '',
    precision: undefined,
    type: '',
  }
  const numeric: Spec = zero ? { ...base, fill: '0', align: '=' } : base
  budget.text(width)
  if ((precision ?? 0) > 1000) budget.text(budget.limits.text + 1)
  switch (code) {
    case 's':
    case 'r':
    case 'a': {
      const text = converted(budget, value, code)
      return pad(budget, base, '', precision === undefined ? text : cut(text, 0, precision), '')
    }
    case 'd':
    case 'i':
    case 'u':
    case 'x':
    case 'X':
    case 'o': {
      const hex = code === 'x' || code === 'X' || code === 'o'
      const whole = typeof value === 'number' && !hex ? truncate(value) : asInt(value)
      if (whole === undefined)
        throw error('TypeError', `%${code} format: ${hex ? 'an integer' : 'a real number'} is required, not ${typeName(value)}`)
      budget.arithmetic(16, whole)
      const [mark, digits] = intParts(whole, { ...numeric, type: hex ? code : 'd' })
      return pad(budget, numeric, mark, precision === undefined ? digits : digits.padStart(precision, '0'), '')
    }
    case 'f':
    case 'F':
    case 'e':
    case 'E':
    case 'g':
    case 'G':
      return pad(budget, numeric, ...floatParts(needFloat(value), { ...numeric, type: code, precision }))
    case 'c': {
      const whole = asInt(value)
      if (whole === undefined && !(typeof value === 'string' && length(value) === 1)) throw error('TypeError', '%c requires int or char')
      return pad(budget, base, '', whole === undefined ? str(budget, value) : character(whole), '')
    }
    default:
      throw error('ValueError', 'unsupported format character')
  }
}
