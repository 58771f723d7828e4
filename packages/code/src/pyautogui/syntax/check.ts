import type { ExprNode, StmtNode } from 'py-ast'
import { ATTRIBUTE_NAMES } from '../interp/methods.ts'
import type { Expr, FunctionNode, Stmt } from '../interp/nodes.ts'
import { refusal, type Profile } from '../profile.ts'
import { isModule, type ModuleName } from '../program.ts'
import { checkCall } from './calls.ts'
import { badName, closest, instead } from './names.ts'
import type { Source } from './source.ts'

/** What a check needs to know about the script around it. */
export interface Checking {
  source: Source
  profile: Profile
  modules: ReadonlyMap<string, ModuleName>
  /** The names each module offers. */
  offers: (module: ModuleName) => ReadonlySet<string>
  settable: (module: ModuleName) => ReadonlySet<string>
  numbers: Map<object, bigint | number>
  nodes: number
}

interface Place {
  inFunction: boolean
  inLoop: boolean
  depth: number
}

const MAX_NODES = 20_000
const MAX_BLOCKS = 16
const MAX_DEPTH = 100

/** Checks every statement against the profile; throws at the first that is not allowed. */
export function checkModule(c: Checking, body: readonly StmtNode[]): void {
  checkBlock(c, body, { inFunction: false, inLoop: false, depth: 0 })
}

function checkBlock(c: Checking, body: readonly StmtNode[], place: Place): void {
  if (place.depth > MAX_BLOCKS) throw c.source.reject(body[0], `blocks nest deeper than ${MAX_BLOCKS}; use functions`)
  for (const node of body) checkStatement(c, node, { ...place, depth: place.depth + 1 })
}

function count(c: Checking, node: StmtNode | ExprNode): void {
  if (++c.nodes > MAX_NODES) throw c.source.reject(node, 'the script is too large; split it')
  if (!c.profile.kinds.has(node.nodeType)) throw c.source.reject(node, refusal(node.nodeType))
}

function checkStatement(c: Checking, node: StmtNode, place: Place): void {
  count(c, node)
  const expr = (e: ExprNode | undefined): void => e && checkExpression(c, e)
  const block = (body: readonly StmtNode[], inside: Partial<Place> = {}): void => checkBlock(c, body, { ...place, ...inside })
  switch (node.nodeType) {
    case 'Expr':
      return expr(node.value)
    case 'Assign':
      expr(node.value)
      return node.targets.forEach((t) => checkTarget(c, t, true))
    case 'AugAssign':
      expr(node.value)
      if (node.op.nodeType === 'MatMult') throw c.source.reject(node, 'the operator @= is not available')
      if (node.target.nodeType === 'Tuple' || node.target.nodeType === 'List') throw c.source.reject(node.target, 'several names cannot be changed at once')
      return checkTarget(c, node.target, false)
    case 'AnnAssign':
      checkAnnotation(c, node.annotation)
      if (node.target.nodeType !== 'Name') throw c.source.reject(node, 'only a name can have an annotation')
      expr(node.value)
      return checkTarget(c, node.target, false)
    case 'If':
      expr(node.test)
      block(node.body)
      return block(node.orelse, { depth: elifDepth(node, place.depth) })
    case 'While':
      expr(node.test)
      block(node.body, { inLoop: true })
      return block(node.orelse)
    case 'For':
      expr(node.iter)
      checkTarget(c, node.target, false)
      block(node.body, { inLoop: true })
      return block(node.orelse)
    case 'Break':
    case 'Continue':
      if (!place.inLoop) throw c.source.reject(node, `'${node.nodeType.toLowerCase()}' outside of a loop`)
      return
    case 'Return':
      if (!place.inFunction) throw c.source.reject(node, "'return' outside of a function; exit() ends the script")
      return expr(node.value)
    case 'FunctionDef':
      if (node.decorator_list.length > 0) throw c.source.reject(node, 'decorators are not available; call the function')
      if (node.type_params.length > 0) throw c.source.reject(node, 'type parameters are not available; leave them out')
      checkName(c, node, node.name)
      checkParameters(c, node)
      if (node.returns) checkAnnotation(c, node.returns)
      return block(node.body, { inFunction: true, inLoop: false })
    case 'Try':
      return checkTry(c, node, block)
    case 'With':
      for (const item of node.items) {
        checkHold(c, item.context_expr)
        if (item.optional_vars) checkTarget(c, item.optional_vars, false)
      }
      return block(node.body)
    case 'Raise':
      expr(node.exc)
      return expr(node.cause)
    case 'Assert':
      expr(node.test)
      return expr(node.msg)
    case 'Delete':
      return node.targets.forEach((t) => checkDelete(c, t))
    case 'Import':
    case 'ImportFrom':
      return checkImport(c, node)
    case 'Global':
    case 'Nonlocal':
      return node.names.forEach((name) => checkName(c, node, name))
    case 'Pass':
      return
    default:
      throw c.source.reject(node, refusal(node.nodeType))
  }
}

