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
    if (is?.face === was.face && !isDoubtful(is, then)) take(was, is)
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
    const isBetween = then.size === now.size && isBetweenTheSame(was, is, matched)
    if (isEdited(was, is, telling, shown) || (isBetween && !isElsewhere(was, is, telling, shown))) take(was, is)
  }
  return matched
}

/** An entry whose neighbour has come to show the same: a toolkit that moves entries up by one may have told of the first one only. */
function isDoubtful(row: SeenRow, then: Rows): boolean {
  if (isBlank(row) || isPlaced(row)) return false
  const hasComeToShow = (beside: Row | undefined): boolean => {
    const was = beside && then.get(beside.key)
    return beside?.face === row.face && was !== undefined && was.face !== row.face
  }
  return hasComeToShow(row.before) || hasComeToShow(row.after)
}

/** Whether an entry that shows something else in the same node is still the same one. */
function isEdited(was: SeenRow, is: SeenRow, telling: readonly number[], shown: ReadonlySet<string>): boolean {
  if (isPlaced(was) && isPlaced(is)) return true
  const kept = telling.filter((column) => was.texts[column] === is.texts[column])
  return kept.length * 2 > telling.length && !isElsewhere(was, is, telling, shown)
}

/** What told this entry from the others and is shown by another one now has gone there. */
const isElsewhere = (was: SeenRow, is: SeenRow, telling: readonly number[], shown: ReadonlySet<string>): boolean =>
  telling.some((column) => was.texts[column] !== is.texts[column] && shown.has(was.texts[column] ?? ''))

function isBetweenTheSame(was: SeenRow, is: SeenRow, matched: Rows): boolean {
  if (was.before === undefined && was.after === undefined) return false
  return isSameNeighbour(was, was.before, is, is.before, matched) && isSameNeighbour(was, was.after, is, is.after, matched)
}

/** A list that is drawn anew in the same nodes may put one of them elsewhere on the screen. */
function isSameNeighbour(was: SeenRow, beside: Row | undefined, is: SeenRow, now: Row | undefined, matched: Rows): boolean {
  if (beside !== undefined && matched.get(beside.key)?.key !== now?.key) return false
  if (beside === undefined && now !== undefined) return false
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
