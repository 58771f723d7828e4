/** An interval along an axis and one across it. */
export interface Box {
  from: number
  to: number
  low: number
  high: number
}

/** A packed tree of boxes: neighbours in space are neighbours in it, so that a nearest search looks at few of them. */
export type Pack = { box: Box; items: { item: number; box: Box }[] } | { box: Box; parts: Pack[] }

export interface Search {
  distance(a: Box, c: Box): number
  /** The least distance that anything inside the box could have. */
  bound(a: Box, box: Box): number
  skip(anchor: number, item: number): boolean
  max: number
  /** Distances this close to the best are as good as the best. */
  tie: number
  limit: number
}

interface Hit {
  item: number
  distance: number
}

const FAN = 16
const CELLS = 1024

/** Packs boxes with up to `leaf` of them per leaf, ordered along a curve that keeps neighbours together. */
export function pack(items: number[], boxOf: (item: number) => Box, leaf: number): Pack {
  const boxed = items.map((item) => ({ item, box: boxOf(item) }))
  const ordered = boxed.length > leaf ? curve(boxed) : boxed
  let level: Pack[] = chunks(ordered, leaf).map((part) => ({ box: union(part), items: part }))
  while (level.length > 1) level = chunks(level, FAN).map((parts) => ({ box: union(parts), parts }))
  return level[0] ?? { box: { from: 0, to: 0, low: 0, high: 0 }, items: [] }
}

/** Finds the items at the least distance from a box; a tie gives up to `limit` of them. */
export function finder(pack: Pack, search: Search): (anchor: number, from: Box) => Hit[] {
  let anchor = 0
  let from = pack.box
  let best = Infinity
  let hits: Hit[] = []
  const take = (item: number, box: Box): void => {
    const distance = search.distance(from, box)
    if (distance === Infinity || distance > search.max || distance > best + search.tie || search.skip(anchor, item)) return
    if (distance < best) {
      best = distance
      if (hits.length > 0) hits = hits.filter((h) => h.distance <= best + search.tie)
    }
    if (hits.length < search.limit) hits.push({ item, distance })
  }
  // One row of numbers per level, so that a search allocates nothing.
  const scratch: Float64Array[] = []
  const visit = (part: Pack, depth: number): void => {
    if ('items' in part) {
      for (const { item, box } of part.items) take(item, box)
      return
    }
    const bounds = (scratch[depth] ??= new Float64Array(FAN))
    for (let n = 0; n < FAN; n++) bounds[n] = n < part.parts.length ? search.bound(from, (part.parts[n] as Pack).box) : Infinity
    for (;;) {
      const next = least(bounds)
      const bound = bounds[next] ?? Infinity
      const worthwhile = hits.length < search.limit ? bound <= best + search.tie : bound < best
      if (bound === Infinity || bound > search.max || !worthwhile) return
      bounds[next] = Infinity
      visit(part.parts[next] as Pack, depth + 1)
    }
  }
  return (item, box) => {
    anchor = item
    from = box
    best = search.max
    hits = []
    visit(pack, 0)
    return hits
  }
}

function least(values: Float64Array): number {
  let at = 0
  for (let i = 1; i < values.length; i++) if ((values[i] ?? 0) < (values[at] ?? 0)) at = i
  return at
}

/** Orders by the Z-shaped curve over a grid of the boxes' middles. */
function curve(boxed: { item: number; box: Box }[]): { item: number; box: Box }[] {
  const all = union(boxed)
  const cell = (value: number, low: number, high: number): number =>
    high > low ? Math.floor(((value - low) / (high - low)) * (CELLS - 1)) : 0
  const keys = new Float64Array(boxed.length)
  for (const [i, { box }] of boxed.entries()) {
    const x = cell((box.from + box.to) / 2, all.from, all.to)
    const y = cell((box.low + box.high) / 2, all.low, all.high)
    keys[i] = (spread(x) | (spread(y) << 1)) * 2 ** 31 + i
  }
  keys.sort()
  return Array.from(keys, (key) => boxed[key % 2 ** 31]).filter((b) => b !== undefined)
}

/** Puts a zero between the ten bits. */
function spread(bits: number): number {
  let v = bits
  v = (v | (v << 8)) & 0x00ff00ff
  v = (v | (v << 4)) & 0x0f0f0f0f
  v = (v | (v << 2)) & 0x33333333
  return (v | (v << 1)) & 0x55555555
}

function chunks<T>(list: T[], size: number): T[][] {
  const out: T[][] = []
  for (let i = 0; i < list.length; i += size) out.push(list.slice(i, i + size))
  return out
}

function union(parts: { box: Box }[]): Box {
  const all: Box = { from: Infinity, to: -Infinity, low: Infinity, high: -Infinity }
  for (const { box } of parts) {
    all.from = Math.min(all.from, box.from)
    all.to = Math.max(all.to, box.to)
    all.low = Math.min(all.low, box.low)
    all.high = Math.max(all.high, box.high)
  }
  return all
}
