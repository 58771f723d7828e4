import { center, contains, type AppIdentity, type Rect, type Region, type UiNode } from '../model/index.ts'
import { placed } from './node-facts.ts'
import { preorder } from './preorder.ts'

/** The regions as nodes; the key of each is its source and its place in the list. */
export function regionNodes(regions: readonly Region[], roots: readonly UiNode[]): UiNode[] {
  return regions.flatMap((region, i) => (placed(region.rect) ? [regionNode(region, i, roots)] : []))
}

const UNKNOWN_APP: AppIdentity = { id: '', name: '' }

function regionNode({ source, rect, text, label, image, confidence, read, off }: Region, i: number, roots: readonly UiNode[]): UiNode {
  let owner: UiNode | undefined | null = null
  // Looked for only when asked, because that takes a walk through the whole tree.
  const around = (): UiNode | undefined => (owner === null ? (owner = smallestAround(rect, roots)) : owner)
  return {
    key: `${source}:${i}`,
    index: 0,
    role: source === 'image' ? 'image' : 'unknown',
    name: text ?? label,
    bounds: rect,
    attributes: { confidence, ...(image !== undefined && { image }), ...(read !== undefined && { read, off: off ?? 0 }) },
    children: [],
    get app() {
      return around()?.app ?? UNKNOWN_APP
    },
    get parent() {
      return around()
    },
  }
}

/** The smallest node around the middle of a rectangle that does not say it is hidden. */
function smallestAround(rect: Rect, roots: readonly UiNode[]): UiNode | undefined {
  const middle = center(rect)
  let owner: UiNode | undefined
  let area = Infinity
  preorder(roots, (node) => {
    const box = node.bounds
    if (!placed(box) || box.w * box.h > area || !contains(box, middle) || node.states?.visible === false) return
    owner = node
    area = box.w * box.h
  })
  return owner
}
