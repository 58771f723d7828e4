import type { Budget } from '../budget.ts'
import { NESTING } from './compare.ts'
import { error } from './exceptions.ts'
import { floatRepr } from './floats.ts'
import { typeName } from './types.ts'
import { PICK } from './iterate.ts'
import { PyException, type PyApi, type PyNative, type PyObject, type PyType, type Value } from './values.ts'

/** `str(v)`. */
export function str(budget: Budget, v: Value): string {
  if (typeof v === 'string') return v
  if (v instanceof PyException) return exceptionText(budget, v)
  return repr(budget, v)
}

/** `repr(v)`. */
export function repr(budget: Budget, v: Value): string {
  const writer = new Writer(budget)
  writer.value(v, 0)
  return writer.text
}

/** `str(int)`, with CPython's limit of 4300 digits. */
function intText(v: bigint): string {
  const text = v.toString()
  if (text.replace('-', '').length > 4300) throw error('ValueError', 'Exceeds the limit (4300 digits) for integer string conversion')
  return text
}

/** The text after the type's name when an exception is shown. */
export function exceptionText(budget: Budget, e: PyException): string {
  const [first] = e.args
  if (first === undefined) return ''
  if (isSystemError(e.type) && e.args.length === 2) return `[Errno ${str(budget, first)}] ${str(budget, e.args[1] ?? null)}`
  if (e.args.length > 1) return `(${e.args.map((a) => repr(budget, a)).join(', ')})`
  return e.type.name === 'KeyError' ? repr(budget, first) : str(budget, first)
}

function isSystemError(type: PyType | undefined): boolean {
  return type !== undefined && (type.name === 'OSError' || isSystemError(type.base))
}

export function quote(s: string): string {
  if (/^[\x20-\x26\x28-\x5b\x5d-\x7e]*$/.test(s)) return `'${s}'`
  const mark = s.includes("'") && !s.includes('"') ? '"' : "'"
  let out = mark
  for (const c of s) out += c === mark || c === '\\' ? `\\${c}` : (ESCAPES.get(c) ?? (isPrintable(c) ? c : escapeCode(c)))
  return out + mark
}

const ESCAPES = new Map([
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
])
const PRINTABLE = /^[^\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\p{Zs}]$|^ $/u

export const isPrintable = (c: string): boolean => PRINTABLE.test(c)

function escapeCode(c: string): string {
  const code = c.codePointAt(0) ?? 0
  const hex = code.toString(16)
  if (code <= 0xff) return `\\x${hex.padStart(2, '0')}`
  return code <= 0xffff ? `\\u${hex.padStart(4, '0')}` : `\\U${hex.padStart(8, '0')}`
}

/** `ascii()` of a representation. */
export function ascii(budget: Budget, shown: string): string {
  const wide = shown.length - shown.replaceAll(/[^\x00-\x7f]/g, '').length
  budget.text(shown.length + 3 * wide)
  budget.work(4 * wide)
  return shown.replaceAll(/[^\x00-\x7f]/gu, escapeCode)
}

/** CPython shows some module functions as built in and those of `random` as methods of a hidden object. */
function api({ module, name }: PyApi): string {
  if (module === 'math' || (module === 'time' && name !== 'sleep')) return `<built-in function ${name}>`
  if (module !== 'random') return `<function ${name}>`
  if (name === 'random' || name === 'getrandbits') return `<built-in method ${name} of Random object>`
  return `<bound method Random.${name} of <random.Random object>>`
}

function native({ name, self }: PyNative): string {
  if (self !== undefined) return `<built-in method ${name} of ${typeName(self)} object>`
  const [type, method] = name.split('.')
  return method === undefined ? `<built-in function ${name}>` : `<method '${method}' of '${type}' objects>`
}

class Writer {
  text = ''
  readonly #budget: Budget
  readonly #open = new Set<object>()

  constructor(budget: Budget) {
    this.#budget = budget
  }

  value(v: Value, depth: number): void {
    this.#budget.work(1)
    if (v === null) return this.#put('None')
    switch (typeof v) {
      case 'boolean':
        return this.#put(v ? 'True' : 'False')
      case 'bigint':
        this.#budget.arithmetic(16, v)
        return this.#put(intText(v))
      case 'number':
        return this.#put(floatRepr(v))
      case 'string':
        this.#budget.work(v.length >> 2)
        return this.#put(quote(v))
      default:
    }
    if (depth > NESTING) throw error('RecursionError', 'maximum recursion depth exceeded while getting the repr of an object')
    if (this.#open.has(v)) return this.#put(v.kind === 'dict' ? '{...}' : v.kind === 'tuple' ? '(...)' : '[...]')
    this.#open.add(v)
    this.#object(v, depth + 1)
    this.#open.delete(v)
  }

  #object(v: PyObject, depth: number): void {
    switch (v.kind) {
      case 'list':
        return this.#sequence('[', v.items, ']', depth)
      case 'tuple':
        if (v.shape) return this.#sequence(`${v.shape.name}(`, v.items, ')', depth, v.shape.fields)
        return this.#sequence('(', v.items, v.items.length === 1 ? ',)' : ')', depth)
      case 'set':
        return v.entries.size === 0 ? this.#put('set()') : this.#sequence('{', [...v.entries.values()], '}', depth)
      case 'dict':
        return this.#dict([...v.entries.values()], depth)
      case 'view':
        return this.#sequence(`dict_${v.of}([`, Array.from(v.dict.entries.values(), PICK[v.of]), '])', depth)
      case 'range':
        return this.#put(v.step === 1n ? `range(${v.start}, ${v.stop})` : `range(${v.start}, ${v.stop}, ${v.step})`)
      case 'exception':
        return this.#sequence(`${v.type.name}(`, v.args, ')', depth)
      case 'type':
        return this.#put(`<class '${v.fullName}'>`)
      case 'iterator':
        return this.#put(v.typeName === 'generator' ? '<generator object <genexpr>>' : `<${v.typeName} object>`)
      case 'function':
        return this.#put(`<function ${v.name}>`)
      case 'native':
        return this.#put(native(v))
      case 'api':
        return this.#put(api(v))
      case 'image':
        return this.#put(`<Image size=${v.picture.width}x${v.picture.height}>`)
      case 'secret':
        return this.#put('<password>')
      case 'hold':
        return this.#put('<hold>')
      default:
        return v satisfies never
    }
  }

  #sequence(start: string, items: readonly Value[], end: string, depth: number, fields?: readonly string[]): void {
    this.#put(start)
    items.forEach((item, i) => {
      if (i > 0) this.#put(', ')
      if (fields) this.#put(`${fields[i]}=`)
      this.value(item, depth)
    })
    this.#put(end)
  }

  #dict(entries: readonly { key: Value; value: Value }[], depth: number): void {
    this.#put('{')
    entries.forEach(({ key, value }, i) => {
      if (i > 0) this.#put(', ')
      this.value(key, depth)
      this.#put(': ')
      this.value(value, depth)
    })
    this.#put('}')
  }

  #put(piece: string): void {
    this.text += piece
    if (this.text.length > this.#budget.limits.text) this.#budget.text(this.text.length)
  }
}
