import type { NodeIndex, UiNode } from '../model/index.ts'
import { STABLE_IDS, type Expr, type Find } from './ast.ts'
import { knownBy } from './naming.ts'
import { bareKey } from './prefixes.ts'
import { plain } from './quote.ts'

type Pool = ReadonlySet<UiNode>

/** The texts that an index knows nodes by. */
const INDEXED: ReadonlySet<string> = new Set(['name', 'value', 'text', ...STABLE_IDS])

/** Nodes among which are all that a step can match, as few as the index can tell; undefined: they may be anywhere. */
export function poolOf({ prefix, expr }: Find, index: NodeIndex): Pool | undefined {
  const pool = (e: Expr): Pool | undefined => {
    switch (e.type) {
      case 'and':
        return e.of.map(pool).reduce(smaller, undefined)
      case 'or':
        return union(e.of.map(pool))
      case 'role':
        return e.op === '=' ? index.byRole(e.role) : undefined
      case 'bare':
        return INDEXED.has(bareKey(prefix)) ? index.byText(e.text) : undefined
      case 'text':
        if (e.op === '=' && (e.key === 'name' || e.key === 'label')) return named(e.value, index)
        return e.op === '=' && INDEXED.has(e.key) ? index.byText(e.value) : undefined
      case 'not':
      case 'flag':
      case 'has':
      case 'element':
      case 'regex':
        return undefined
      default:
        return e satisfies never
    }
  }
  return pool(expr)
}

/** Those with the name, and those that are known by it for lack of one. */
function named(name: string, index: NodeIndex): Pool | undefined {
  const own = index.byText(name)
  if (own === undefined) return undefined
  const all = new Set(own)
  for (const node of knownBy(plain(name), (text) => index.byText(text))) all.add(node)
  return all
}

const smaller = (a: Pool | undefined, b: Pool | undefined): Pool | undefined => (a && (!b || a.size <= b.size) ? a : b)

function union(pools: (Pool | undefined)[]): Pool | undefined {
  const all = new Set<UiNode>()
  for (const pool of pools) {
    if (!pool) return undefined
    for (const node of pool) all.add(node)
  }
  return all
}