/** An elif is an If inside an else, but no deeper. */
function elifDepth(node: Stmt<'If'>, depth: number): number {
  const [only] = node.orelse
  return node.orelse.length === 1 && only?.nodeType === 'If' && only.col_offset === node.col_offset ? depth - 1 : depth
}

function checkTry(c: Checking, node: Stmt<'Try'>, block: (body: readonly StmtNode[]) => void): void {
  if (node.handlers.length === 0 && node.finalbody.length === 0) throw c.source.reject(node, "'try' needs an 'except' or a 'finally'")
  if (node.handlers.length === 0 && node.orelse.length > 0) throw c.source.reject(node, "'else' after 'try' needs an 'except'")
  block(node.body)
  for (const [i, handler] of node.handlers.entries()) {
    if (!handler.type && i < node.handlers.length - 1) throw c.source.reject(handler, "'except:' without a type must be the last one")
    if (handler.type) checkExpression(c, handler.type)
    if (handler.name !== undefined) checkName(c, handler, handler.name)
    block(handler.body)
  }
  block(node.orelse)
  block(node.finalbody)
}

function checkHold(c: Checking, node: ExprNode): void {
  checkExpression(c, node)
  const called = node.nodeType === 'Call' ? node.func : undefined
  const name = called?.nodeType === 'Attribute' ? called.attr : called?.nodeType === 'Name' ? called.id : ''
  if (name !== 'hold') throw c.source.reject(node, "only pyautogui.hold(...) can stand after 'with'")
}

function checkImport(c: Checking, node: Stmt<'Import'> | Stmt<'ImportFrom'>): void {
  const allowed = (name: string): ModuleName => {
    if (isModule(name) && c.profile.modules.includes(name)) return name
    const [top = name] = name.split('.')
    throw c.source.reject(node, `the module ${name} is not available${instead(top)}`)
  }
  if (node.nodeType === 'Import') {
    for (const { name, asname } of node.names) {
      allowed(name)
      checkName(c, node, asname ?? name)
    }
    return
  }
  if ((node.level ?? 0) > 0) throw c.source.reject(node, 'relative imports are not available')
  const module = allowed(node.module ?? '')
  for (const { name, asname } of node.names) {
    if (name === '*') continue
    checkMember(c, node, module, name)
    checkName(c, node, asname ?? name)
  }
}

/** The module offers the name; says which one was probably meant. */
export function checkMember(c: Checking, node: ExprNode | StmtNode, module: ModuleName, name: string): void {
  const offers = c.offers(module)
  if (!offers.has(name)) throw c.source.reject(node, `${module}.${name} is not available${hint(module, name, offers)}`)
}

