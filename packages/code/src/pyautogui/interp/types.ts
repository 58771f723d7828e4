import { PyType, type Value } from './values.ts'

const plain = (name: string): PyType => new PyType(name)

/** The types a script cannot call, but meets through `type(x)`. */
const NONE = plain('NoneType')
const VIEWS = { keys: plain('dict_keys'), values: plain('dict_values'), items: plain('dict_items') }
const FUNCTION = plain('function')
const NATIVE = plain('builtin_function_or_method')
const TYPE = plain('type')
const IMAGE = plain('Image')
const SECRET = plain('password')
const HOLD = plain('_GeneratorContextManager')

const INT = plain('int')
const core = {
  int: INT,
  bool: new PyType('bool', INT),
  float: plain('float'),
  str: plain('str'),
  list: plain('list'),
  tuple: plain('tuple'),
  dict: plain('dict'),
  set: plain('set'),
  range: plain('range'),
  object: plain('object'),
}

/** The types a script can name: calling one converts, and `isinstance` knows them. */
export const CORE_TYPES: ReadonlyMap<string, PyType> = new Map(Object.entries(core))

export function typeOf(v: Value): PyType {
  if (v === null) return NONE
  switch (typeof v) {
    case 'boolean':
      return core.bool
    case 'bigint':
      return core.int
    case 'number':
      return core.float
    case 'string':
      return core.str
    default:
  }
  switch (v.kind) {
    case 'list':
    case 'dict':
    case 'set':
    case 'range':
      return core[v.kind]
    case 'tuple':
      return v.shape ? new PyType(v.shape.name, core.tuple) : core.tuple
    case 'view':
      return VIEWS[v.of]
    case 'iterator':
      return new PyType(v.typeName)
    case 'function':
      return FUNCTION
    case 'native':
    case 'api':
      return NATIVE
    case 'type':
      return TYPE
    case 'exception':
      return v.type
    case 'image':
      return IMAGE
    case 'secret':
      return SECRET
    case 'hold':
      return HOLD
    default:
      return v satisfies never
  }
}

export const typeName = (v: Value): string => typeOf(v).name

export function isInstance(v: Value, type: PyType): boolean {
  if (type === core.object) return true
  for (let t: PyType | undefined = typeOf(v); t; t = t.base) if (t === type) return true
  return false
}

/** An int or a bool, as a bigint; undefined for everything else. */
export function asInt(v: Value): bigint | undefined {
  if (typeof v === 'bigint') return v
  return typeof v === 'boolean' ? (v ? 1n : 0n) : undefined
}

/** A float, int or bool as a float; undefined for everything else. Whole numbers too large for one become infinite. */
export function asFloat(v: Value): number | undefined {
  if (typeof v === 'number') return v
  const whole = asInt(v)
  return whole === undefined ? undefined : Number(whole)
}

export function truthy(v: Value): boolean {
  if (v === null) return false
  switch (typeof v) {
    case 'boolean':
      return v
    case 'bigint':
      return v !== 0n
    case 'number':
      return v !== 0
    case 'string':
      return v !== ''
    default:
  }
  switch (v.kind) {
    case 'list':
    case 'tuple':
      return v.items.length > 0
    case 'dict':
    case 'set':
      return v.entries.size > 0
    case 'view':
      return v.dict.entries.size > 0
    case 'range':
      return v.length > 0n
    case 'secret':
      return v.text !== ''
    default:
      return true
  }
}
