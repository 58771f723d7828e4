import type { Budget } from '../budget.ts'
import { dictMethods, setMethods } from './dictMethods.ts'
import { error } from './exceptions.ts'
import { imageMethods } from './imageMethods.ts'
import { listMethods, tupleMethods } from './listMethods.ts'
import type { Machine, Steps } from './machine.ts'
import { floatMethods, intMethods } from './numberMethods.ts'
import { stringMethods } from './stringMethods.ts'
import { CORE_TYPES, isInstance, typeName } from './types.ts'
import { PyDict, PyNative, PyTuple, type Kwargs, type PyType, type Value } from './values.ts'

export type Method<S> =
  | { now: (m: Machine, self: S, args: readonly Value[], kwargs: Kwargs) => Value }
  | { later: (m: Machine, self: S, args: readonly Value[], kwargs: Kwargs) => Steps<Value> }
type Methods<S> = ReadonlyMap<string, Method<S>>

/** Every method name a script may call, on whatever value. */
export const METHOD_NAMES: ReadonlySet<string> = new Set(
  [stringMethods, listMethods, tupleMethods, dictMethods, setMethods, imageMethods, intMethods, floatMethods].flatMap((table) => [
    ...table.keys(),
  ]),
)

/** Every attribute a script may read, on whatever value. */
export const ATTRIBUTE_NAMES: ReadonlySet<string> = new Set([
  'x',
  'y',
  'left',
  'top',
  'width',
  'height',
  'red',
  'green',
  'blue',
  'args',
  'size',
  'start',
  'stop',
  'step',
])

/** Calls `self.name(...)`. */
export function* callMethod(m: Machine, self: Value, name: string, args: readonly Value[], kwargs: Kwargs): Steps<Value> {
  if (typeof self === 'string') return yield* run(m, stringMethods, self, name, args, kwargs)
  if (typeof self === 'bigint' || typeof self === 'boolean') return yield* run(m, intMethods, self, name, args, kwargs)
  if (typeof self === 'number') return yield* run(m, floatMethods, self, name, args, kwargs)
  if (typeof self === 'object' && self !== null) {
    switch (self.kind) {
      case 'list':
        return yield* run(m, listMethods, self, name, args, kwargs)
      case 'tuple':
        return yield* run(m, tupleMethods, self, name, args, kwargs)
      case 'dict':
        return yield* run(m, dictMethods, self, name, args, kwargs)
      case 'set':
        return yield* run(m, setMethods, self, name, args, kwargs)
      case 'image':
        return yield* run(m, imageMethods, self, name, args, kwargs)
      default:
    }
  }
  throw noAttribute(self, name)
}

function* run<S extends Value>(m: Machine, table: Methods<S>, self: S, name: string, args: readonly Value[], kwargs: Kwargs): Steps<Value> {
  const method = table.get(name)
  if (!method) throw noAttribute(self, name)
  return 'now' in method ? method.now(m, self, args, kwargs) : yield* method.later(m, self, args, kwargs)
}

/** A missing method is an error before its arguments are computed. */
export function checkMethod(self: Value, name: string): void {
  if (!methodsOf(self)?.has(name)) throw noAttribute(self, name)
}

function methodsOf(v: Value): { has(name: string): boolean } | undefined {
  if (typeof v === 'string') return stringMethods
  if (typeof v === 'bigint' || typeof v === 'boolean') return intMethods
  if (typeof v === 'number') return floatMethods
  if (typeof v !== 'object' || v === null) return undefined
  switch (v.kind) {
    case 'list':
      return listMethods
    case 'tuple':
      return tupleMethods
    case 'dict':
      return dictMethods
    case 'set':
      return setMethods
    case 'image':
      return imageMethods
    default:
      return undefined
  }
}

/** `v.name`: one of the few attributes that values have, or a method to be called later. */
export function attribute(budget: Budget, v: Value, name: string): Value {
  if (methodsOf(v)?.has(name)) {
    budget.object('function')
    return new PyNative(name, { later: (m, args, kwargs) => callMethod(m, v, name, args, kwargs) }, v)
  }
  if (typeof v === 'object' && v !== null) {
    if (v.kind === 'tuple' && v.shape) {
      const i = v.shape.fields.indexOf(name)
      if (i >= 0) return v.items[i] ?? null
    }
    if (v.kind === 'exception' && name === 'args') return new PyTuple(v.args)
    if (v.kind === 'type' && name === '__name__') return v.name
    if (v.kind === 'type' && UNBOUND.get(v)?.has(name)) return unbound(v, name)
    if (v.kind === 'range' && (name === 'start' || name === 'stop' || name === 'step')) return v[name]
    if (v.kind === 'image') {
      const { width, height } = v.picture
      if (name === 'width') return BigInt(width)
      if (name === 'height') return BigInt(height)
      if (name === 'size') return new PyTuple([BigInt(width), BigInt(height)])
    }
  }
  throw noAttribute(v, name)
}

const UNBOUND: ReadonlyMap<PyType, { has(name: string): boolean }> = new Map(
  [...CORE_TYPES].flatMap(([name, type]) => {
    const methods = { str: stringMethods, list: listMethods, tuple: tupleMethods, dict: dictMethods, set: setMethods }[name]
    return methods ? [[type, methods] as const] : []
  }),
)

/** `str.upper`: a method without its value, which then comes as the first argument. */
function unbound(type: PyType, name: string): PyNative {
  return new PyNative(`${type.name}.${name}`, {
    later: (m, [self, ...args], kwargs) => {
      if (name === 'fromkeys') return callMethod(m, new PyDict(), name, self === undefined ? [] : [self, ...args], kwargs)
      if (self === undefined) throw error('TypeError', `unbound method ${type.name}.${name}() needs an argument`)
      if (!isInstance(self, type))
        throw error('TypeError', `descriptor '${name}' for '${type.name}' objects doesn't apply to a '${typeName(self)}' object`)
      return callMethod(m, self, name, args, kwargs)
    },
  })
}

function noAttribute(v: Value, name: string): Error {
  if (typeof v === 'object' && v?.kind === 'type') return error('AttributeError', `type object '${v.name}' has no attribute '${name}'`)
  return error('AttributeError', `'${typeName(v)}' object has no attribute '${name}'`)
}
