import type { UiNode } from '../../model/index.ts'
import { clip, plain, roleOf } from '../../selector/index.ts'
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
  for (const cell of full) {
    const place = roleOf(cell.node) === 'columnheader' ? 'headers' : rowOf.get(cell.node.key)
    for (const item of isCell(cell) && cell.children.every(isCell) ? flat(cell) : [cell]) {
      const head = children.at(-1)
      const isSame = isCell(item) && place !== undefined && place === last && item.children.length === 0
      if (isSame && head && head.children.length === 0 && (head.cells?.length ?? 0) < MOST)
        children[children.length - 1] = joined(head, item)
      else children.push(item)
      last = isCell(item) ? place : undefined
    }
  }
  return { cells: [], children, empty }
}

/** Whether it is a row of a table, or the cell that stands for one. */
export const isTableRow = ({ node, cells }: Item): boolean => cells !== undefined && (ROWS.has(roleOf(node)) || CELLS.has(roleOf(node)))

/** The line of an item, with its cells. Of a row that is selected whole this is said once. */
export function lineWith(item: Item, id: (node: UiNode) => string): string {
  const parts = [item, ...(item.cells ?? [])]
  const isWhole = isTableRow(item) && parts.every(({ line }) => SELECTED.test(line))
  const cells = parts.slice(1).map((cell) => `${id(cell.node)} ${isWhole ? inline(cell, item).replace(SELECTED, '') : inline(cell, item)}`)
  return [`${id(item.node)} ${item.line}`, ...cells].join(' | ')
}

const SELECTED = /(?: focused)? selected$/

/** What stands on the line of another says what it shows: cells, and neighbours in a row of buttons or menus, not what they are; a field not where it is. */
function inline({ line, node }: Item, around: Item): string {
  const role = roleOf(around.node)
  if (role === 'toolbar') return line.replace(/^(?:toggle)?button (?=")/, '').replace(/ unchecked$/, '')
  if (role === roleOf(node) && (LINED_UP.has(role) || isMenu(around))) return line.replace(new RegExp(`^((?:seen )?)${role} `), '$1')
  const bare = around.node.name === undefined ? line : line.replace(labelled(around.node.name), '')
  return bare.replace(/^cell /, '').replace(/^(textbox|spinbutton) at -?\d+,-?\d+/, '$1')
}

const LINED_UP: ReadonlySet<string> = new Set(['button', 'menu', 'togglebutton', 'tab'])

/** Whether an item stands for its neighbours too, which are on its line. */
export const standsForOthers = (item: Item): boolean =>
  item.cells !== undefined && (CELLS.has(roleOf(item.node)) || LINED_UP.has(roleOf(item.node)) || isMenu(item))

/** Puts neighbours that are alike, buttons or menus with a name, on one line. */
export function lineUp(items: readonly Item[]): Item[] {
  const lined: Item[] = []
  for (const item of items) {
    const head = lined.at(-1)
    const role = roleOf(item.node)
    const fits =
      isPlain(item) && head !== undefined && isPlain(head) && roleOf(head.node) === role && (head.cells?.length ?? 0) < MOST_IN_LINE - 1
    if (fits && (LINED_UP.has(role) || isMenu(item))) lined[lined.length - 1] = joined(head, item)
    else lined.push(item)
  }
  return lined
}

const MOST_IN_LINE = 12

/** Qt tells of the menus of a menu bar as of entries. */
const isMenu = ({ node }: Item): boolean => roleOf(node) === 'menuitem' && node.parent !== undefined && roleOf(node.parent) === 'menubar'

/** A named element without anything inside. */
const isPlain = ({ node, children, unseen }: Item): boolean =>
  children.length === 0 && unseen === undefined && plain(node.name ?? '') !== ''

/** A combobox or a named part with hardly anything in it takes what is in it on its own line; undefined for anything else. */
export function foldFew(node: UiNode, items: readonly Item[]): Item[] | undefined {
  const role = roleOf(node)
  const isSmall = items.length > 0 && items.length <= (role === 'combobox' ? 2 : 3)
  const isLabelled = (line: string): boolean => (node.name === undefined ? line : line.replace(labelled(node.name), '')).includes(' label ')
  const isLeaf = ({ node: n, line, children, cells, unseen }: Item): boolean =>
    children.length === 0 && cells === undefined && unseen === undefined && FEW.has(roleOf(n)) && !n.name && !isLabelled(line)
  return (role === 'combobox' || HOLDS_FEW.has(role)) && isSmall && items.every(isLeaf) ? [...items] : undefined
}

const labelled = (name: string): string => ` label ${clip(plain(name))}`

const FEW: ReadonlySet<string> = new Set(['textbox', 'togglebutton', 'button', 'spinbutton'])
const HOLDS_FEW: ReadonlySet<string> = new Set(['panel', 'group', 'toolbar'])

/** Puts the buttons of a toolbar on one line, the first few of them where it was not asked for by itself; undefined for anything else. */
export function foldToolbar(node: UiNode, items: readonly Item[], isAskedFor: boolean): Item[] | undefined {
  const isButton = ({ node: n, children }: Item): boolean => children.length === 0 && BUTTONS.has(roleOf(n)) && plain(n.name ?? '') !== ''
  if (roleOf(node) !== 'toolbar' || items.length < 2 || !items.every(isButton)) return undefined
  return isAskedFor ? [...items] : items.filter((item) => item.node.states?.enabled !== false).slice(0, MOST_BUTTONS)
}

/** What a toolbar with fields among its buttons shows: the fields, and of many buttons the first that can be pressed. */
export function fewButtons(node: UiNode, items: readonly Item[]): Item[] {
  const isButton = ({ node: n, children }: Item): boolean => children.length === 0 && BUTTONS.has(roleOf(n))
  if (roleOf(node) !== 'toolbar' || items.filter(isButton).length <= MOST_BUTTONS) return [...items]
  let left = MOST_BUTTONS
  return items.filter((item) => !isButton(item) || (item.node.states?.enabled !== false && left-- > 0))
}

const BUTTONS: ReadonlySet<string> = new Set(['button', 'togglebutton', 'separator'])
const MOST_BUTTONS = 12

const joined = (head: Item, item: Item): Item => ({ ...head, cells: [...(head.cells ?? []), item], size: head.size + item.size })

/** A cell without text of its own is what lies in it, but for the pictures beside a text. */
function flat(item: Item): Item[] {
  if (item.children.length === 0) return [item]
  const parts = item.children.flatMap(flat)
  const texts = parts.filter(({ node }) => roleOf(node) !== 'cell' || plain(node.name ?? '') !== '' || node.value)
  const inside = texts.length > 0 ? texts : parts
  return plain(item.node.name ?? '') === '' && !item.node.value ? inside : [{ ...item, children: [], size: 1 }, ...inside]
}

function isEmpty({ node, children }: Item): boolean {
  const { states, attributes, value } = node
  if (roleOf(node) !== 'cell' || children.length > 0) return false
  if (states?.focused || states?.selected || states?.checked !== undefined) return false
  const name = plain(node.name ?? '')
  return !value && (name === '' || (attributes?.['row'] !== undefined && PLACE.test(name)))
}
