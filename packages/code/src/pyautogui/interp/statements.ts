import type { StmtNode } from 'py-ast'
import { isModule } from '../program.ts'
import { builtin, error, isSubtype, PyError, raise } from './exceptions.ts'
import { evaluate, slice } from './expressions.ts'
import { makeFunction } from './functions.ts'
import { advance, iterator, toArray } from './iterate.ts'
import { rest, type Frame, type Machine, type Steps } from './machine.ts'
import type { Stmt } from './nodes.ts'
import { augmented } from './operators.ts'
import { getItem, getSlice, setItem, setSlice } from './subscripts.ts'
import { discard, store } from './targets.ts'
import { truthy } from './types.ts'
import { assign, forget } from './variables.ts'
import { END, PyException, PyHold, PyList, PyTuple, PyType, type Value } from './values.ts'

export class Returned {
  readonly value: Value
  constructor(value: Value) {
    this.value = value
  }
}

/** How a block was left early. */
type Flow = 'break' | 'continue' | Returned | undefined

/** Runs statements in order. */
export function* execute(m: Machine, body: readonly StmtNode[], frame: Frame): Steps<Flow> {
  m.budget.down()
  for (const node of body) {
    if (m.budget.tick()) yield* rest(m)
    m.at = node
    const flow = yield* statement(m, node, frame)
    if (flow !== undefined) {
      m.budget.up()
      return flow
    }
  }
  m.budget.up()
  return undefined
}

function* statement(m: Machine, node: StmtNode, frame: Frame): Steps<Flow> {
  switch (node.nodeType) {
    case 'Expr':
      yield* evaluate(m, node.value, frame)
      return
    case 'Assign': {
      const value = yield* evaluate(m, node.value, frame)
      for (const target of node.targets) yield* store(m, target, value, frame)
      return
    }
    case 'AugAssign':
      return yield* augmentedAssign(m, node, frame)
    case 'AnnAssign':
      if (node.value) yield* store(m, node.target, yield* evaluate(m, node.value, frame), frame)
      return
    case 'If':
      return yield* execute(m, truthy(yield* evaluate(m, node.test, frame)) ? node.body : node.orelse, frame)
    case 'While':
      return yield* whileLoop(m, node, frame)
    case 'For':
      return yield* forLoop(m, node, frame)
    case 'Break':
      return 'break'
    case 'Continue':
      return 'continue'
    case 'Return':
      return new Returned(node.value ? yield* evaluate(m, node.value, frame) : null)
    case 'FunctionDef':
      assign(m, frame, node.name, yield* makeFunction(m, node, frame))
      return
    case 'Try':
      return yield* tryStatement(m, node, frame)
    case 'With':
      return yield* withStatement(m, node, 0, frame)
    case 'Raise':
      return yield* raiseStatement(m, node, frame)
    case 'Assert': {
      if (truthy(yield* evaluate(m, node.test, frame))) return
      const message = node.msg ? [yield* evaluate(m, node.msg, frame)] : []
      throw raise(builtin('AssertionError'), ...message)
    }
    case 'Delete':
      for (const target of node.targets) yield* discard(m, target, frame)
      return
    case 'ImportFrom':
      return importFrom(m, node, frame)
    case 'Import':
    case 'Pass':
    case 'Global':
    case 'Nonlocal':
      return
    default:
      throw error('RuntimeError', `${node.nodeType} is not available here`)
  }
}

function* augmentedAssign(m: Machine, { target, op, value }: Stmt<'AugAssign'>, frame: Frame): Steps<undefined> {
  if (op.nodeType === 'MatMult') throw error('TypeError', 'unsupported operand type(s) for @=')
  const compute = function* (before: Value): Steps<Value> {
    const by = yield* evaluate(m, value, frame)
    if (before instanceof PyList && op.nodeType === 'Add') {
      for (const item of yield* toArray(m, by)) m.budget.grow(before.items.push(item))
      return before
    }
    return augmented(m.budget, m.operators, op.nodeType, before, by)
  }
  if (target.nodeType !== 'Subscript') {
    yield* store(m, target, yield* compute(yield* evaluate(m, target, frame)), frame)
    return
  }
  const container = yield* evaluate(m, target.value, frame)
  if (target.slice.nodeType === 'Slice') {
    const bounds = yield* slice(m, target.slice, frame)
    const after = yield* compute(getSlice(m.budget, container, bounds))
    setSlice(m.budget, container, bounds, yield* toArray(m, after))
    return
  }
  const key = yield* evaluate(m, target.slice, frame)
  setItem(m.budget, container, key, yield* compute(getItem(m.budget, container, key)))
  return
}

function* whileLoop(m: Machine, node: Stmt<'While'>, frame: Frame): Steps<Flow> {
  while (truthy(yield* evaluate(m, node.test, frame))) {
    const flow = yield* execute(m, node.body, frame)
    if (flow === 'break') return
    if (flow instanceof Returned) return flow
  }
  return yield* execute(m, node.orelse, frame)
}

