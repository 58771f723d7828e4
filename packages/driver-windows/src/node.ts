import type { FlatNode, States } from '@deskhand/core/model'
import type { MsaaMark } from './msaa/client.ts'
import type { Handle } from './win32/library.ts'

/** What is told of a node, without its place. */
export type Face = Omit<FlatNode, 'key' | 'parent' | 'index' | 'app'>

/** An element: a window, or an entry inside one, such as a row of a list. */
export interface WinNode {
  key: string
  app: string
  hwnd: Handle
  /** Which entry of the window it is. */
  entry?: number
  /** What UI Automation calls it; then the window is the one at the top. */
  uia?: string
  /** What tells MSAA of it: its places below the control, and what it was there when it was read. */
  msaa?: MsaaMark
  /** Where SAP GUI tells of it: the session, the component, and which of its entries. */
  sap?: { session: string; component: string; entry?: string }
  face: Face & { states: States }
  parent?: WinNode
  children: WinNode[]
}

export function flatten({ key, app, face, parent }: WinNode, index: number): FlatNode {
  return { key, ...(parent !== undefined && { parent: parent.key }), index, app, ...face }
}

/** A node and everything below it, parents first. */
export function* walk(node: WinNode): Generator<WinNode> {
  yield node
  for (const child of node.children) yield* walk(child)
}

export function topOf(node: WinNode): WinNode {
  let top = node
  while (top.parent !== undefined) top = top.parent
  return top
}

export const isInside = (node: WinNode, outer: WinNode): boolean => {
  for (let n: WinNode | undefined = node; n !== undefined; n = n.parent) if (n === outer) return true
  return false
}
