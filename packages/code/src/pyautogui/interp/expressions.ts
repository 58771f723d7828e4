import type { ExprNode } from 'py-ast'
import { call, calledName, runNative } from './calls.ts'
import { contains, equal, identical, ordered } from './compare.ts'
import { comprehend, generate } from './comprehensions.ts'
import { error } from './exceptions.ts'
import { format } from './format.ts'
import { makeFunction } from './functions.ts'
import { advance, iterator, toArray } from './iterate.ts'
import { rest, type Frame, type Machine, type Steps } from './machine.ts'
import { attribute, findMethod } from './methods.ts'
import type { Expr } from './nodes.ts'
import { unary } from './operators.ts'
import { str } from './repr.ts'
import { addItem, getItem, getSlice, setItem, type Slice } from './subscripts.ts'
import { converted } from './template.ts'
import { truthy, typeName } from './types.ts'
import { assignOutside, lookup } from './variables.ts'
import { END, PyDict, PyList, PySet, PyTuple, PyType, type Kwargs, type Value } from './values.ts'

/** The value of an expression. */
export function* evaluate(m: Machine, node: ExprNode, frame: Frame): Steps<Value> {
  if (m.budget.tick()) yield* rest(m)
  if (node.nodeType === 'Constant') return constant(m, node)
  if (node.nodeType === 'Name') return lookup(m, frame, node)
  m.budget.down()
  const value = yield* compound(m, node, frame)
  m.budget.up()
  return value
}

function constant(m: Machine, node: Expr<'Constant'>): Value {
  const v: unknown = node.value
  if (typeof v === 'string' || typeof v === 'boolean') return v
  return m.program.numbers.get(node) ?? null
}

function* compound(m: Machine, node: ExprNode, frame: Frame): Steps<Value> {
  switch (node.nodeType) {
    case 'BinOp': {
      const left = yield* evaluate(m, node.left, frame)
      const right = yield* evaluate(m, node.right, frame)
      if (node.op.nodeType === 'MatMult') throw error('TypeError', 'unsupported operand type(s) for @')
      m.at = node
      return m.operators(m.budget, node.op.nodeType, left, right)
    }
    case 'UnaryOp': {
      const v = yield* evaluate(m, node.operand, frame)
      return node.op.nodeType === 'Not' ? !truthy(v) : unary(m.budget, node.op.nodeType, v)
    }
    case 'BoolOp':
      return yield* boolean(m, node, frame)
    case 'Compare':
      return yield* compare(m, node, frame)
    case 'IfExp':
      return yield* evaluate(m, truthy(yield* evaluate(m, node.test, frame)) ? node.body : node.orelse, frame)
    case 'NamedExpr': {
      const v = yield* evaluate(m, node.value, frame)
      if (node.target.nodeType === 'Name') assignOutside(m, frame, node.target.id, v)
      return v
    }
    case 'List':
      m.budget.object('sequence')
      return new PyList(yield* elements(m, node.elts, frame))
    case 'Tuple':
      m.budget.object('sequence')
      return new PyTuple(yield* elements(m, node.elts, frame))
    case 'Set': {
      m.budget.object('mapping')
      const set = new PySet()
      for (const item of yield* elements(m, node.elts, frame, '')) addItem(m.budget, set, item)
      return set
    }
    case 'Dict':
      return yield* dict(m, node, frame)
    case 'JoinedStr':
      return yield* joined(m, node, frame)
    case 'FormattedValue':
      return yield* formatted(m, node, frame)
    case 'Subscript': {
      const container = yield* evaluate(m, node.value, frame)
      if (node.slice.nodeType === 'Slice') {
        const bounds = yield* slice(m, node.slice, frame)
        m.at = node
        return getSlice(m.budget, container, bounds)
      }
      const key = yield* evaluate(m, node.slice, frame)
      m.at = node
      return getItem(m.budget, container, key)
    }
    case 'Attribute': {
      const module = moduleOf(m, node.value)
      return module ? m.world.read(m, module, node.attr) : attribute(m.budget, yield* evaluate(m, node.value, frame), node.attr)
    }
    case 'Call':
      return yield* callExpression(m, node, frame)
    case 'Lambda':
      return yield* makeFunction(m, node, frame)
    case 'ListComp': {
      m.budget.object('sequence')
      const items: Value[] = []
      const keep = (v: Value): void => m.budget.grow(items.push(v))
      yield* comprehend(m, node, frame, function* (inner) {
        keep(yield* evaluate(m, node.elt, inner))
      })
      return new PyList(items)
    }
    case 'SetComp': {
      m.budget.object('mapping')
      const set = new PySet()
      yield* comprehend(m, node, frame, function* (inner) {
        addItem(m.budget, set, yield* evaluate(m, node.elt, inner))
      })
      return set
    }
    case 'DictComp': {
      m.budget.object('mapping')
      const d = new PyDict()
      yield* comprehend(m, node, frame, function* (inner) {
        const key = yield* evaluate(m, node.key, inner)
        setItem(m.budget, d, key, yield* evaluate(m, node.value, inner))
      })
      return d
    }
    case 'GeneratorExp':
      m.budget.object('generator')
      return yield* generate(m, node, frame)
    default:
      throw error('RuntimeError', `${node.nodeType} is not available here`)
  }
}