function* forLoop(m: Machine, node: Stmt<'For'>, frame: Frame): Steps<Flow> {
  const it = iterator(m, yield* evaluate(m, node.iter, frame))
  for (;;) {
    m.at = node
    const item = yield* advance(m, it)
    if (item === END) return yield* execute(m, node.orelse, frame)
    yield* store(m, node.target, item, frame)
    const flow = yield* execute(m, node.body, frame)
    if (flow === 'break') return
    if (flow instanceof Returned) return flow
  }
}

interface Outcome {
  flow?: Flow
  error?: PyError
}

/** Runs steps and catches a Python exception; everything else passes through. */
function* attempt(m: Machine, run: Steps<Flow>): Steps<Outcome> {
  const mark = m.budget.mark()
  const handling = m.handling.length
  try {
    return { flow: yield* run }
  } catch (thrown) {
    if (!(thrown instanceof PyError)) throw thrown
    if (thrown.line === 0) thrown.line = m.at.lineno
    m.budget.rewind(mark)
    m.handling.length = handling
    m.budget.work(64)
    return { error: thrown }
  }
}

function* tryStatement(m: Machine, node: Stmt<'Try'>, frame: Frame): Steps<Flow> {
  let outcome = yield* attempt(m, execute(m, node.body, frame))
  if (outcome.error) outcome = yield* attempt(m, handle(m, node, outcome.error, frame))
  else if (outcome.flow === undefined) outcome = yield* attempt(m, execute(m, node.orelse, frame))
  const last = yield* execute(m, node.finalbody, frame)
  if (last !== undefined) return last
  if (outcome.error) throw outcome.error
  return outcome.flow
}

function* handle(m: Machine, node: Stmt<'Try'>, thrown: PyError, frame: Frame): Steps<Flow> {
  m.handling.push(thrown)
  for (const handler of node.handlers) {
    m.at = handler
    if (handler.type && !matches(thrown.exception, yield* evaluate(m, handler.type, frame))) continue
    if (handler.name !== undefined) assign(m, frame, handler.name, thrown.exception)
    const outcome = yield* attempt(m, execute(m, handler.body, frame))
    if (handler.name !== undefined) forget(m, frame, handler.name)
    if (outcome.error) throw outcome.error
    m.handling.pop()
    return outcome.flow
  }
  throw thrown
}

function matches(exception: PyException, type: Value): boolean {
  const types = type instanceof PyTuple ? type.items : [type]
  if (!types.every(isExceptionType)) throw error('TypeError', 'catching classes that do not inherit from BaseException is not allowed')
  return types.some((t) => isSubtype(exception.type, t))
}

function isExceptionType(v: Value): v is PyType {
  return v instanceof PyType && isSubtype(v, builtin('BaseException'))
}

function* raiseStatement(m: Machine, node: Stmt<'Raise'>, frame: Frame): Steps<never> {
  if (!node.exc) {
    const current = m.handling.at(-1)
    throw current ?? error('RuntimeError', 'No active exception to reraise')
  }
  const value = yield* evaluate(m, node.exc, frame)
  const cause = node.cause ? yield* evaluate(m, node.cause, frame) : null
  const raised = isExceptionType(value) ? new PyException(value, []) : value
  if (!(raised instanceof PyException)) throw error('TypeError', 'exceptions must derive from BaseException')
  if (cause !== null && !isExceptionType(cause) && !(cause instanceof PyException))
    throw error('TypeError', 'exception causes must derive from BaseException')
  throw new PyError(raised)
}

/** Only `pyautogui.hold(...)` can stand after `with`. */
function* withStatement(m: Machine, node: Stmt<'With'>, index: number, frame: Frame): Steps<Flow> {
  const item = node.items[index]
  if (!item) return yield* execute(m, node.body, frame)
  const context = yield* evaluate(m, item.context_expr, frame)
  if (!(context instanceof PyHold)) throw error('TypeError', 'only pyautogui.hold() can be used with "with"')
  yield* m.world.hold(m, context, 'down')
  if (item.optional_vars) yield* store(m, item.optional_vars, null, frame)
  const outcome = yield* attempt(m, withStatement(m, node, index + 1, frame))
  yield* m.world.hold(m, context, 'up')
  if (outcome.error) throw outcome.error
  return outcome.flow
}

function importFrom(m: Machine, { module = '', names }: Stmt<'ImportFrom'>, frame: Frame): undefined {
  if (!isModule(module)) throw error('ModuleNotFoundError', `No module named '${module}'`)
  for (const { name, asname } of names) {
    if (name === '*') for (const n of m.world.names(module)) assign(m, frame, n, m.world.read(m, module, n))
    else assign(m, frame, asname ?? name, m.world.read(m, module, name))
  }
}
