import type { Rect } from '@deskhand/core/model'
import type { App } from './app.ts'
import type { MirrorNode } from './node.ts'

/** More areas than this count as one that holds them all. */
const MAX_AREAS = 16

/** What of an application may be different without its having said so. */
export class Doubts {
  private everything = false
  private areas: Rect[] = []
  private readonly nodes = new Set<MirrorNode>()

  get any(): boolean {
    return this.everything || this.areas.length > 0 || this.nodes.size > 0
  }

  /** Anything may be. */
  addAll(): void {
    this.everything = true
  }

  /** Something was drawn here. */
  addArea(area: Rect): void {
    this.areas = this.areas.length < MAX_AREAS ? [...this.areas, area] : [[...this.areas, area].reduce(union)]
  }

  /** This node and what is in it. */
  addNode(node: MirrorNode): void {
    this.nodes.add(node)
  }

  /** The nodes in doubt; from here on there are no doubts. */
  take(app: App): Set<MirrorNode> {
    const { everything, areas } = this
    const nodes = [...this.nodes].filter((n) => app.nodes.get(n.path) === n)
    this.everything = false
    this.areas = []
    this.nodes.clear()
    const found = new Set<MirrorNode>(everything ? app.nodes.values() : [])
    if (everything) return found
    if (areas.length > 0) for (const window of app.windows) drawnIn(window, areas, found)
    for (const node of nodes) addBelow(node, found)
    return found
  }
}

/** What lies in these areas, and what is hidden there and may have come out. */
function drawnIn(node: MirrorNode, areas: readonly Rect[], found: Set<MirrorNode>): void {
  const bounds = node.place ?? node.bounds
  const isFar = bounds !== undefined && !areas.some((a) => overlap(a, bounds))
  if (isFar && !(node.opensElsewhere && node.children.some((c) => c.isShowing))) return
  if (!isFar) found.add(node)
  if (bounds === undefined && !node.isShowing && !node.app.toolkit.isRelative) return
  for (const child of node.children) drawnIn(child, areas, found)
}

function addBelow(node: MirrorNode, found: Set<MirrorNode>): void {
  found.add(node)
  for (const child of node.children) addBelow(child, found)
}

export const overlap = (a: Rect, b: Rect): boolean => a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h

function union(a: Rect, b: Rect): Rect {
  const [x, y] = [Math.min(a.x, b.x), Math.min(a.y, b.y)]
  return { x, y, w: Math.max(a.x + a.w, b.x + b.w) - x, h: Math.max(a.y + a.h, b.y + b.h) - y }
}
