import type { UiNode } from '../../model/index.ts'
import { clip, plain, roleOf } from '../../selector/index.ts'
import { rowTexts } from './rows.ts'

const MOST_TEXTS = 6
const LONGEST = 40

/** Says of each of these elements what the others do not share: the row that it is in, what is around it, or its place. */
export function tellApart(nodes: readonly UiNode[]): (node: UiNode) => string {
  const common = shared(nodes.map(around))
  const inside = (node: UiNode): string => {
    const row = rowTexts(node)
    if (row !== undefined)
      return ` in row ${row
        .slice(0, MOST_TEXTS)
        .map((text) => clip(text, LONGEST))
        .join(' | ')}`
    if (nodes.length < 2) return ''
    const [where] = around(node).filter((text) => !common.has(text))
    return where === undefined ? '' : ` in ${where}`
  }
  const said = nodes.map((node) => `${roleOf(node)} ${node.name ?? ''}${inside(node)}`)
  const twice = new Set(said.filter((text, i) => said.indexOf(text) !== i))
  return (node) => {
    const where = inside(node)
    const isClear = node.bounds === undefined || !twice.has(`${roleOf(node)} ${node.name ?? ''}${where}`)
    return isClear ? where : `${where} at ${Math.round(node.bounds?.x ?? 0)},${Math.round(node.bounds?.y ?? 0)}`
  }
}

/** What the element lies in, innermost first, as far as it has names. */
function around(node: UiNode): string[] {
  const names: string[] = []
  for (let n = node.parent; n !== undefined; n = n.parent)
    if (plain(n.name ?? '') !== '') names.push(`${roleOf(n)} ${clip(plain(n.name ?? ''), LONGEST)}`)
  return names
}

function shared(lists: readonly string[][]): ReadonlySet<string> {
  const [first = [], ...rest] = lists
  return new Set(first.filter((text) => rest.every((list) => list.includes(text))))
}
