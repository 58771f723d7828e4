import type { UiNode } from '../../model/index.ts'
import { plain, roleOf } from '../../selector/index.ts'
import type { Item } from './outline-item.ts'
import { rowsOf } from './rows.ts'

const ROWS: ReadonlySet<string> = new Set(['row', 'listitem', 'treeitem', 'option'])
const CELLS: ReadonlySet<string> = new Set(['cell', 'columnheader', 'rowheader'])
/** A line longer than so many cells is not easier to read than its cells one by one. */
const MOST = 30
/** What spreadsheets call their cells. */
const PLACE = /^\$?[A-Z]{1,3}\$?\d{1,7}$/

export interface Folded {
  /** What stands on the line of the node itself. */
  cells: Item[]
  children: Item[]
  /** How many cells show nothing and were left out. */
  empty: number
}

/** Puts the cells of a row on one line, and leaves out those that show nothing. `node` is what holds the items. */
export function foldRows(node: UiNode, items: readonly Item[]): Folded {
  const isCell = (item: Item): boolean => CELLS.has(roleOf(item.node))
  const full = items.filter((item) => !isEmpty(item))
  const empty = items.length - full.length
  if (ROWS.has(roleOf(node)) && full.length > 0 && full.every(isCell)) {
    const cells = full.flatMap(flat)
    return cells.length <= MOST ? { cells, children: [], empty } : { cells: [], children: full, empty }
  }
  if (!full.some(isCell)) return { cells: [], children: full, empty }
  const rowOf = new Map(rowsOf(node).flatMap((row, i) => row.cells.map((cell) => [cell.key, i] as const)))
  const children: Item[] = []
  let last: unknown
  for (const item of full) {
    const place = roleOf(item.node) === 'columnheader' ? 'headers' : rowOf.get(item.node.key)
    const head = children.at(-1)
    const isSame = isCell(item) && place !== undefined && place === last && item.children.length === 0
    if (isSame && head && head.children.length === 0 && (head.cells?.length ?? 0) < MOST) children[children.length - 1] = joined(head, item)
    else children.push(item)
    last = isCell(item) ? place : undefined
  }
  return { cells: [], children, empty }
}

/** A cell on the line of another says what it shows, not that it is a cell; likewise the buttons of a toolbar. */
export const inline = ({ line }: Item, around: Item): string =>
  roleOf(around.node) === 'toolbar' ? line.replace(/^(?:toggle)?button (?=")/, '').replace(/ unchecked$/, '') : line.replace(/^cell /, '')

/** Puts the buttons of a toolbar on one line, the first few of them where it was not asked for by itself; undefined for anything else. */
export function foldToolbar(node: UiNode, items: readonly Item[], isAskedFor: boolean): Item[] | undefined {
  const isButton = ({ node: n, children }: Item): boolean => children.length === 0 && BUTTONS.has(roleOf(n)) && plain(n.name ?? '') !== ''
  if (roleOf(node) !== 'toolbar' || items.length < 2 || !items.every(isButton)) return undefined
  return isAskedFor ? [...items] : items.filter((item) => item.node.states?.enabled !== false).slice(0, MOST_BUTTONS)
}

const BUTTONS: ReadonlySet<string> = new Set(['button', 'togglebutton', 'separator'])
const MOST_BUTTONS = 12

const joined = (head: Item, item: Item): Item => ({ ...head, cells: [...(head.cells ?? []), item], size: head.size + item.size })

/** A cell without text of its own is what lies in it. */
function flat(item: Item): Item[] {
  if (item.children.length === 0) return [item]
  const inside = item.children.flatMap(flat)
  return plain(item.node.name ?? '') === '' && !item.node.value ? inside : [{ ...item, children: [], size: 1 }, ...inside]
}

function isEmpty({ node, children }: Item): boolean {
  const { states, attributes, value } = node
  if (roleOf(node) !== 'cell' || children.length > 0) return false
  if (states?.focused || states?.selected || states?.checked !== undefined) return false
  const name = plain(node.name ?? '')
  return !value && (name === '' || (attributes?.['row'] !== undefined && PLACE.test(name)))
}
