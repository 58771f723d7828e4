import { type FlatNode, type Rect, type UiNode, type UiTree } from '../model/index.ts'

/** Stands for what is in a password field; its length says nothing. */
export const HIDDEN = '••••••'

/** By what the application says of the field, not by what it is called. */
export const isPassword = (node: Pick<FlatNode, 'role' | 'states'>): boolean =>
  node.states?.password === true || node.role.toLowerCase().startsWith('password')

/** A node as it may be shown: a password field keeps its name and place, not its content. What lies `inside` one is content. */
export function redactNode<N extends FlatNode | UiNode>(node: N, inside = false): N {
  if (!inside && !isPassword(node)) return node
  const { value } = node
  const shown = { ...node }
  if (value) shown.value = HIDDEN
  delete shown.attributes
  if (inside || (value && node.name?.includes(value))) delete shown.name
  if (inside || (value && node.description?.includes(value))) delete shown.description
  return shown
}

/** The same for a driver's nodes, parents before their children. */
export function redactNodes(nodes: readonly FlatNode[]): FlatNode[] {
  const hidden = new Set<string>()
  return nodes.map((node) => {
    const inside = node.parent !== undefined && hidden.has(node.parent)
    if (inside || isPassword(node)) hidden.add(node.key)
    return redactNode(node, inside)
  })
}

export function redactTree(tree: UiTree): UiTree {
  return { ...tree, roots: tree.roots.map((root) => redactBelow(root, undefined, false)) }
}

/** Where pixels must be masked, and how many visible ones of these password fields nobody can place: then no picture is safe. */
export function passwordAreas(passwords: Iterable<UiNode>): { rects: Rect[]; unplaced: number } {
  const fields = [...passwords].filter((node) => node.states?.visible !== false)
  const rects = fields.flatMap((node) => node.bounds ?? [])
  return { rects, unplaced: fields.length - rects.length }
}

function redactBelow(node: UiNode, parent: UiNode | undefined, inside: boolean): UiNode {
  const shown: UiNode = { ...redactNode(node, inside), parent }
  const hidden = inside || isPassword(node)
  shown.children = node.children.map((child) => redactBelow(child, shown, hidden))
  return shown
}
