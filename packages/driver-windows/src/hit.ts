import { contains, type Point } from '@deskhand/core/model'
import type { WinNode } from './node.ts'

/** Roles that lie behind what is inside their area, though Windows has them beside it. */
const BEHIND: ReadonlySet<string> = new Set(['group', 'tablist'])

/** The innermost element at a point of its window. Of siblings the first lies on top. */
export function deepestAt(node: WinNode, at: Point): WinNode | undefined {
  if (node.face.bounds === undefined || !contains(node.face.bounds, at)) {
    // What a control lets down lies outside of it.
    return inside(node.children, at)
  }
  return inside(node.children, at) ?? node
}

function inside(children: readonly WinNode[], at: Point): WinNode | undefined {
  const found = children.map((child) => deepestAt(child, at)).filter((n) => n !== undefined)
  return found.find((n) => !BEHIND.has(n.face.role)) ?? found[0]
}
