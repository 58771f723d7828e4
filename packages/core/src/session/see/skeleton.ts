import type { UiNode, UiTree } from '../../model/index.ts'
import { roleOf } from '../../selector/index.ts'
import type { Counts } from './out-of-view.ts'
import { partsOf, type Item } from './outline-item.ts'
import { itemsOf } from './outline-items.ts'
import { tokens } from './tokens.ts'

const BUDGET = 400
const DEEPEST = 6

/** The parts of an application and how much is in each: what to look at by itself, with its id as the root of a snapshot. */
export function skeleton(tree: UiTree, { id, budget = BUDGET }: { id(node: UiNode): string; budget?: number }): string {
  const items = itemsOf(tree.roots)
  const end = 'the parts alone; snapshot with root=<id> shows what is in one'
  for (let depth = DEEPEST; depth > 0; depth--) {
    const rows = items.flatMap((item) => parts(item, 0, depth))
    const sample = [...rows.map((row) => `${'  '.repeat(row.depth)}e1234 ${row.line}`), end].join('\n')
    const room = depth > 1 || tokens(sample) <= budget ? rows.length : Math.max(1, Math.floor((rows.length * budget) / tokens(sample)) - 1)
    if (tokens(sample) > budget && depth > 1) continue
    const left = rows.length - room
    const lines = rows.slice(0, room).map((row) => `${'  '.repeat(row.depth)}${id(row.node)} ${row.line}`)
    return [...lines, ...(left > 0 ? [`… ${left} more`] : []), end].join('\n')
  }
  return end
}

interface Part {
  node: UiNode
  line: string
  depth: number
}

/** An item as a part, and the parts in it. */
function parts(item: Item, depth: number, deepest: number): Part[] {
  const isLast = depth + 1 >= deepest
  const inner = isLast ? [] : item.children.filter((child) => isPart(child))
  const counts: Counts = new Map()
  for (const child of item.children) if (!inner.includes(child)) count(child, counts)
  const out = [...(item.unseen?.values() ?? [])].reduce((sum, n) => sum + n, 0)
  const held = [...[...counts].map(([role, n]) => `${n} ${role}`), ...(out > 0 ? [`${out} out of view`] : [])]
  const line = `${item.line}${held.length === 0 ? '' : ` (${held.join(', ')})`}`
  return [{ node: item.node, line, depth }, ...inner.flatMap((child) => parts(child, depth + 1, deepest))]
}

const isPart = (item: Item): boolean => item.children.length > 1 || (item.kind === 'context' && item.children.length > 0)

function count(item: Item, counts: Counts): void {
  const role = roleOf(item.node)
  if (item.kind !== 'context' || item.children.length === 0) counts.set(role, (counts.get(role) ?? 0) + 1)
  for (const child of partsOf(item)) count(child, counts)
}
