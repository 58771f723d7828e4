import type { Point, Rect } from '@deskhand/core/model'
import type { App } from './app.ts'
import { ACCESSIBLE, COMPONENT, NULL_PATH, TABLE, offers } from './names.ts'
import type { CellPlace, MirrorNode } from './node.ts'
import { ROLE } from './roles.ts'
import { childCount, childPaths } from './children.ts'

/** A container with at most so many children is read whole; of a bigger one only what is visible. */
const WHOLE = 1000
const MAX_CELLS = 2000
/** Where cells are looked for, from the edges inwards. */
const EDGE = 4
const STRIDE = 12
const PROBES = 10
/** A spreadsheet has so many rows whether or not anything is in them. */
const ENDLESS = 1_000_000
/** So many rows are asked at a time what they say, and so many of those that are found are loaded. */
const AT_A_TIME = 64
const MOST_SOUGHT = 20
/** No more cells than this are asked. */
const MOST_ASKED = 100_000

/** The children of a container that makes them on demand: a spreadsheet claims 17 billion of them. */
export async function visibleCells(app: App, node: MirrorNode): Promise<string[]> {
  const count = await sizeOf(app, node)
  const isTable = offers(node.interfaces, TABLE)
  if (count <= WHOLE || !isTable) node.unloaded = 0
  if (count <= WHOLE) return isRemade(node) ? rowPaths(app, node, count) : childPaths(app, node, count)
  if (!isTable) return []
  const [[x, y, w, h]] = await app.call(node.path, COMPONENT, 'GetExtents', 'u', [0], '(iiii)')
  const first = await cornerCell(app, node, { x, y })
  if (first === undefined) return scatteredCells(app, node, { x, y, w, h })
  const [low, right] = await Promise.all([
    firstCell(
      app,
      node,
      Array.from({ length: PROBES }, (_, i) => ({ x: first.at.x, y: y + h - EDGE - i * STRIDE })),
    ),
    firstCell(
      app,
      node,
      Array.from({ length: PROBES }, (_, i) => ({ x: x + w - EDGE - i * STRIDE, y: first.at.y })),
    ),
  ])
  const part = [first.row, first.column, low?.row, right?.column, ...node.sought].join()
  if (part === node.part && node.children.length > 0) return node.children.map((c) => c.path)
  node.part = part
  const places: CellPlace[] = []
  const rows = new Set(node.sought)
  for (let row = first.row; row <= (low?.row ?? first.row + 60) && rows.size < MAX_CELLS; row++) rows.add(row)
  for (const row of [...rows].toSorted((a, b) => a - b)) {
    for (let column = first.column; column <= (right?.column ?? first.column) && places.length < MAX_CELLS; column++)
      places.push({ row, column })
  }
  return pathsAt(app, node, places)
}

/** The first cell in view: at the left edge, or beside the headers that the rows of a Qt table have there; an icon view has one column and gaps. */
async function cornerCell(app: App, table: MirrorNode, { x, y }: Point): Promise<Cell | undefined> {
  const steps = Array.from({ length: PROBES }, (_, i) => EDGE + i * STRIDE)
  const atEdge = await firstCell(
    app,
    table,
    steps.map((step) => ({ x: x + EDGE, y: y + step })),
  )
  if (atEdge !== undefined || (await app.get(table.path, TABLE, 'NColumns', 'i')) < 2) return atEdge
  return firstCell(
    app,
    table,
    steps.map((step) => ({ x: x + step, y: y + step })),
  )
}

/** Looks for rows that are not loaded by what they say, and notes those that say this text; the next look at the table loads them. */
export async function seekRows(app: App, table: MirrorNode, text: string, ms: number): Promise<void> {
  const [rows, columns] = await Promise.all([app.get(table.path, TABLE, 'NRows', 'i'), app.get(table.path, TABLE, 'NColumns', 'i')])
  if (rows <= 0 || columns <= 0 || rows * columns > MOST_ASKED) return
  const wanted = text.toLowerCase()
  const says = async (row: number): Promise<boolean> => {
    const cells = Array.from({ length: columns }, (_, column) => textAt(app, table, { row, column }).catch(() => ''))
    return (await Promise.all(cells)).some((said) => said.toLowerCase().includes(wanted))
  }
  const found: number[] = []
  const end = performance.now() + ms
  for (let from = 0; from < rows && found.length < MOST_SOUGHT && performance.now() < end; from += AT_A_TIME) {
    const numbers = Array.from({ length: Math.min(AT_A_TIME, rows - from) }, (_, i) => from + i)
    const hits = await Promise.all(numbers.map(says))
    found.push(...numbers.filter((_, i) => hits[i]))
  }
  table.sought = found.slice(0, MOST_SOUGHT)
}

async function textAt(app: App, table: MirrorNode, place: CellPlace): Promise<string> {
  const path = await pathAt(app, table, place)
  return path === undefined ? '' : app.get(path, ACCESSIBLE, 'Name', 's')
}

/** The entries of an icon view, which stand in several columns with gaps between them, one after the other. */
async function scatteredCells(app: App, node: MirrorNode, { x, y, w, h }: Rect): Promise<string[]> {
  const steps = Array.from({ length: PROBES }, (_, i) => EDGE + i * STRIDE)
  const first = await firstCell(
    app,
    node,
    steps.map((step) => ({ x: x + step, y: y + step })),
  )
  const last = await firstCell(
    app,
    node,
    steps.flatMap((dy) => steps.map((dx) => ({ x: x + w - 2 * dx, y: y + h - dy }))),
  )
  if (first === undefined) return []
  const end = Math.min(last?.row ?? first.row + MAX_CELLS, first.row + MAX_CELLS)
  return pathsAt(
    app,
    node,
    Array.from({ length: Math.max(0, end - first.row + 1) }, (_, i) => ({ row: first.row + i, column: first.column })),
  )
}