const HINTS: Record<string, string> = {
  'pyautogui.type': 'use pyautogui.write()',
  'pyautogui.run': 'write the calls out',
  'pyautogui.mouseInfo': 'use pyautogui.position()',
  'pyautogui.displayMousePosition': 'use pyautogui.position()',
  'pyautogui.getActiveWindow': 'windows are reached through the ui tools',
  'pyautogui.getWindowsWithTitle': 'windows are reached through the ui tools',
  'pyautogui.getAllWindows': 'windows are reached through the ui tools',
  'pyautogui.wait': 'use time.sleep()',
}

function hint(module: string, name: string, offers: Iterable<string>): string {
  const known = HINTS[`${module}.${name}`]
  return known === undefined ? closest(name, offers) : `; ${known}`
}

function checkName(c: Checking, node: object, name: string): void {
  const bad = badName(name, 'write')
  if (bad !== undefined) throw c.source.reject(node, bad)
}

function checkTarget(c: Checking, node: ExprNode, starAllowed: boolean): void {
  switch (node.nodeType) {
    case 'Name':
      return checkName(c, node, node.id)
    case 'Tuple':
    case 'List': {
      if (node.elts.filter((e) => e.nodeType === 'Starred').length > 1) throw c.source.reject(node, 'only one starred name can stand left of =')
      for (const e of node.elts) checkTarget(c, e.nodeType === 'Starred' ? e.value : e, false)
      return
    }
    case 'Subscript':
      return checkExpression(c, node)
    case 'Attribute': {
      const module = node.value.nodeType === 'Name' ? c.modules.get(node.value.id) : undefined
      if (module && c.settable(module).has(node.attr)) return
      throw c.source.reject(node, `${module ?? 'the attribute'}${module ? `.${node.attr}` : ` ${node.attr}`} cannot be set`)
    }
    case 'Starred':
      if (starAllowed) throw c.source.reject(node, 'a starred name left of = needs a list or a tuple around it')
      throw c.source.reject(node, 'a starred name cannot stand here')
    default:
      throw c.source.reject(node, 'a value cannot be assigned to this')
  }
}

function checkDelete(c: Checking, node: ExprNode): void {
  if (node.nodeType === 'Tuple' || node.nodeType === 'List') return node.elts.forEach((e) => checkDelete(c, e))
  if (node.nodeType === 'Name') return checkName(c, node, node.id)
  if (node.nodeType !== 'Subscript') throw c.source.reject(node, 'this cannot be deleted')
  checkExpression(c, node)
}

function checkParameters(c: Checking, { args }: FunctionNode): void {
  const positional = [...args.posonlyargs, ...args.args]
  for (const p of [...positional, ...args.kwonlyargs, args.vararg, args.kwarg]) {
    if (!p) continue
    checkName(c, p, p.arg)
    if (p.annotation) checkAnnotation(c, p.annotation)
  }
  if (args.defaults.length > positional.length) throw c.source.reject(positional[0], 'a parameter without a default follows one with a default')
  for (const value of [...args.defaults, ...args.kw_defaults]) if (value) checkExpression(c, value)
}

const TYPE_NAMES = new Set(['int', 'float', 'str', 'bool', 'list', 'dict', 'tuple', 'set', 'object'])

/** Annotations have no effect, so only plain types are let through. */
function checkAnnotation(c: Checking, node: ExprNode): void {
  c.nodes++
  if (node.nodeType === 'Name' && TYPE_NAMES.has(node.id)) return
  if (node.nodeType === 'Constant' && (node.value === null || typeof node.value === 'string')) return
  if (node.nodeType === 'Tuple') return node.elts.forEach((e) => checkAnnotation(c, e))
  if (node.nodeType === 'Subscript') return [node.value, node.slice].forEach((e) => checkAnnotation(c, e))
  if (node.nodeType === 'BinOp' && node.op.nodeType === 'BitOr') return [node.left, node.right].forEach((e) => checkAnnotation(c, e))
  throw c.source.reject(node, 'only plain types can be annotations; leave this one out')
}

