import { isPlaced, type Row } from './rows.ts'

export interface SeenRow extends Row {
  before?: Row
  after?: Row
}

type Rows = ReadonlyMap<string, SeenRow>

/** Where each entry of a list is now, by the key it had; an entry that is not found again is left out. */
export function matchRows(then: Rows, now: Rows): Map<string, SeenRow> {
  const matched = new Map<string, SeenRow>()
  const taken = new Set<SeenRow>()
  const take = (was: SeenRow, is: SeenRow): void => {
    matched.set(was.key, is)
    taken.add(is)
  }
  for (const was of then.values()) {
    const is = now.get(was.key)
    if (is?.face === was.face) take(was, is)
  }
  if (matched.size === then.size) return matched
  const faces = byFace(now, (row) => !taken.has(row))
  const lost = [...then.values()].filter((row) => !matched.has(row.key))
  const lostFaces = byFace(new Map(lost.map((row) => [row.key, row])))
  for (const was of lost) {
    const [is, ...others] = isBlank(was) ? [] : (faces.get(was.face) ?? [])
    if (is !== undefined && others.length === 0 && lostFaces.get(was.face)?.length === 1) take(was, is)
  }
  const telling = tellingColumns(then)
  const shown = textsOf(now)
  for (const was of lost) {
    const is = now.get(was.key)
    if (is === undefined || matched.has(was.key) || taken.has(is) || lostFaces.has(is.face)) continue
    if (isEdited(was, is, telling, shown, then.size === now.size)) take(was, is)
  }
  return matched
}

/** Whether an entry that shows something else in the same node is still the same one. */
function isEdited(was: SeenRow, is: SeenRow, telling: readonly number[], shown: ReadonlySet<string>, isSameSize: boolean): boolean {
  if (isPlaced(was) && isPlaced(is)) return true
  const kept = telling.filter((column) => was.texts[column] === is.texts[column])
  // What told this entry from the others and is shown by another one now has gone there.
  if (telling.some((column) => was.texts[column] !== is.texts[column] && shown.has(was.texts[column] ?? ''))) return false
  return kept.length * 2 > telling.length || (isSameSize && isBetweenTheSame(was, is))
}

function isBetweenTheSame(was: SeenRow, is: SeenRow): boolean {
  if (was.before === undefined && was.after === undefined) return false
  return isSameNeighbour(was, was.before, is, is.before) && isSameNeighbour(was, was.after, is, is.after)
}

/** A list that is drawn anew in the same nodes may put one of them elsewhere on the screen. */
function isSameNeighbour(was: SeenRow, beside: Row | undefined, is: SeenRow, now: Row | undefined): boolean {
  if (beside?.face !== now?.face) return false
  if (beside?.y === undefined || now?.y === undefined || was.y === undefined || is.y === undefined) return true
  return Math.sign(was.y - beside.y) === Math.sign(is.y - now.y)
}

function byFace(rows: Rows, isWanted: (row: SeenRow) => boolean = () => true): Map<string, SeenRow[]> {
  const faces = new Map<string, SeenRow[]>()
  for (const row of rows.values()) {
    if (!isWanted(row)) continue
    const same = faces.get(row.face)
    if (same === undefined) faces.set(row.face, [row])
    else same.push(row)
  }
  return faces
}

/** The columns by which entries are told from each other, as each has something else there; words before numbers, which may only count them. */
function tellingColumns(rows: Rows): number[] {
  const all = [...rows.values()]
  if (all.length < 2) return []
  const columns = (all[0]?.texts ?? []).flatMap((_, column) => {
    const texts = new Set(all.map((row) => row.texts[column] ?? ''))
    return texts.size === all.length && !texts.has('') ? [column] : []
  })
  const words = columns.filter((column) => all.every((row) => /\p{L}/u.test(row.texts[column] ?? '')))
  return words.length > 0 ? words : columns
}

const textsOf = (rows: Rows): Set<string> => new Set([...rows.values()].flatMap((row) => row.texts))

const isBlank = (row: Row): boolean => row.texts.every((text) => text === '')