/** The module that an expression names; only a bare name can. */
export function moduleOf(m: Machine, node: ExprNode) {
  return node.nodeType === 'Name' ? m.program.modules.get(node.id) : undefined
}

function* boolean(m: Machine, node: Expr<'BoolOp'>, frame: Frame): Steps<Value> {
  const stopAt = node.op.nodeType === 'Or'
  let value: Value = null
  for (const part of node.values) {
    value = yield* evaluate(m, part, frame)
    if (truthy(value) === stopAt) return value
  }
  return value
}

function* compare(m: Machine, node: Expr<'Compare'>, frame: Frame): Steps<Value> {
  let left = yield* evaluate(m, node.left, frame)
  for (const [i, op] of node.ops.entries()) {
    const next = node.comparators[i]
    if (!next) break
    const right = yield* evaluate(m, next, frame)
    m.at = node
    if (!(yield* compareTwo(m, op.nodeType, left, right))) return false
    left = right
  }
  return true
}

function* compareTwo(m: Machine, op: Expr<'Compare'>['ops'][number]['nodeType'], a: Value, b: Value): Steps<boolean> {
  switch (op) {
    case 'Eq':
      return equal(m.budget, a, b)
    case 'NotEq':
      return !equal(m.budget, a, b)
    case 'Lt':
      return ordered(m.budget, '<', a, b)
    case 'LtE':
      return ordered(m.budget, '<=', a, b)
    case 'Gt':
      return ordered(m.budget, '>', a, b)
    case 'GtE':
      return ordered(m.budget, '>=', a, b)
    case 'Is':
      return identical(a, b)
    case 'IsNot':
      return !identical(a, b)
    case 'In':
      return yield* isIn(m, a, b)
    case 'NotIn':
      return !(yield* isIn(m, a, b))
    default:
      return op satisfies never
  }
}

function* isIn(m: Machine, item: Value, container: Value): Steps<boolean> {
  const known = contains(m.budget, container, item)
  if (known !== undefined) return known
  const it = iterator(m, container)
  for (;;) {
    const next = yield* advance(m, it)
    if (next === END) return false
    if (equal(m.budget, next, item)) return true
  }
}

function* elements(m: Machine, nodes: readonly ExprNode[], frame: Frame, what = 'Value'): Steps<Value[]> {
  const out: Value[] = []
  for (const node of nodes) {
    if (node.nodeType === 'Starred') {
      const v = yield* evaluate(m, node.value, frame)
      for (const item of yield* toArray(m, v, what && `${what} after * must be an iterable, not ${typeName(v)}`)) out.push(item)
    } else {
      out.push(yield* evaluate(m, node, frame))
    }
    m.budget.grow(out.length)
  }
  return out
}

