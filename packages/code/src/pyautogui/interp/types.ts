import { isListOrTuple, PyDict, PyRange, PySecret, PySet, PyType, PyView, type Value } from './values.ts'

const INT = new PyType('int')
const core = {
  int: INT,
  bool: new PyType('bool', INT),
  float: new PyType('float'),
  str: new PyType('str'),
  list: new PyType('list'),
  tuple: new PyType('tuple'),
  dict: new PyType('dict'),
  set: new PyType('set'),
  range: new PyType('range'),
  object: new PyType('object'),
}

/** The types a script can name: calling one converts, and `isinstance` knows them. */
export const CORE_TYPES: ReadonlyMap<string, PyType> = new Map(Object.entries(core))

/** Types that a script cannot call but sees through `type(x)`. */
const NONE = new PyType('NoneType')
const VIEWS = { keys: new PyType('dict_keys'), values: new PyType('dict_values'), items: new PyType('dict_items') }
const NATIVE = new PyType('builtin_function_or_method')
const OTHERS = {
  list: core.list,
  dict: core.dict,
  set: core.set,
  range: core.range,
  function: new PyType('function'),
  native: NATIVE,
  api: NATIVE,
  type: new PyType('type'),
  image: new PyType('Image'),
  secret: new PyType('password'),
  hold: new PyType('_GeneratorContextManager'),
}

export function typeOf(v: Value): PyType {
  if (v === null) return NONE
  if (typeof v === 'boolean') return core.bool
  if (typeof v === 'bigint') return core.int
  if (typeof v === 'number') return core.float
  if (typeof v === 'string') return core.str
  switch (v.kind) {
    case 'tuple':
      return v.shape ? new PyType(v.shape.name, core.tuple) : core.tuple
    case 'view':
      return VIEWS[v.of]
    case 'iterator':
      return new PyType(v.typeName)
    case 'exception':
      return v.type
    default:
      return OTHERS[v.kind]
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
  if (typeof v !== 'object' || v === null) return Boolean(v) || Number.isNaN(v)
  if (isListOrTuple(v)) return v.items.length > 0
  if (v instanceof PyDict || v instanceof PySet) return v.entries.size > 0
  if (v instanceof PyView) return v.dict.entries.size > 0
  if (v instanceof PyRange) return v.length > 0n
  return !(v instanceof PySecret) || v.text !== ''
}
