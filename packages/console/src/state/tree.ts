import type { Rect } from '@deskhand/core/model'
import { useEffect, useState } from 'react'
import { useConsole, useDesktop } from '../parts/context.ts'

/** An element as a snapshot tells it. */
export interface TreeNode {
  id: string
  role: string
  name?: string
  value?: string
  bounds?: Rect
  states?: Readonly<Record<string, boolean | string | number>>
  children?: readonly TreeNode[]
}

/** The tree is read again no sooner, as every look is in the record. */
const AGAIN_MS = 1_500

/** The elements on the desktop, kept up to date while `isNeeded`; nothing before they were read. */
export function useTree(isNeeded: boolean): readonly TreeNode[] | undefined {
  const { store } = useConsole()
  const { tree: generation, link } = useDesktop()
  const [roots, setRoots] = useState<readonly TreeNode[]>()
  useEffect(() => {
    if (!isNeeded || link !== 'live') return
    const timer = setTimeout(
      () => {
        void store.api
          .call('ui.snapshot', { scope: 'desktop', all: true, includeTree: true })
          .then(({ data }) => setRoots(rootsOf(data)))
          .catch(() => {})
      },
      roots === undefined ? 0 : AGAIN_MS,
    )
    return () => clearTimeout(timer)
  }, [isNeeded, link, generation, store])
  return roots
}

/** The deepest element at a place; among those that lie over each other, the one that is told last. */
export function elementAt(nodes: readonly TreeNode[], x: number, y: number): TreeNode | undefined {
  for (const node of nodes.toReversed()) {
    if (node.states?.['visible'] === false) continue
    const inner = elementAt(node.children ?? [], x, y)
    if (inner !== undefined) return inner
    if (node.bounds !== undefined && isInside(node.bounds, x, y)) return node
  }
  return undefined
}

/** The element with this id. */
export function elementOf(nodes: readonly TreeNode[], id: string): TreeNode | undefined {
  for (const node of nodes) {
    const found = node.id === id ? node : elementOf(node.children ?? [], id)
    if (found !== undefined) return found
  }
  return undefined
}

const isInside = ({ x, y, w, h }: Rect, px: number, py: number): boolean => px >= x && py >= y && px < x + w && py < y + h

function rootsOf(data: unknown): readonly TreeNode[] {
  if (typeof data !== 'object' || data === null || !('tree' in data)) return []
  const { children = [] } = data.tree as TreeNode
  return children
}
