import type { Relation } from './ast.ts'
import type { UiNode } from '../model/index.ts'
import { finder, pack, type Box } from './boxes.ts'
import { placed } from './node-facts.ts'
import type { Scene } from './scene.ts'

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

/** The nearest candidates of each anchor, in the order of the candidates, with their distance. */
export function nearest(
  relation: Relation,
  max: number,
  anchors: readonly UiNode[],
  candidates: readonly UiNode[],
  scene: Scene,
): Map<UiNode, number> {
  const metric = relation === 'near' ? around : along
  const from: { item: number; window: UiNode | null; box: Box }[] = []
  for (const [item, node] of anchors.entries())
    if (scene.visible(node) && placed(node.bounds)) from.push({ item, window: scene.window(node), box: turn(relation, node) })
  const isInReach = (box: Box): boolean => {
    for (const anchor of from) {
      const least = metric.bound(anchor.box, box)
      if (least !== Infinity && least <= max) return true
    }
    return false
  }
  const isFew = anchors.length < FEW
  const groups = new Map<UiNode | null, number[]>(from.map(({ window }) => [window, []]))
  let item = -1
  for (const node of candidates) {
    item++
    // With few anchors most candidates lie where none of them looks.
    if (!placed(node.bounds) || (isFew && !isInReach(turn(relation, node)))) continue
    if (scene.visible(node)) groups.get(scene.window(node))?.push(item)
  }
  const regions = new Set(scene.regions)
  const skip = (a: number, c: number): boolean => isRelated(anchors[a] as UiNode, candidates[c] as UiNode, regions)
  const search = { ...metric, skip, max, tie: TIE, limit: MAX_TIES }
  const boxOf = (c: number): Box => turn(relation, candidates[c] as UiNode)
  const finders = new Map([...groups].map(([window, group]) => [window, finder(pack(group, boxOf, isFew ? group.length : FEW), search)]))
  const found = new Map<number, number>()
  for (const { item: anchor, window, box } of from)
    for (const hit of finders.get(window)?.(anchor, box) ?? []) found.set(hit.item, Math.min(hit.distance, found.get(hit.item) ?? Infinity))
  return new Map([...found].toSorted((x, y) => x[0] - y[0]).map(([c, distance]) => [candidates[c] as UiNode, distance]))
}

/** Whether one of them is the other or holds it. A region belongs to no element in this sense: it may lie right on the anchor. */
function isRelated(a: UiNode, b: UiNode, regions: ReadonlySet<UiNode>): boolean {
  if (a === b) return true
  return !regions.has(a) && !regions.has(b) && (isAbove(a, b) || isAbove(b, a))
}

function isAbove(a: UiNode, b: UiNode): boolean {
  for (let n = b.parent; n !== undefined; n = n.parent) if (n === a) return true
  return false
}

/** Turned so that every directed relation reads as right-of: `from`…`to` runs along the relation, `low`…`high` across it. */
function turn(relation: Relation, node: UiNode): Box {
  const r = node.bounds ?? { x: 0, y: 0, w: 0, h: 0 }
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
