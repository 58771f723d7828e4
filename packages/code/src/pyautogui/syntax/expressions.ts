import type { ExprNode } from 'py-ast'
import { ATTRIBUTE_NAMES, METHOD_NAMES } from '../interp/methods.ts'
import type { ComprehensionNode, Expr } from '../interp/nodes.ts'
import { refusal } from '../profile.ts'
import { checkCall } from './calls.ts'
import { checkMember, checkName, count, type Checking } from './checking.ts'
import { badName, insteadOf } from './names.ts'
import { isNumber } from './scan.ts'
import { bare, checkStars, checkTupleStars, checkWalrus } from './parentheses.ts'
import { checkParameters, checkTarget } from './targets.ts'

const MAX_DEPTH = 100

/** Checks an expression and everything in it. */
export function checkExpression(c: Checking, node: ExprNode, depth = 0): void {
  count(c, node)
  if (depth > MAX_DEPTH) throw c.source.reject(node, `expressions nest deeper than ${MAX_DEPTH}; use variables`)
  const expr = (e: ExprNode | null | undefined): void => {
    if (!e) return
    if (e.nodeType === 'Starred') throw c.source.reject(e, 'a starred expression cannot stand here; put it into a list')
    checkExpression(c, e, depth + 1)
  }
  const starred = (e: ExprNode): void => {
    if (e.nodeType === 'Starred') count(c, e)
    expr(e.nodeType === 'Starred' ? e.value : e)
  }
  const bound = (e: ExprNode | undefined): void => {
    if (e?.nodeType === 'NamedExpr') bare(c, e)
    expr(e)
  }
  switch (node.nodeType) {
    case 'Constant':
      return checkConstant(c, node)
    case 'Name':
      return checkRead(c, node)
    case 'BinOp':
      if (node.op.nodeType === 'MatMult') throw c.source.reject(node, 'the operator @ is not available')
      expr(node.left)
      return expr(node.right)
    case 'UnaryOp':
      return expr(node.operand)
    case 'BoolOp':
      return node.values.forEach(expr)
    case 'Compare':
      expr(node.left)
      return node.comparators.forEach(expr)
    case 'IfExp':
      bare(c, node.test)
      return [node.test, node.body, node.orelse].forEach(expr)
    case 'NamedExpr':
      if (node.target.nodeType !== 'Name') throw c.source.reject(node, 'only a name can stand left of :=')
      checkName(c, node.target, node.target.id)
      checkWalrus(c, node)
      return expr(node.value)
    case 'Tuple':
      checkTupleStars(c, node)
      return node.elts.forEach(starred)
    case 'List':
    case 'Set':
      checkStars(c, node.elts, node.nodeType === 'List' ? '[' : '{')
      return node.elts.forEach(starred)
    case 'Dict':
      node.keys.forEach(expr)
      return node.values.forEach(expr)
    case 'Subscript':
      expr(node.value)
      if (node.slice.nodeType === 'Slice') count(c, node.slice)
      return node.slice.nodeType === 'Slice' ? [node.slice.lower, node.slice.upper, node.slice.step].forEach(bound) : expr(node.slice)
    case 'Attribute':
      return checkAttribute(c, node, expr)
    case 'Call':
      return checkCall(c, node, expr, starred)
    case 'JoinedStr':
      return node.values.forEach((v) => (v.nodeType === 'Constant' ? undefined : expr(v)))
    case 'FormattedValue':
      expr(node.value)
      return expr(node.format_spec)
    case 'Lambda':
      checkParameters(c, node)
      return expr(node.body)
    case 'ListComp':
    case 'SetComp':
    case 'DictComp':
    case 'GeneratorExp':
      return checkComprehension(c, node, expr)
    case 'Starred':
      throw c.source.reject(node, 'a starred expression cannot stand here; put it into a list')
    default:
      throw c.source.reject(node, refusal(node.nodeType))
  }
}

type Visit = (e: ExprNode | null | undefined) => void

function checkComprehension(c: Checking, node: ComprehensionNode, expr: Visit): void {
  for (const loop of node.generators) {
    if (loop.is_async) throw c.source.reject(node, 'async is not available; calls already wait for their end')
    for (const part of [loop.iter, ...loop.ifs]) {
      bare(c, part)
      expr(part)
    }
    checkTarget(c, loop.target, false)
  }
  for (const part of node.nodeType === 'DictComp' ? [node.key, node.value] : [node.elt]) expr(part)
}

function checkConstant(c: Checking, node: Expr<'Constant'>): void {
  const value: unknown = node.value
  if (typeof value === 'boolean' || value === null) return
  if (typeof value === 'string') {
    if (value === '...' && node.quote_style === undefined) throw c.source.reject(node, "'...' is not available; use pass")
    return
  }
  if (typeof value !== 'number' && typeof value !== 'bigint') throw c.source.reject(node, 'this kind of number is not available')
  c.numbers.set(node, readNumber(c, node, value))
}

/** The tree does not tell 1.0 from 1, so the source text decides; a number without one is refused. */
function readNumber(c: Checking, node: Expr<'Constant'>, value: number | bigint): bigint | number {
  const written = c.source.slice(node)
  const text = written.replaceAll('_', '')
  const isFloat = /[.eE]/.test(text) && !/^0[xX]/.test(text)
  if (isNumber(written) && (!isFloat || Number(text) === value)) {
    if (text.length > 4300) throw c.source.reject(node, 'a number can have at most 4300 digits')
    return isFloat ? Number(text) : BigInt(text)
  }
  throw c.source.reject(node, 'give this number a name outside of the f-string')
}

function checkRead(c: Checking, node: Expr<'Name'>): void {
  const bad = badName(node.id, 'read')
  if (bad !== undefined) throw c.source.reject(node, bad)
  if (c.modules.has(node.id))
    throw c.source.reject(node, `the module ${node.id} is not a value; call its functions, such as ${node.id}.sleep()`)
}

function checkAttribute(c: Checking, node: Expr<'Attribute'>, expr: Visit): void {
  const module = node.value.nodeType === 'Name' ? c.modules.get(node.value.id) : undefined
  if (module) {
    if (!c.profile.methods && !c.settable(module).has(node.attr)) throw c.source.reject(node, `only calls of ${module} are allowed`)
    return checkMember(c, node, module, node.attr)
  }
  if (isTypeName(node)) return expr(node.value)
  if (!c.profile.methods)
    throw c.source.reject(node, `the attribute ${node.attr} is not available; only pyautogui and time have attributes`)
  if (!ATTRIBUTE_NAMES.has(node.attr) && !METHOD_NAMES.has(node.attr))
    throw c.source.reject(node, `the attribute ${node.attr} is not available${insteadOf(node.attr, [...ATTRIBUTE_NAMES, ...METHOD_NAMES])}`)
  expr(node.value)
}

/** `type(x).__name__`, the only allowed attribute that starts with `__`. */
function isTypeName({ value, attr }: Expr<'Attribute'>): boolean {
  return (
    attr === '__name__' &&
    value.nodeType === 'Call' &&
    value.func.nodeType === 'Name' &&
    value.func.id === 'type' &&
    value.args.length === 1
  )
}
