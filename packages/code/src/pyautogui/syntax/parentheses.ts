import type { ExprNode } from 'py-ast'
import type { Expr } from '../interp/nodes.ts'
import type { Checking } from './checking.ts'

/** Python's rules about parentheses that the parser library does not check. */

const LOOSE: ReadonlySet<string> = new Set(['Lambda', 'IfExp', 'NamedExpr'])

/** Refuses a lambda, a conditional or a := where it needs parentheses and has none. */
export function bare(c: Checking, node: ExprNode): void {
  if (LOOSE.has(node.nodeType) && !c.source.follows(node, ['('])) throw c.source.reject(node, 'put parentheses around this')
}

/** `:=` needs parentheses, a bracket before it, or to be the whole condition of an if or while. */
export function checkWalrus(c: Checking, node: Expr<'NamedExpr'>): void {
  if (!c.source.follows(node, ['(', '[', 'if', 'while'])) throw c.source.reject(node, 'put parentheses around the :=')
}

/** A star follows the opening bracket or a comma, never a parenthesis of its own. */
export function checkStars(c: Checking, elements: readonly ExprNode[], open: string): void {
  for (const [i, e] of elements.entries()) {
    if (e.nodeType === 'Starred' && !c.source.follows(e, i === 0 ? [open] : [',']))
      throw c.source.reject(e, 'a starred expression cannot stand here')
  }
}

/** The same in a tuple, which may have no parentheses at all. */
export function checkTupleStars(c: Checking, node: Expr<'Tuple'>): void {
  const [first] = node.elts
  const start = { end_lineno: node.lineno, end_col_offset: node.col_offset }
  if (first?.nodeType === 'Starred' && !['', '('].includes(c.source.between(start, first).trim()))
    throw c.source.reject(first, 'a starred expression cannot stand here')
  checkStars(c, [node, ...node.elts.slice(1)], '')
}

/** Beside other arguments, a generator expression needs its own parentheses. */
export function checkGenerators(c: Checking, node: Expr<'Call'>): void {
  const { func } = node
  const alone = node.args.length + node.keywords.length === 1 && !/,\s*\)$/.test(c.source.slice(node))
  for (const arg of alone ? [] : node.args) {
    if (arg.nodeType === 'GeneratorExp' && arg.lineno === func.end_lineno && (arg.col_offset ?? 0) <= (func.end_col_offset ?? 0)) {
      throw c.source.reject(arg, 'put parentheses around the generator expression')
    }
  }
}

/** The first argument's star follows the call's own parenthesis. */
export function checkCallStars(c: Checking, { func, args }: Expr<'Call'>): void {
  const [first] = args
  if (first?.nodeType === 'Starred' && c.source.between(func, first).trim() !== '(')
    throw c.source.reject(first, 'a starred expression cannot stand here')
  checkStars(c, args, '(')
}
