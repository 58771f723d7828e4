import type { Budget } from '../budget.ts'
import { dictMethods, setMethods } from './dict-methods.ts'
import { error } from './exceptions.ts'
import { imageMethods } from './image-methods.ts'
import { listMethods, tupleMethods } from './list-methods.ts'
import type { Answer, Machine } from './machine.ts'
import { floatMethods, intMethods } from './number-methods.ts'
import { stringMethods } from './string-methods.ts'
import { CORE_TYPES, isInstance, typeName } from './types.ts'
import { PyDict, PyException, PyImage, PyNative, PyRange, PyTuple, PyType, type Kwargs, type NativeCode, type Value } from './values.ts'

export type Method<S> = (m: Machine, self: S, args: readonly Value[], kwargs: Kwargs) => Answer
type Methods<S> = ReadonlyMap<string, Method<S>>

/** Every method name that a script may call, on any value. */
export const METHOD_NAMES: ReadonlySet<string> = new Set(
  [stringMethods, listMethods, tupleMethods, dictMethods, setMethods, imageMethods, intMethods, floatMethods].flatMap((table) => [
    ...table.keys(),
  ]),
)

/** Every attribute that a script may read, on any value. */
export const ATTRIBUTE_NAMES: ReadonlySet<string> = new Set('x y left top width height red green blue args size start stop step'.split(' '))

/** `self.name` as a function of its other arguments; a missing method is an error before they are computed. */
export function findMethod(self: Value, name: string): NativeCode {
  const method = methodOf(self, name)
  if (!method) throw noAttribute(self, name)
  return method
}

function methodOf(v: Value, name: string): NativeCode | undefined {
  if (typeof v === 'string') return bound(stringMethods, v, name)
  if (typeof v === 'bigint' || typeof v === 'boolean') return bound(intMethods, v, name)
  if (typeof v === 'number') return bound(floatMethods, v, name)
  switch (v?.kind) {
    case 'list':
      return bound(listMethods, v, name)
    case 'tuple':
      return bound(tupleMethods, v, name)
    case 'dict':
      return bound(dictMethods, v, name)
    case 'set':
      return bound(setMethods, v, name)
    case 'image':
      return bound(imageMethods, v, name)
    default:
      return undefined
  }
}

function bound<S>(table: Methods<S>, self: S, name: string): NativeCode | undefined {
  const method = table.get(name)
  return method && ((m, args, kwargs) => method(m, self, args, kwargs))
}

/** `v.name`: one of the few attributes that values have, or a method to be called later. */
export function attribute(budget: Budget, v: Value, name: string): Value {
  const method = methodOf(v, name)
  if (method) {
    budget.object('function')
    return new PyNative(name, method, v)
  }
  if (v instanceof PyTuple && v.shape?.fields.includes(name)) return v.items[v.shape.fields.indexOf(name)] ?? null
  if (v instanceof PyException && name === 'args') return new PyTuple(v.args)
  if (v instanceof PyType && name === '__name__') return v.name
  if (v instanceof PyType && UNBOUND.get(v)?.has(name)) return unbound(v, name)
  if (v instanceof PyRange && (name === 'start' || name === 'stop' || name === 'step')) return v[name]
  if (v instanceof PyImage && (name === 'width' || name === 'height')) return BigInt(v.picture[name])
  if (v instanceof PyImage && name === 'size') return new PyTuple([BigInt(v.picture.width), BigInt(v.picture.height)])
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
  return new PyNative(`${type.name}.${name}`, (m, args, kwargs) => {
    if (name === 'fromkeys') return findMethod(new PyDict(), name)(m, args, kwargs)
    const [self, ...others] = args
    if (self === undefined) throw error('TypeError', `unbound method ${type.name}.${name}() needs an argument`)
    if (!isInstance(self, type))
      throw error('TypeError', `descriptor '${name}' for '${type.name}' objects doesn't apply to a '${typeName(self)}' object`)
    return findMethod(self, name)(m, others, kwargs)
  })
}

function noAttribute(v: Value, name: string): Error {
  const owner = v instanceof PyType ? `type object '${v.name}'` : `'${typeName(v)}' object`
  return error('AttributeError', `${owner} has no attribute '${name}'`)
}
