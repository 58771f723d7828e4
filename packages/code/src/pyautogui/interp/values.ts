import type { ExprNode, StmtNode } from 'py-ast'
import type { Picture } from '../script-port.ts'
import type { Answer, Frame, Machine } from './machine.ts'

/** A Python value: int is bigint, float is number, None is null; all else is one of the tagged classes below. */
export type Value = null | boolean | bigint | number | string | PyObject
export type PyObject =
  | PyList
  | PyTuple
  | PyDict
  | PySet
  | PyRange
  | PyView
  | PyIter
  | PyFunction
  | PyNative
  | PyApi
  | PyType
  | PyException
  | PyImage
  | PySecret
  | PyHold

export type Kwargs = ReadonlyMap<string, Value>
export const NO_KWARGS: Kwargs = new Map()

export class PyList {
  readonly kind = 'list'
  items: Value[]
  constructor(items: Value[]) {
    this.items = items
  }
}

/** A tuple, or a named one such as Point. */
export class PyTuple {
  readonly kind = 'tuple'
  readonly items: readonly Value[]
  readonly shape: Shape | undefined
  constructor(items: readonly Value[], shape?: Shape) {
    this.items = items
    this.shape = shape
  }
}

interface Shape {
  name: string
  fields: readonly string[]
}

export const isListOrTuple = (v: Value | undefined): v is PyList | PyTuple => v instanceof PyList || v instanceof PyTuple

/** Equal Python values have the same hash (see `hash`). */
export type Hash = null | bigint | number | string | object

export class PyDict {
  readonly kind = 'dict'
  readonly entries = new Map<Hash, { key: Value; value: Value }>()
}

export class PySet {
  readonly kind = 'set'
  readonly entries = new Map<Hash, Value>()
}

export class PyRange {
  readonly kind = 'range'
  readonly start: bigint
  readonly stop: bigint
  readonly step: bigint
  readonly length: bigint
  constructor(start: bigint, stop: bigint, step: bigint) {
    this.start = start
    this.stop = stop
    this.step = step
    const span = step > 0n ? stop - start : start - stop
    const size = step > 0n ? step : -step
    this.length = span <= 0n ? 0n : (span - 1n) / size + 1n
  }
}

/** A live view: `dict.keys()`, `.values()` or `.items()`. */
export class PyView {
  readonly kind = 'view'
  readonly of: 'keys' | 'values' | 'items'
  readonly dict: PyDict
  constructor(of: PyView['of'], dict: PyDict) {
    this.of = of
    this.dict = dict
  }
}

export const END = Symbol('end of iteration')
type Next = () => Answer<Value | typeof END>

/** An iterator; `next` answers in steps when the script's own code has to run for it. */
export class PyIter {
  readonly kind = 'iterator'
  readonly typeName: string
  readonly next: Next
  constructor(typeName: string, next: Next) {
    this.typeName = typeName
    this.next = next
  }
}

export interface Parameters {
  positional: readonly Parameter[]
  /** How many of the positional ones cannot be given by name. */
  positionalOnly?: number
  rest?: string
  keywordOnly?: readonly Parameter[]
  keywords?: string
}
export interface Parameter {
  name: string
  default?: Value
}

/** A function or lambda of the script. */
export class PyFunction {
  readonly kind = 'function'
  readonly name: string
  readonly parameters: Parameters
  readonly body: readonly StmtNode[] | ExprNode
  readonly node: object
  readonly closure: Frame
  constructor(name: string, parameters: Parameters, body: readonly StmtNode[] | ExprNode, node: object, closure: Frame) {
    this.name = name
    this.parameters = parameters
    this.body = body
    this.node = node
    this.closure = closure
  }
}

export type NativeCode = (m: Machine, args: readonly Value[], kwargs: Kwargs) => Answer

/** A built-in function; it cannot reach the desktop. */
export class PyNative {
  readonly kind = 'native'
  readonly name: string
  readonly code: NativeCode
  /** The value whose method it is. */
  readonly self: Value | undefined
  constructor(name: string, code: NativeCode, self?: Value) {
    this.name = name
    this.code = code
    this.self = self
  }
}

/** A function of pyautogui, time, pyperclip, random or math; `module` and `name` find it in the table of allowed ones. */
export class PyApi {
  readonly kind = 'api'
  readonly module: string
  readonly name: string
  constructor(module: string, name: string) {
    this.module = module
    this.name = name
  }
}

export class PyType {
  readonly kind = 'type'
  readonly name: string
  readonly base: PyType | undefined
  readonly code: NativeCode | undefined
  /** As error messages spell it: `pyautogui.FailSafeException`. */
  readonly fullName: string
  constructor(name: string, base?: PyType, code?: NativeCode, module?: string) {
    this.name = name
    this.base = base
    this.code = code
    this.fullName = module === undefined ? name : `${module}.${name}`
  }
}

export class PyException {
  readonly kind = 'exception'
  readonly type: PyType
  readonly args: readonly Value[]
  constructor(type: PyType, args: readonly Value[]) {
    this.type = type
    this.args = args
  }
}

/** A screenshot. */
export class PyImage {
  readonly kind = 'image'
  readonly picture: Picture
  constructor(picture: Picture) {
    this.picture = picture
  }
}

/** The operator's answer to a password question: a script can type it, and nothing else. */
export class PySecret {
  readonly kind = 'secret'
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

/** The context manager that `pyautogui.hold(keys)` returns. */
export class PyHold {
  readonly kind = 'hold'
  readonly keys: readonly string[]
  constructor(keys: readonly string[]) {
    this.keys = keys
  }
}
