import type { Role } from '../model/index.ts'
import type { Expr, Find, Path, Selector } from './ast.ts'

/** What else people call by the name of a role: a button that stays down is a button to them. */
const ALSO: Partial<Record<Role, Role>> = { button: 'togglebutton' }

/** The selector with roles taken as people use the words, for when nothing matches it as it is written; undefined where that is the same. */
export function wider(selector: Selector): Selector | undefined {
  let isWider = false
  const widen = (expr: Expr): Expr => {
    if (expr.type === 'and' || expr.type === 'or') return { ...expr, of: expr.of.map(widen) }
    if (expr.type === 'has') return { ...expr, of: widen(expr.of) }
    const also = expr.type === 'role' && expr.op === '=' ? ALSO[expr.role] : undefined
    if (also === undefined) return expr
    isWider = true
    return { type: 'or', of: [expr, { type: 'role', op: '=', role: also }] }
  }
  const find = (f: Find): Find => ({ ...f, expr: widen(f.expr) })
  const path = ({ first, links }: Path): Path => ({
    first: find(first),
    links: links.map((link) => (link.type === 'nth' ? link : { ...link, find: find(link.find) })),
  })
  const made = { alternatives: selector.alternatives.map(path) }
  return isWider ? made : undefined
}
