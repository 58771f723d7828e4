import type { UiNode } from '../../model/index.ts'

/** An entry of a list, a table or a tree, with what it shows. */
export interface Row {
  /** The node that stands for it: the row itself, or its first cell where a table has no rows. */
  key: string
  cells: readonly UiNode[]
  texts: readonly string[]
  /** All its texts as one, to compare by. */
  face: string
  y?: number
}

const ENTRIES: ReadonlySet<string> = new Set(['row', 'listitem', 'treeitem', 'option'])
const TABLES: ReadonlySet<string> = new Set(['table', 'tree', 'list', 'group', 'panel', 'document'])
const MAX_LEVELS = 12
const MAX_TEXTS = 40

/** What holds the entry that a node is in or is; undefined for anything that is in no list. */
export function holderOf(node: UiNode): UiNode | undefined {
  let cell: UiNode | undefined
  let at: UiNode | undefined = node
  for (let level = 0; at !== undefined && level < MAX_LEVELS; level++, at = at.parent) {
    if (ENTRIES.has(at.role)) return at.parent
    if (at.role === 'cell') cell = at
    else if (cell !== undefined && TABLES.has(at.role)) return at
  }
  return undefined
}

/** The entries of a list in their order. Cells that stand in a table without rows are put together by their place or by the number of columns. */
export function rowsOf(holder: UiNode): Row[] {
  const rows: UiNode[][] = []
  const columns = holder.children.filter((c) => c.role === 'columnheader').length
  let cells: UiNode[] = []
  let place: unknown
  // What stands before the headers is the corner of a table.
  for (const child of holder.children.slice(holder.children.findLastIndex((c) => c.role === 'columnheader') + 1)) {
    if (ENTRIES.has(child.role)) rows.push([child])
    if (child.role === 'rowheader') cells = []
    if (child.role !== 'cell') continue
    const row = child.attributes?.['row']
    const isNext = row === undefined ? cells.length >= Math.max(1, columns) : row !== place
    if (isNext || cells.length === 0) rows.push((cells = []))
    cells.push(child)
    place = row
  }
  return rows.flatMap((row) => (row[0] === undefined ? [] : [rowFrom(row[0], row)]))
}

/** Whether the driver says which row of its table a row is, so that it is known by that. */
export const isPlaced = ({ cells }: Row): boolean => cells[0]?.attributes?.['row'] !== undefined

/** The way from a row to something in it; undefined when it is not in this row. */
export function wayTo(row: Row, node: UiNode): number[] | undefined {
  const way: number[] = []
  for (let n: UiNode | undefined = node; n !== undefined; n = n.parent) {
    const { key } = n
    const column = row.cells.findIndex((c) => c.key === key)
    if (column >= 0) return [column, ...way]
    way.unshift(n.parent?.children.findIndex((c) => c.key === key) ?? -1)
  }
  return undefined
}

export function follow(row: Row, way: readonly number[]): UiNode | undefined {
  const [column = -1, ...rest] = way
  let node: UiNode | undefined = row.cells[column]
  for (const index of rest) node = node?.children[index]
  return node
}

/** What the row says that an element is in, beside what the element says itself; undefined for anything that is in no row. */
export function rowTexts(node: UiNode): string[] | undefined {
  const holder = ENTRIES.has(node.role) ? undefined : holderOf(node)
  if (holder === undefined) return undefined
  const row = entryAround(node) ?? rowsOf(holder).find((r) => wayTo(r, node) !== undefined)
  const own = new Set([node.name ?? '', node.value ?? ''])
  const texts = (row?.texts ?? []).map((text) => text.trim()).filter((text) => text !== '' && !own.has(text))
  return texts.length > 0 ? [...new Set(texts)] : undefined
}

function entryAround(node: UiNode): Row | undefined {
  let at = node.parent
  for (let level = 0; at !== undefined && level < MAX_LEVELS; level++, at = at.parent) if (ENTRIES.has(at.role)) return rowFrom(at, [at])
  return undefined
}

function rowFrom(first: UiNode, cells: readonly UiNode[]): Row {
  const texts: string[] = []
  for (const cell of cells) collect(cell, texts, 0)
  return { key: first.key, cells, texts, face: JSON.stringify(texts), y: first.bounds?.y }
}

/** What a cell shows stands before what it is called: a spreadsheet calls its cells by their place. */
function collect(node: UiNode, texts: string[], level: number): void {
  if (texts.length >= MAX_TEXTS || level >= MAX_LEVELS || (level > 0 && ENTRIES.has(node.role))) return
  texts.push(node.value ?? (node.attributes?.['row'] === undefined ? (node.name ?? '') : ''))
  for (const child of node.children) collect(child, texts, level + 1)
}