export function checkExpression(c: Checking, node: ExprNode, depth = 0): void {
  count(c, node)
  if (depth > MAX_DEPTH) throw c.source.reject(node, `expressions nest deeper than ${MAX_DEPTH}; use variables`)
  const expr = (e: ExprNode | null | undefined): void => {
    if (!e) return
    if (e.nodeType === 'Starred') throw c.source.reject(e, 'a starred expression cannot stand here')
    checkExpression(c, e, depth + 1)
  }
  const starred = (e: ExprNode): void => {
    if (e.nodeType === 'Starred') count(c, e)
    expr(e.nodeType === 'Starred' ? e.value : e)
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
      return [node.test, node.body, node.orelse].forEach(expr)
    case 'NamedExpr':
      if (node.target.nodeType !== 'Name') throw c.source.reject(node, 'only a name can stand left of :=')
      checkName(c, node.target, node.target.id)
      return expr(node.value)
    case 'List':
    case 'Tuple':
    case 'Set':
      return node.elts.forEach(starred)
    case 'Dict':
      node.keys.forEach(expr)
      return node.values.forEach(expr)
    case 'Subscript':
      expr(node.value)
      if (node.slice.nodeType === 'Slice') count(c, node.slice)
      return node.slice.nodeType === 'Slice' ? [node.slice.lower, node.slice.upper, node.slice.step].forEach(expr) : expr(node.slice)
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
    default:
      throw c.source.reject(node, refusal(node.nodeType))
  }
}

type Visit = (e: ExprNode | null | undefined) => void

function checkComprehension(c: Checking, node: Expr<'ListComp'> | Expr<'SetComp'> | Expr<'DictComp'> | Expr<'GeneratorExp'>, expr: Visit): void {
  for (const loop of node.generators) {
    if (loop.is_async) throw c.source.reject(node, 'async is not available; calls already wait for their end')
    expr(loop.iter)
    checkTarget(c, loop.target, false)
    loop.ifs.forEach(expr)
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

/** The tree does not tell 1.0 from 1, so the text decides; where the text cannot be found, the number is refused. */
function readNumber(c: Checking, node: Expr<'Constant'>, value: number | bigint): bigint | number {
  const text = c.source.slice(node).replaceAll('_', '')
  const isFloat = /[.eE]/.test(text) && !/^0[xX]/.test(text)
  if (isFloat ? Number(text) === value : /^(?:\d+|0[xXoObB][0-9a-fA-F]+)$/.test(text)) {
    if (isFloat) return Number(text)
    if (text.length > 4300) throw c.source.reject(node, 'a number can have at most 4300 digits')
    return BigInt(text.replace(/^0+(?=\d)/, ''))
  }
  throw c.source.reject(node, 'give this number a name outside of the f-string')
}

function checkRead(c: Checking, node: Expr<'Name'>): void {
  const bad = badName(node.id, 'read')
  if (bad !== undefined) throw c.source.reject(node, bad)
  if (c.modules.has(node.id)) throw c.source.reject(node, `the module ${node.id} is not a value; call its functions, such as ${node.id}.sleep()`)
}

function checkAttribute(c: Checking, node: Expr<'Attribute'>, expr: Visit): void {
  const module = node.value.nodeType === 'Name' ? c.modules.get(node.value.id) : undefined
  if (module) {
    if (!c.profile.methods && !c.settable(module).has(node.attr)) throw c.source.reject(node, `only calls of ${module} are allowed`)
    return checkMember(c, node, module, node.attr)
  }
  if (isTypeName(node)) return expr(node.value)
  if (!c.profile.methods) throw c.source.reject(node, `the attribute ${node.attr} is not available; only pyautogui and time have attributes`)
  if (!ATTRIBUTE_NAMES.has(node.attr)) throw c.source.reject(node, `the attribute ${node.attr} is not available`)
  expr(node.value)
}

/** `type(x).__name__`, the one use of such a name that does no harm. */
function isTypeName({ value, attr }: Expr<'Attribute'>): boolean {
  return attr === '__name__' && value.nodeType === 'Call' && value.func.nodeType === 'Name' && value.func.id === 'type' && value.args.length === 1
}
