import type { App } from './app.ts'
import { ACCESSIBLE, COMPONENT, NULL_PATH, TABLE, offers } from './names.ts'
import type { MirrorNode } from './node.ts'
import { childPaths } from './seed.ts'

/** A container with at most so many children is read whole; of a bigger one only what is visible. */
const WHOLE = 1000
const MAX_CELLS = 2000

/** The children of a container that makes them on demand: a spreadsheet claims 17 billion of them. */
export async function visibleCells(app: App, node: MirrorNode): Promise<string[]> {
  const count = await app.get(node.path, ACCESSIBLE, 'ChildCount', 'i').catch(() => 0)
  if (count >= 0 && count <= WHOLE) return childPaths(app, node)
  if (!offers(node.interfaces, TABLE)) return []
  const [[x, y, w, h]] = await app.call(node.path, COMPONENT, 'GetExtents', 'u', [0], '(iiii)')
  const [first, last] = await Promise.all([cellAt(app, node, x + 2, y + 2), cellAt(app, node, x + w - 3, y + h - 3)])
  if (first === undefined) return []
  const to = last ?? { row: first.row + 60, column: first.column + 30 }
  const places: { row: number; column: number }[] = []
  for (let row = first.row; row <= to.row && places.length < MAX_CELLS; row++) {
    for (let column = first.column; column <= to.column && places.length < MAX_CELLS; column++) places.push({ row, column })
  }
  const cells = await Promise.all(places.map((p) => app.call(node.path, TABLE, 'GetAccessibleAt', 'ii', [p.row, p.column], '(so)').catch(() => undefined)))
  return cells.flatMap((c) => (c !== undefined && c[0][0] === app.name && c[0][1] !== NULL_PATH ? [c[0][1]] : []))
}

async function cellAt(app: App, table: MirrorNode, x: number, y: number): Promise<{ row: number; column: number } | undefined> {
  try {
    const [[, path]] = await app.call(table.path, COMPONENT, 'GetAccessibleAtPoint', 'iiu', [x, y, 0], '(so)')
    if (path === NULL_PATH || path === table.path) return undefined
    const [index] = await app.call(path, ACCESSIBLE, 'GetIndexInParent', '', [], 'i')
    const [[row], [column]] = await Promise.all([
      app.call(table.path, TABLE, 'GetRowAtIndex', 'i', [index], 'i'),
      app.call(table.path, TABLE, 'GetColumnAtIndex', 'i', [index], 'i'),
    ])
    return row < 0 || column < 0 ? undefined : { row, column }
  } catch {
    return undefined
  }
}
