import type { Budget } from '../budget.ts'
import { error } from './exceptions.ts'
import { format } from './format.ts'
import { ascii, repr, str } from './repr.ts'
import { keyError } from './subscripts.ts'
import type { Kwargs, Value } from './values.ts'

/** `template.format(...)`. A field names an argument and nothing inside it: no attributes, no items. */
export function formatTemplate(budget: Budget, template: string, args: readonly Value[], kwargs: Kwargs): string {
  const state = { next: 0, manual: false }
  return expand(budget, template, 2, (field) => {
    if (field.includes('{')) throw error('ValueError', "unexpected '{' in field name")
    if (/[.[]/.test(field)) throw error('ValueError', 'a field of format() cannot look inside a value here; use an f-string')
    if (field === '') {
      if (state.manual) throw error('ValueError', 'cannot switch from manual field specification to automatic field numbering')
      return argument(args, state.next++)
    }
    if (!/^\d+$/.test(field)) return kwargs.get(field) ?? absent(kwargs, field)
    if (state.next > 0) throw error('ValueError', 'cannot switch from automatic field numbering to manual field specification')
    state.manual = true
    return argument(args, Number(field))
  })
}

function argument(args: readonly Value[], i: number): Value {
  if (i >= args.length) throw error('IndexError', `Replacement index ${i} out of range for positional args tuple`)
  return args[i] ?? null
}

function absent(kwargs: Kwargs, field: string): Value {
  if (!kwargs.has(field)) throw keyError(field)
  return null
}

function expand(budget: Budget, template: string, depth: number, value: (field: string) => Value): string {
  let out = ''
  for (let i = 0; i < template.length; i++) {
    const c = template[i] ?? ''
    if ((c === '{' || c === '}') && template[i + 1] === c) {
      out += c
      i++
    } else if (c === '{') {
      if (depth === 0) throw error('ValueError', 'Max string recursion exceeded')
      const end = closing(template, i)
      out += field(budget, template.slice(i + 1, end), depth, value)
      i = end
    } else if (c === '}') {
      throw error('ValueError', "Single '}' encountered in format string")
    } else {
      out += c
    }
    if (out.length > budget.limits.text) budget.text(out.length)
  }
  budget.text(out.length)
  return out
}

function closing(template: string, open: number): number {
  let depth = 0
  for (let i = open; i < template.length; i++) {
    if (template[i] === '{') depth++
    else if (template[i] === '}' && --depth === 0) return i
  }
  throw error('ValueError', open === template.length - 1 ? "Single '{' encountered in format string" : "expected '}' before end of string")
}

/** `v!s`, `v!r` or `v!a`. */
export function converted(budget: Budget, v: Value, conversion: string): string {
  if (conversion === 's') return str(budget, v)
  return conversion === 'a' ? ascii(budget, repr(budget, v)) : repr(budget, v)
}

function field(budget: Budget, inside: string, depth: number, value: (field: string) => Value): string {
  const [, name = '', conversion, spec = ''] = /^([^!:]*)(?:!([^:]*))?(?::([\s\S]*))?$/.exec(inside) ?? []
  budget.work(8)
  if (conversion !== undefined && conversion.length !== 1) throw error('ValueError', "expected ':' after conversion specifier")
  const v = value(name)
  if (conversion !== undefined && conversion !== 'r' && conversion !== 's' && conversion !== 'a')
    throw error('ValueError', `Unknown conversion specifier '${conversion}'`)
  const shown = conversion === undefined ? v : converted(budget, v, conversion)
  return format(budget, shown, expand(budget, spec, depth - 1, value))
}
