import type { ExprNode } from 'py-ast'
import type { FunctionNode } from '../interp/nodes.ts'
import { checkName, type Checking } from './checking.ts'
import { checkExpression } from './expressions.ts'

/** Checks an assignment target: left of `=`, after `for` or after `as`. */
export function checkTarget(c: Checking, node: ExprNode, starAllowed: boolean): void {
  switch (node.nodeType) {
    case 'Name':
      return checkName(c, node, node.id)
    case 'Tuple':
    case 'List': {
      if (node.elts.filter((e) => e.nodeType === 'Starred').length > 1)
        throw c.source.reject(node, 'only one starred name can stand left of =')
      for (const e of node.elts) checkTarget(c, e.nodeType === 'Starred' ? e.value : e, false)
      return
    }
    case 'Subscript':
      return checkExpression(c, node)
    case 'Attribute': {
      const module = node.value.nodeType === 'Name' ? c.modules.get(node.value.id) : undefined
      if (module && node.attr === 'FAILSAFE' && !c.profile.methods)
        throw c.source.reject(node, 'pyautogui.FAILSAFE cannot be set: a script does not switch the fail-safe off')
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

export function checkDelete(c: Checking, node: ExprNode): void {
  if (node.nodeType === 'Tuple' || node.nodeType === 'List') return node.elts.forEach((e) => checkDelete(c, e))
  if (node.nodeType === 'Name') return checkName(c, node, node.id)
  if (node.nodeType !== 'Subscript') throw c.source.reject(node, 'this cannot be deleted')
  checkExpression(c, node)
}

export function checkParameters(c: Checking, { args }: FunctionNode): void {
  const positional = [...args.posonlyargs, ...args.args]
  for (const p of [...positional, ...args.kwonlyargs, args.vararg, args.kwarg]) {
    if (!p) continue
    checkName(c, p, p.arg)
    if (p.annotation) checkAnnotation(c, p.annotation)
  }
  if (args.defaults.length > positional.length)
    throw c.source.reject(positional[0], 'a parameter without a default follows one with a default')
  for (const value of [...args.defaults, ...args.kw_defaults]) if (value) checkExpression(c, value)
}

const TYPE_NAMES = new Set(['int', 'float', 'str', 'bool', 'list', 'dict', 'tuple', 'set', 'object'])

/** Annotations have no effect, so only plain types are let through. */
export function checkAnnotation(c: Checking, node: ExprNode): void {
  c.nodes++
  if (node.nodeType === 'Name' && TYPE_NAMES.has(node.id)) return
  if (node.nodeType === 'Constant' && (node.value === null || typeof node.value === 'string')) return
  if (node.nodeType === 'Tuple') return node.elts.forEach((e) => checkAnnotation(c, e))
  if (node.nodeType === 'Subscript') return [node.value, node.slice].forEach((e) => checkAnnotation(c, e))
  if (node.nodeType === 'BinOp' && node.op.nodeType === 'BitOr') return [node.left, node.right].forEach((e) => checkAnnotation(c, e))
  throw c.source.reject(node, 'only plain types can be annotations; leave this one out')
}
