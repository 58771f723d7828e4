import { intersect, type Rect } from '../../model/index.ts'
import type { Part } from '../ports.ts'

/** A part under a key of its own, its place counted from the corner of its window. */
export interface KnownPart extends Omit<Part, 'children'> {
  key: string
  children: KnownPart[]
}

/** What every key of a part begins with. */
export const PART_KEY = 'pixels:'

/** The key of the place that a part lies in; undefined for what is no part. */
const placeOfPart = (key: string): string | undefined =>
  key.startsWith(PART_KEY) ? key.slice(PART_KEY.length, key.lastIndexOf(':')) : undefined

/** What was made out in pixels that nobody read anew, though their place is still there. */
export function isUnreadNow(key: string, now: Pick<ReadonlySet<string>, 'has' | 'keys'>): boolean {
  const place = placeOfPart(key)
  if (place === undefined || now.has(key) || !now.has(place)) return false
  for (const other of now.keys()) if (placeOfPart(other) === place) return false
  return true
}

/** Whether a node is made out of pixels. */
export const isPart = ({ key }: { key: string }): boolean => key.startsWith(PART_KEY)

/** So far what stays may be off from one look to the next. */
const OFF = 6
const FIELDS: ReadonlySet<string> = new Set(['textbox', 'combobox', 'spinbutton'])

/**
 * Gives every part the key that it had before: what says the same at its place, a field at its place whatever it holds, what there is only
 * one of wherever it went, and a text that is taken for something else now. Anything else is new.
 */
export function keepKeys(parts: readonly Part[], before: readonly KnownPart[], newKey: () => string): KnownPart[] {
  const old = [...flat(before)]
  const now = [...flat(parts)]
  const keys = new Map<Part, string>()
  const left = new Set(old)
  const pair = (fits: (part: Part, known: KnownPart) => boolean): void => {
    for (const part of now) {
      if (keys.has(part)) continue
      const known = [...left].find((k) => fits(part, k))
      if (known === undefined) continue
      left.delete(known)
      keys.set(part, known.key)
    }
  }
  const isAlike = (a: Part, b: Part): boolean => a.role === b.role && a.name === b.name
  const isOnly = (part: Part, among: readonly Part[]): boolean => among.filter((p) => isAlike(p, part)).length === 1
  pair((part, known) => isAlike(part, known) && isNear(part.rect, known.rect))
  pair((part, known) => part.role === known.role && FIELDS.has(part.role) && isNear(part.rect, known.rect))
  pair((part, known) => part.name !== undefined && isAlike(part, known) && isOnly(part, now) && isOnly(known, old))
  pair((part, known) => READ.has(known.role) && isReadAs(part, known))
  const known = (part: Part): KnownPart => ({ ...part, key: keys.get(part) ?? newKey(), children: part.children.map(known) })
  return parts.map(known)
}

/** Texts in a list, of which pixels do not tell what they are: a chosen row looks unlike the others, and a cell becomes a field. */
const READ: ReadonlySet<string> = new Set(['cell', 'columnheader', 'label', 'listitem'])

/** Whether a part says at its place what another said there. */
function isReadAs(part: Part, known: Part): boolean {
  const said = known.value ?? known.name
  const isText = READ.has(part.role) || FIELDS.has(part.role)
  if (!isText || part.children.length + known.children.length > 0 || said === undefined || (part.value ?? part.name) !== said) return false
  return isWithin(part.rect, known.rect) || isWithin(known.rect, part.rect)
}

const isWithin = (a: Rect, b: Rect): boolean =>
  a.x >= b.x - OFF && a.y >= b.y - OFF && a.x + a.w <= b.x + b.w + OFF && a.y + a.h <= b.y + b.h + OFF

const isNear = (a: Rect, b: Rect): boolean =>
  Math.abs(a.x - b.x) <= OFF && Math.abs(a.y - b.y) <= OFF && Math.abs(a.w - b.w) <= 2 * OFF && Math.abs(a.h - b.h) <= 2 * OFF

export function* flat<P extends { children: P[] }>(parts: readonly P[]): Generator<P> {
  for (const part of parts) {
    yield part
    yield* flat(part.children)
  }
}

/** What was made out, and what was known of where another window lies over it now: that is cut there, and has not gone. What must be hidden is. */
export function withCovered(
  found: readonly Part[],
  { before, over, hidden }: { before: readonly KnownPart[]; over: readonly Rect[]; hidden: readonly Rect[] },
  newKey: () => string,
): KnownPart[] {
  const meets = (rects: readonly Rect[], { rect }: Pick<Part, 'rect'>): boolean => rects.some((one) => intersect(one, rect) !== undefined)
  const covered = before.filter((part) => meets(over, part) && !meets(hidden, part))
  const places = covered.map(({ rect }) => rect)
  const fresh = found.filter((part) => !meets(places, part))
  const open = before.filter((part) => !covered.includes(part))
  return [...covered, ...keepKeys(fresh, open, newKey)]
}
