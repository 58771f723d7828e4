import type { UiNode } from '../../model/index.ts'
import { matchRows, type SeenRow } from './row-matching.ts'
import { isPlaced } from './rows.ts'

/** Where each column is now of a table that tells the places of its cells, by the rows that were found again; a spreadsheet gets columns between others. */
export function matchColumns(
  then: ReadonlyMap<string, SeenRow>,
  matched: ReadonlyMap<string, SeenRow>,
): (column: number) => number | undefined {
  const pairs = [...then.values()].flatMap((was) => {
    const is = matched.get(was.key)
    return is === undefined || !isFlat(was) || !isFlat(is) ? [] : [{ was, is }]
  })
  if (pairs.every(({ was, is }) => was.face === is.face)) return (column) => column
  const found = matchRows(turned(pairs.map((p) => p.was)), turned(pairs.map((p) => p.is)))
  return (column) => {
    const now = found.get(String(column))
    return now && Number(now.key)
  }
}

/** Each text of the row is that of one cell, in its place. */
const isFlat = (row: SeenRow): boolean => isPlaced(row) && row.cells.every((c) => c.children.length === 0)

/** The columns of rows as if each were a row. */
function turned(rows: readonly SeenRow[]): Map<string, SeenRow> {
  const count = Math.max(0, ...rows.map((r) => r.cells.length))
  const columns = Array.from({ length: count }, (_, column): SeenRow => {
    const cells = rows.flatMap((r): readonly UiNode[] => r.cells.slice(column, column + 1))
    // The cells themselves have changed since a row was seen; its texts have not.
    const texts = rows.map((r) => r.texts[column] ?? '')
    return { key: String(column), cells, texts, face: JSON.stringify(texts) }
  })
  return new Map(columns.map((c, i) => [c.key, { ...c, before: columns[i - 1], after: columns[i + 1] }]))
}
