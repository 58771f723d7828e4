import type { Rect } from '@deskhand/core/model'
import type { App } from './app.ts'
import { toRect } from './details.ts'
import { COMPONENT } from './names.ts'
import type { MirrorNode } from './node.ts'
import { overlap } from './stale-areas.ts'

/** So many are asked at a time where they are. */
const PART = 24
const MOST = 1_000

/**
 * Of a node's many children those in view, as far as they lie one below the other: a few are asked where they are, instead of each whether it shows. Nothing
 * where they do not lie so, or cannot be asked.
 */
export async function inView(app: App, node: MirrorNode, children: readonly MirrorNode[]): Promise<readonly MirrorNode[]> {
  try {
    const view = await viewOf(app, node)
    return view === undefined ? [] : await search(app, children, view)
  } catch {
    return []
  }
}

async function search(app: App, children: readonly MirrorNode[], view: Rect): Promise<readonly MirrorNode[]> {
  let [from, to] = [0, children.length]
  while (from < to) {
    const middle = (from + to) >> 1
    const bounds = await boundsOf(app, children[middle])
    if (bounds !== undefined && bounds.y + bounds.h <= view.y) from = middle + 1
    else to = middle
  }
  const found: MirrorNode[] = []
  for (let i = from; i < children.length && found.length < MOST; i += PART) {
    const part = children.slice(i, i + PART)
    const places = await Promise.all(part.map((child) => boundsOf(app, child)))
    found.push(...part.filter((_, k) => isIn(places[k], view)))
    if (!isIn(places.at(-1), view)) break
  }
  return found
}

const isIn = (bounds: Rect | undefined, view: Rect): boolean => bounds !== undefined && overlap(bounds, view)

/** What all that a node is in leaves of it to be seen. */
async function viewOf(app: App, node: MirrorNode): Promise<Rect | undefined> {
  const around: MirrorNode[] = []
  for (let n: MirrorNode | undefined = node; n !== undefined && n.path !== app.root; n = n.parent) around.push(n)
  const places = await Promise.all(around.map((n) => boundsOf(app, n)))
  return places.reduce<Rect | undefined>((view, place) => (view && place ? common(view, place) : (view ?? place)), undefined)
}

async function boundsOf(app: App, node: MirrorNode | undefined): Promise<Rect | undefined> {
  if (node === undefined) return undefined
  const [[x, y, w, h]] = await app.call(node.path, COMPONENT, 'GetExtents', 'u', [0], '(iiii)')
  return toRect(x, y, w, h)
}

function common(a: Rect, b: Rect): Rect {
  const [x, y] = [Math.max(a.x, b.x), Math.max(a.y, b.y)]
  return { x, y, w: Math.min(a.x + a.w, b.x + b.w) - x, h: Math.min(a.y + a.h, b.y + b.h) - y }
}
