import { contains, isPartOf, isValueControl, type Point, type Rect, type UiNode } from '../../model/index.ts'

/**
 * What a pointer operates that is sent to this element: itself, where a point of it is its own; else the control that lies in its middle.
 * `wheel`: only controls whose value the wheel changes take the place of what lies around them.
 */
export function aim<N extends UiNode & { children: readonly N[] }>(node: N, by: 'press' | 'wheel'): N {
  if (node.bounds === undefined || node.children.length === 0) return node
  let first: N | undefined
  for (const point of pointsOf(node.bounds, node.role)) {
    const inner = controlAt(node, point, node.role, by)
    if (inner === undefined) return node
    first ??= inner
  }
  return first ?? node
}

/** The middle first, then places that something lying over the middle may leave free. In the middle of a spin button may be its minus. */
export function pointsOf(r: Rect, role?: string): Point[] {
  const at = (fx: number, fy: number): Point => ({ x: Math.floor(r.x + r.w * fx), y: Math.floor(r.y + r.h * fy) })
  if (r.w < 1 || r.h < 1) return []
  if (role === 'spinbutton') return [at(0.15, 0.5), at(0.05, 0.5), at(0.3, 0.5)]
  return [at(0.5, 0.5), at(0.2, 0.5), at(0.8, 0.5), at(0.5, 0.2), at(0.5, 0.8)]
}

/** The innermost shown control at a point below this node that is not a part of `outer`; of several, the one drawn last. */
function controlAt<N extends UiNode & { children: readonly N[] }>(node: N, at: Point, outer: string, by: 'press' | 'wheel'): N | undefined {
  for (let i = node.children.length - 1; i >= 0; i--) {
    const child = node.children[i]
    if (child === undefined || child.states?.visible === false) continue
    if (child.bounds !== undefined && !contains(child.bounds, at)) continue
    const deeper = controlAt(child, at, outer, by)
    if (deeper !== undefined) return deeper
    if (child.bounds === undefined || isPartOf(child.role, outer)) continue
    if (by === 'press' || isValueControl(child.role)) return child
  }
  return undefined
}
