import type { Part } from '@deskhand/core/session'
import type { Rect } from '@deskhand/core/model'
import { middle, overlapY, right } from './places.ts'

const LEAST_ROWS = 3
/** So far apart, in heights of text, two cells of a row are at least. */
const GAP = 1.2
/** … and so far off a cell may be from the column that it is in. */
const OFF = 1
const SURE = 0.6

/** Rows of parts that stand side by side, from the left to the right, the upper row first. */
export function rowsOf(parts: readonly Part[]): Part[][] {
  const rows: Part[][] = []
  for (const part of parts.toSorted((a, b) => middle(a.rect)[1] - middle(b.rect)[1])) {
    const row = rows.at(-1)
    if (row !== undefined && row.every((p) => overlapY(p.rect, part.rect) > 0.5)) row.push(part)
    else rows.push([part])
  }
  return rows.map((row) => row.toSorted((a, b) => a.rect.x - b.rect.x))
}

/** In reading order; lines of text that stand below each other in columns become a table. */
export function arranged(parts: readonly Part[], unit: number): Part[] {
  const rows = rowsOf(parts)
  const result: Part[] = []
  for (let from = 0; from < rows.length;) {
    const to = endOfTable(rows, from, unit)
    if (to - from >= LEAST_ROWS) {
      result.push(tableOf(rows.slice(from, to)))
      from = to
    } else result.push(...(rows[from++] ?? []))
  }
  return result
}

const isText = (part: Part): boolean => part.role === 'label' && part.children.length === 0

/** The row after the last of those from `from` on that have the same columns. */
function endOfTable(rows: readonly Part[][], from: number, unit: number): number {
  const first = rows[from] ?? []
  if (!hasColumns(first, unit)) return from
  let at = from + 1
  for (; at < rows.length; at++) {
    const [row, before] = [rows[at] ?? [], rows[at - 1] ?? []]
    const isNear = (row[0]?.rect.y ?? Infinity) - (before[0]?.rect.y ?? 0) < 4 * unit
    if (!isNear || !hasColumns(row, unit) || row.length !== first.length || !row.every((p, i) => isBelow(p.rect, first[i]?.rect, unit)))
      break
  }
  return at
}

const hasColumns = (row: readonly Part[], unit: number): boolean =>
  row.length > 1 && row.every((p, i) => isText(p) && (i === 0 || p.rect.x - right(row[i - 1]!.rect) > GAP * unit))

/** Cells of a column begin, end or are centred at the same place. */
function isBelow(cell: Rect, head: Rect | undefined, unit: number): boolean {
  if (head === undefined) return false
  const ways = [cell.x - head.x, right(cell) - right(head), cell.x + cell.w / 2 - head.x - head.w / 2]
  return ways.some((off) => Math.abs(off) <= OFF * unit)
}

function tableOf(rows: readonly Part[][]): Part {
  const made = rows.map((cells): Part => ({
    role: 'row',
    rect: around(cells),
    confidence: SURE,
    children: cells.map((c): Part => ({ ...c, role: 'cell', confidence: SURE * c.confidence })),
  }))
  return { role: 'table', rect: around(made), confidence: SURE, children: made }
}

function around(parts: readonly Part[]): Rect {
  const [x, y] = [Math.min(...parts.map((p) => p.rect.x)), Math.min(...parts.map((p) => p.rect.y))]
  return { x, y, w: Math.max(...parts.map((p) => right(p.rect))) - x, h: Math.max(...parts.map((p) => p.rect.y + p.rect.h)) - y }
}