function* dict(m: Machine, node: Expr<'Dict'>, frame: Frame): Steps<Value> {
  m.budget.object('mapping')
  const d = new PyDict()
  for (const [i, valueNode] of node.values.entries()) {
    const keyNode = node.keys[i]
    if (keyNode) {
      const key = yield* evaluate(m, keyNode, frame)
      setItem(m.budget, d, key, yield* evaluate(m, valueNode, frame))
    } else {
      const other = yield* evaluate(m, valueNode, frame)
      if (!(other instanceof PyDict)) throw error('TypeError', `'${typeName(other)}' object is not a mapping`)
      for (const { key, value } of [...other.entries.values()]) {
        setItem(m.budget, d, key, value)
        if (m.budget.tick()) yield* rest(m)
      }
    }
  }
  return d
}

function* joined(m: Machine, node: Expr<'JoinedStr'>, frame: Frame): Steps<string> {
  let out = ''
  for (const part of node.values) {
    out += part.nodeType === 'FormattedValue' ? yield* formatted(m, part, frame) : str(m.budget, yield* evaluate(m, part, frame))
    m.budget.text(out.length)
  }
  return out
}

function* formatted(m: Machine, node: Expr<'FormattedValue'>, frame: Frame): Steps<string> {
  const value = yield* evaluate(m, node.value, frame)
  const spec = node.format_spec ? str(m.budget, yield* evaluate(m, node.format_spec, frame)) : ''
  m.at = node
  return format(m.budget, convert(m, value, node.conversion), spec)
}

function convert(m: Machine, value: Value, conversion: number): Value {
  return conversion === -1 ? value : converted(m.budget, value, String.fromCharCode(conversion))
}

export function* slice(m: Machine, node: Expr<'Slice'>, frame: Frame): Steps<Slice> {
  const part = function* (n: ExprNode | undefined): Steps<Value> {
    return n ? yield* evaluate(m, n, frame) : null
  }
  return { start: yield* part(node.lower), stop: yield* part(node.upper), step: yield* part(node.step) }
}

function* callExpression(m: Machine, node: Expr<'Call'>, frame: Frame): Steps<Value> {
  const target = node.func
  if (target.nodeType === 'Attribute' && !moduleOf(m, target.value)) {
    const self = yield* evaluate(m, target.value, frame)
    m.at = whereCalled(node)
    const unbound = self instanceof PyType ? attribute(m.budget, self, target.attr) : undefined
    const method = unbound === undefined ? findMethod(self, target.attr) : undefined
    const { args, kwargs } = yield* callArguments(m, node, unbound ?? null, frame)
    m.at = whereCalled(node)
    return yield* method ? runNative(m, method, args, kwargs) : call(m, unbound ?? null, args, kwargs)
  }
  const fn = yield* evaluate(m, target, frame)
  const { args, kwargs } = yield* callArguments(m, node, fn, frame)
  m.at = whereCalled(node)
  return yield* call(m, fn, args, kwargs)
}

/** A call by an attribute stands on the line of the attribute's name, as in CPython. */
function whereCalled(node: Expr<'Call'>): Machine['at'] {
  const { func } = node
  if (func.nodeType !== 'Attribute' || func.end_lineno === undefined || func.end_lineno === func.lineno) return node
  return { lineno: func.end_lineno, col_offset: (func.end_col_offset ?? func.attr.length) - func.attr.length }
}

function* callArguments(m: Machine, node: Expr<'Call'>, fn: Value, frame: Frame): Steps<{ args: Value[]; kwargs: Kwargs }> {
  const args = yield* elements(m, node.args, frame, node.args.length > 1 ? 'Value' : `${calledName(fn)} argument`)
  const kwargs = new Map<string, Value>()
  const give = (name: string, value: Value): void => {
    if (kwargs.has(name)) throw error('TypeError', `${calledName(fn)} got multiple values for keyword argument '${name}'`)
    kwargs.set(name, value)
  }
  for (const { arg, value } of node.keywords) {
    const v = yield* evaluate(m, value, frame)
    if (arg !== undefined) {
      give(arg, v)
      continue
    }
    m.at = node
    if (!(v instanceof PyDict)) throw error('TypeError', `${calledName(fn)} argument after ** must be a mapping, not ${typeName(v)}`)
    for (const entry of v.entries.values()) {
      if (typeof entry.key !== 'string') throw error('TypeError', 'keywords must be strings')
      give(entry.key, entry.value)
    }
  }
  return { args, kwargs }
}
