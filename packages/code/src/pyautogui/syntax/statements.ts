import type { ExprNode, StmtNode } from 'py-ast'
import type { Stmt } from '../interp/nodes.ts'
import { refusal } from '../profile.ts'
import { isModule, type ModuleName } from '../program.ts'
import { checkMember, checkName, count, type Checking } from './checking.ts'
import { checkExpression } from './expressions.ts'
import { instead } from './names.ts'
import { checkAnnotation, checkDelete, checkParameters, checkTarget } from './targets.ts'

interface Place {
  inFunction: boolean
  inLoop: boolean
  depth: number
}

const MAX_BLOCKS = 16

/** Checks every statement against the profile; throws at the first that is not allowed. */
export function checkModule(c: Checking, body: readonly StmtNode[]): void {
  checkBlock(c, body, { inFunction: false, inLoop: false, depth: 0 })
}

function checkBlock(c: Checking, body: readonly StmtNode[], place: Place): void {
  if (place.depth > MAX_BLOCKS) throw c.source.reject(body[0], `blocks nest deeper than ${MAX_BLOCKS}; use functions`)
  for (const node of body) checkStatement(c, node, { ...place, depth: place.depth + 1 })
}

const COMPOUND: ReadonlySet<string> = new Set(['If', 'For', 'While', 'Try', 'With', 'FunctionDef'])

function checkStatement(c: Checking, node: StmtNode, place: Place): void {
  count(c, node)
  if (COMPOUND.has(node.nodeType) && !c.source.startsLine(node)) throw c.source.reject(node, 'this statement needs a line of its own')
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
      if (node.target.nodeType === 'Tuple' || node.target.nodeType === 'List')
        throw c.source.reject(node.target, 'several names cannot be changed at once')
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
      if (node.decorator_list.length > 0) throw c.source.reject(node.decorator_list[0], 'decorators are not available; call the function')
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
  if (name !== 'hold') throw c.source.reject(node, `only pyautogui.hold(...) can stand after 'with'${instead(name)}`)
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
