import type { Relation } from './ast.ts'
import { placed, type Flat } from './flat.ts'
import { finder, pack, type Box } from './boxes.ts'

/*
 * The geometry. a is the anchor, c a candidate; both have bounds, are visible and lie in the same window. The anchor itself, what
 * holds it and what it holds never count. Up to 2 px of overlap are forgiven and count as touching.
 *
 *   relation   c counts when                                          distance; the smallest wins
 *   right-of   it begins where a ends or later, in a's row            c.left − a.right
 *   left-of    it ends where a begins or earlier, in a's row          a.left − c.right
 *   below      it begins where a ends or later, in a's column         c.top − a.bottom
 *   above      it ends where a begins or earlier, in a's column       a.top − c.bottom
 *   near       always                                                 √(dx² + dy²) of the gaps; 0 when they overlap
 *
 * In the same row: the middle height of one lies within the height of the other. In the same column: likewise with widths.
 * A number in parentheses is the greatest distance that counts. Distances less than half a pixel apart are a tie: all of them match.
 */
const OVERLAP = 2
const TIE = 0.5
const MAX_TIES = 20

/** Below this many anchors a plain scan beats the building of a tree. */
const FEW = 16

/** The nearest candidates of each anchor, in document order, with their distance. */
export function nearest(relation: Relation, max: number, anchors: number[], candidates: number[], flat: Flat): Map<number, number> {
  const byWindow = new Map<number, number[]>()
  for (const c of candidates) {
    if (!flat.visible(c) || !placed(flat.nodes[c]?.bounds)) continue
    const group = byWindow.get(flat.window(c))
    if (group) group.push(c)
    else byWindow.set(flat.window(c), [c])
  }
  const box = (i: number): Box => turn(relation, flat, i)
  const related = (a: number, c: number): boolean => (c >= a && c <= flat.end(a)) || (a >= c && a <= flat.end(c))
  const search = { ...(relation === 'near' ? around : along), skip: related, max, tie: TIE, limit: MAX_TIES }
  const finders = new Map<number, ReturnType<typeof finder>>()
  const found = new Map<number, number>()
  for (const a of anchors) {
    const window = flat.window(a)
    const group = byWindow.get(window)
    if (!group || !flat.visible(a) || !placed(flat.nodes[a]?.bounds)) continue
    const find = finders.get(window) ?? finder(pack(group, box, anchors.length < FEW ? group.length : FEW), search)
    finders.set(window, find)
    for (const hit of find(a, box(a))) found.set(hit.item, Math.min(hit.distance, found.get(hit.item) ?? Infinity))
  }
  return new Map([...found].toSorted((x, y) => x[0] - y[0]))
}

/** Turned so that every directed relation reads as right-of: `from`…`to` runs along the relation, `low`…`high` across it. */
function turn(relation: Relation, flat: Flat, i: number): Box {
  const r = flat.nodes[i]?.bounds ?? { x: 0, y: 0, w: 0, h: 0 }
  switch (relation) {
    case 'right-of':
    case 'near':
      return { from: r.x, to: r.x + r.w, low: r.y, high: r.y + r.h }
    case 'left-of':
      return { from: -r.x - r.w, to: -r.x, low: r.y, high: r.y + r.h }
    case 'below':
      return { from: r.y, to: r.y + r.h, low: r.x, high: r.x + r.w }
    case 'above':
      return { from: -r.y - r.h, to: -r.y, low: r.x, high: r.x + r.w }
    default:
      return relation satisfies never
  }
}

/** `distance` is exact; `bound` is the least distance that anything inside the box could have. Infinity: does not count. */
interface Metric {
  distance(a: Box, c: Box): number
  bound(a: Box, box: Box): number
}

const along: Metric = {
  distance(a, c) {
    const middleA = (a.low + a.high) / 2
    const middleC = (c.low + c.high) / 2
    const aligned = (middleA >= c.low && middleA <= c.high) || (middleC >= a.low && middleC <= a.high)
    return aligned && c.from >= a.to - OVERLAP ? Math.max(0, c.from - a.to) : Infinity
  },
  bound(a, box) {
    const apart = box.to < a.to - OVERLAP || box.high < a.low || box.low > a.high
    return apart ? Infinity : Math.max(0, box.from - a.to)
  },
}

const gap = (a: Box, c: Box): number => Math.hypot(Math.max(0, c.from - a.to, a.from - c.to), Math.max(0, c.low - a.high, a.low - c.high))
const around: Metric = { distance: gap, bound: gap }
