import { intersect, type FlatNode, type Rect, type UiNode } from '../../model/index.ts'

/** What scrolls, and so shows its contents in part. */
const SCROLLS: ReadonlySet<string> = new Set(['scrollpane', 'table', 'tree', 'list', 'listbox'])
/** The frame of what scrolls may lie over so much of what is at its edge. */
const EDGE = 3
/** Where less of an element shows, a press near the edge may hit what is beside it. */
const LEAST = 10
/** How often an element is looked at until it keeps still, and how long in between. */
const LOOKS = 20
const BETWEEN_MS = 40

/** The part of an element that what scrolls around it shows; undefined where too little does to press it there. */
export function inView(node: UiNode | undefined, bounds: Rect): Rect | undefined {
  let part = bounds
  for (let n = node?.parent; n !== undefined; n = n.parent) {
    const around = SCROLLS.has(n.role) && n.bounds !== undefined ? intersect(part, belowHeader(n, n.bounds)) : undefined
    if (around !== undefined) part = around
  }
  if (part === bounds || (part.w === bounds.w && part.h === bounds.h)) return bounds
  const [left, top] = [part.x > bounds.x ? EDGE : 0, part.y > bounds.y ? EDGE : 0]
  const right = part.x + part.w < bounds.x + bounds.w ? EDGE : 0
  const bottom = part.y + part.h < bounds.y + bounds.h ? EDGE : 0
  const free = { x: part.x + left, y: part.y + top, w: part.w - left - right, h: part.h - top - bottom }
  return free.w >= Math.min(LEAST, bounds.w) && free.h >= Math.min(LEAST, bounds.h) ? free : undefined
}

/** What a table shows below its column headers, which lie over what is scrolled beneath them. */
function belowHeader({ children }: UiNode, bounds: Rect): Rect {
  const headers = children.filter((c) => c.role === 'columnheader' && c.states?.visible !== false && c.bounds !== undefined)
  const top = Math.max(bounds.y, ...headers.map(({ bounds: b }) => (b === undefined ? bounds.y : b.y + b.h)))
  return top >= bounds.y + bounds.h ? bounds : { ...bounds, y: top, h: bounds.y + bounds.h - top }
}

/** Where an element is once it has stopped moving: what was scrolled may be on its way yet. */
export async function atRest(check: () => Promise<FlatNode | undefined>): Promise<Rect | undefined> {
  let last = (await check())?.bounds
  for (let looks = 0; looks < LOOKS; looks++) {
    await new Promise((done) => setTimeout(done, BETWEEN_MS))
    const now = (await check())?.bounds
    if (now?.x === last?.x && now?.y === last?.y) return now
    last = now
  }
  return last
}
