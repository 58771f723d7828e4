import type { Expr, Find, Link, Path, Selector } from './ast.ts'
import { quote } from './quote.ts'

/** The text of a selector; `parse` reads it back to an equal one. */
export function format(selector: Selector): string {
  return selector.alternatives.map(formatPath).join(' ?? ')
}

export function formatPath(path: Path): string {
  return [formatFind(path.first), ...path.links.map(formatLink)].join(' >> ')
}

export function formatLink(link: Link): string {
  switch (link.type) {
    case 'within':
      return formatFind(link.find)
    case 'relation':
      return `${link.relation}${link.max === undefined ? '' : `(${link.max})`} >> ${formatFind(link.find)}`
    case 'nth':
      return `nth=${link.index}`
    default:
      return link satisfies never
  }
}

export function formatFind({ prefix, expr }: Find): string {
  return `${prefix === 'any' ? '' : `${prefix}:`}${formatExpr(expr)}`
}

export function formatExpr(expr: Expr): string {
  switch (expr.type) {
    case 'and':
      return expr.of.map((e) => (e.type === 'and' || e.type === 'or' ? `(${formatExpr(e)})` : formatExpr(e))).join(' && ')
    case 'or':
      return expr.of.map((e) => (e.type === 'or' ? `(${formatExpr(e)})` : formatExpr(e))).join(' || ')
    case 'not':
      return expr.of.type === 'and' || expr.of.type === 'or' ? `!(${formatExpr(expr.of)})` : `!${formatExpr(expr.of)}`
    case 'has':
      return `has(${formatExpr(expr.of)})`
    case 'element':
      return expr.id
    case 'bare':
      return quote(expr.text)
    case 'role':
      return `role${expr.op}${expr.role}`
    case 'flag':
      return `${expr.key}${expr.op}${expr.value}`
    case 'text':
      return `${formatKey(expr.key)}${expr.op}${/^\d+$/.test(expr.value) ? expr.value : quote(expr.value)}`
    case 'regex':
      return `${formatKey(expr.key)}~=/${expr.source.replaceAll(/\\.|\//gs, (m) => (m === '/' ? '\\/' : m))}/${expr.flags}`
    default:
      return expr satisfies never
  }
}

function formatKey(key: string): string {
  if (!key.startsWith('attr.')) return key
  const name = key.slice('attr.'.length)
  return /^[\w.:-]+$/.test(name) ? key : `attr.${quote(name)}`
}