async function pathsAt(app: App, node: MirrorNode, places: readonly CellPlace[]): Promise<string[]> {
  const rows = await app.get(node.path, TABLE, 'NRows', 'i').catch(() => 0)
  const loaded = new Set(places.map((p) => p.row)).size
  node.unloaded = rows > loaded && rows < ENDLESS ? rows - loaded : 0
  const known = new Map(node.children.map((c) => [placeName(c.cell), c]))
  const paths = await Promise.all(places.map((p) => pathAt(app, node, p).catch(() => undefined)))
  return paths.flatMap((path, i) => {
    const place = places[i]
    if (path === undefined) return []
    const cell = known.get(placeName(place))
    if (cell === undefined) app.ensure(path).cell = place
    else app.rebind(cell, path)
    return [path]
  })
}

/**
 * How many children a container claims, by what it says of itself and of its rows and columns. Throws where it does not say: asked for all
 * of its children, a spreadsheet would make 17 billion objects and never answer again.
 */
async function sizeOf(app: App, node: MirrorNode): Promise<number> {
  const [count, cells] = await Promise.all([childCount(app, node), offers(node.interfaces, TABLE) ? cellCount(app, node) : 0])
  return count < 0 || cells < 0 ? Infinity : Math.max(count, cells)
}

async function cellCount(app: App, node: MirrorNode): Promise<number> {
  const [rows, columns] = await Promise.all([app.get(node.path, TABLE, 'NRows', 'i'), app.get(node.path, TABLE, 'NColumns', 'i')])
  return rows < 0 || columns < 0 ? -1 : rows * columns
}

const isRemade = (node: MirrorNode): boolean => node.app.toolkit.remakesRows && node.role === ROLE.TREE

/** A row keeps the object it is known by, which says where in the tree it is now; a row that is gone says nothing, or the place of a header. */
async function rowPaths(app: App, tree: MirrorNode, count: number): Promise<string[]> {
  const known = new Map<number, string>()
  const places = await Promise.all(tree.children.map((c) => indexOf(app, c.path).catch(() => -1)))
  tree.children.forEach(({ path }, i) => {
    const place = places[i] ?? -1
    if (place >= 0 && place < count && !known.has(place)) known.set(place, path)
  })
  if (known.size === count) return Array.from({ length: count }, (_, i) => known.get(i) ?? '')
  return (await childPaths(app, tree, count)).map((path, i) => known.get(i) ?? path)
}

/** LibreOffice makes a new object for a cell whenever it likes; the object in its place is the same cell. False when there is none. */
export async function renewCell(node: MirrorNode): Promise<boolean> {
  const { app, cell, parent } = node
  const path = cell === undefined || parent === undefined ? undefined : await pathAt(app, parent, cell).catch(() => undefined)
  if (path !== undefined) app.rebind(node, path)
  return path !== undefined
}

/** The known cell that an object not seen before stands for. */
export async function cellOf(app: App, path: string): Promise<MirrorNode | undefined> {
  const [, parent] = await app.get(path, ACCESSIBLE, 'Parent', '(so)')
  const table = app.nodes.get(parent)
  if (table === undefined || !offers(table.interfaces, TABLE)) return undefined
  if (isRemade(table)) return table.children[await indexOf(app, path)]
  const place = await placeIn(app, table, path)
  const cell = table.children.find((c) => c.cell?.row === place.row && c.cell.column === place.column)
  if (cell !== undefined) app.rebind(cell, path)
  return cell
}

const placeName = (place: CellPlace | undefined): string => `${place?.row},${place?.column}`

async function pathAt(app: App, table: MirrorNode, { row, column }: CellPlace): Promise<string | undefined> {
  const [[bus, path]] = await app.call(table.path, TABLE, 'GetAccessibleAt', 'ii', [row, column], '(so)')
  return bus === app.name && path !== NULL_PATH ? path : undefined
}

/** In which row and column of a table something stands. */
export async function placeIn(app: App, table: MirrorNode, path: string): Promise<CellPlace> {
  const index = await indexOf(app, path)
  const [[row], [column]] = await Promise.all([
    app.call(table.path, TABLE, 'GetRowAtIndex', 'i', [index], 'i'),
    app.call(table.path, TABLE, 'GetColumnAtIndex', 'i', [index], 'i'),
  ])
  return { row, column }
}

const indexOf = async (app: App, path: string): Promise<number> => (await app.call(path, ACCESSIBLE, 'GetIndexInParent', '', [], 'i'))[0]

export interface Cell extends CellPlace {
  at: Point
}

/** The first of these points that lies on a cell; headers and borders are none. */
async function firstCell(app: App, table: MirrorNode, points: readonly Point[]): Promise<Cell | undefined> {
  const cells = await Promise.all(points.map((p) => cellAt(app, table, p)))
  return cells.find((c) => c !== undefined)
}

/** The cell that a table shows at a point, as its application counts it. */
export async function cellAt(app: App, table: MirrorNode, at: Point): Promise<Cell | undefined> {
  try {
    const point = [Math.floor(at.x), Math.floor(at.y), 0] as const
    const [[, path]] = await app.call(table.path, COMPONENT, 'GetAccessibleAtPoint', 'iiu', point, '(so)')
    if (path === NULL_PATH || path === table.path) return undefined
    const { row, column } = await placeIn(app, table, path)
    return row < 0 || column < 0 ? undefined : { row, column, at }
  } catch {
    return undefined
  }
}
