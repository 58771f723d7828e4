import type { Point } from '@deskhand/core/model'
import type { App } from './app.ts'
import { ACCESSIBLE, COMPONENT, NULL_PATH, TABLE, offers } from './names.ts'
import type { MirrorNode } from './node.ts'
import { childPaths } from './seed.ts'

/** A container with at most so many children is read whole; of a bigger one only what is visible. */
const WHOLE = 1000
const MAX_CELLS = 2000
/** Where cells are looked for, from the edges inwards. */
const EDGE = 4
const STRIDE = 12
const PROBES = 10

/** The children of a container that makes them on demand: a spreadsheet claims 17 billion of them. */
export async function visibleCells(app: App, node: MirrorNode): Promise<string[]> {
  const count = await app.get(node.path, ACCESSIBLE, 'ChildCount', 'i').catch(() => 0)
  if (count >= 0 && count <= WHOLE) return childPaths(app, node)
  if (!offers(node.interfaces, TABLE)) return []
  const [[x, y, w, h]] = await app.call(node.path, COMPONENT, 'GetExtents', 'u', [0], '(iiii)')
  const first = await firstCell(
    app,
    node,
    Array.from({ length: PROBES }, (_, i) => ({ x: x + EDGE, y: y + EDGE + i * STRIDE })),
  )
  if (first === undefined) return []
  const [low, right] = await Promise.all([
    firstCell(
      app,
      node,
      Array.from({ length: PROBES }, (_, i) => ({ x: x + EDGE, y: y + h - EDGE - i * STRIDE })),
    ),
    firstCell(
      app,
      node,
      Array.from({ length: PROBES }, (_, i) => ({ x: x + w - EDGE - i * STRIDE, y: first.at.y })),
    ),
  ])
  const part = [first.row, first.column, low?.row, right?.column].join()
  if (part === node.part && node.children.length > 0) return node.children.map((c) => c.path)
  node.part = part
  const places: { row: number; column: number }[] = []
  for (let row = first.row; row <= (low?.row ?? first.row + 60) && places.length < MAX_CELLS; row++) {
    for (let column = first.column; column <= (right?.column ?? first.column) && places.length < MAX_CELLS; column++)
      places.push({ row, column })
  }
  const cells = await Promise.all(
    places.map((p) => app.call(node.path, TABLE, 'GetAccessibleAt', 'ii', [p.row, p.column], '(so)').catch(() => undefined)),
  )
  return cells.flatMap((c) => (c !== undefined && c[0][0] === app.name && c[0][1] !== NULL_PATH ? [c[0][1]] : []))
}

interface Cell {
  row: number
  column: number
  at: Point
}

/** The first of these points that lies on a cell; headers and borders are none. */
async function firstCell(app: App, table: MirrorNode, points: readonly Point[]): Promise<Cell | undefined> {
  const cells = await Promise.all(points.map((p) => cellAt(app, table, p)))
  return cells.find((c) => c !== undefined)
}

async function cellAt(app: App, table: MirrorNode, at: Point): Promise<Cell | undefined> {
  try {
    const [[, path]] = await app.call(table.path, COMPONENT, 'GetAccessibleAtPoint', 'iiu', [at.x, at.y, 0], '(so)')
    if (path === NULL_PATH || path === table.path) return undefined
    const [index] = await app.call(path, ACCESSIBLE, 'GetIndexInParent', '', [], 'i')
    const [[row], [column]] = await Promise.all([
      app.call(table.path, TABLE, 'GetRowAtIndex', 'i', [index], 'i'),
      app.call(table.path, TABLE, 'GetColumnAtIndex', 'i', [index], 'i'),
    ])
    return row < 0 || column < 0 ? undefined : { row, column, at }
  } catch {
    return undefined
  }
}
