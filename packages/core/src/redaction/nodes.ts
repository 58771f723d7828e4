import { type FlatNode, type Rect, type UiNode } from '../model/index.ts'

/** Stands for what is in a password field; its length says nothing. */
export const HIDDEN = '••••••'

/** Judged by the role and states that the application reports, not by the field's name. */
export const isPassword = (node: Pick<FlatNode, 'role' | 'states'>): boolean =>
  node.states?.password === true || node.role.toLowerCase().startsWith('password')

/** A node as it may be shown: a password field keeps its name and bounds, not its content; `inside` one all is content. */
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

/** The pixels to mask, and the number of visible password fields without bounds: with any of those no picture is safe. */
export function passwordAreas(passwords: Iterable<UiNode>): { rects: Rect[]; unplaced: number } {
  const fields = [...passwords].filter((node) => node.states?.visible !== false)
  const rects = fields.flatMap((node) => node.bounds ?? [])
  return { rects, unplaced: fields.length - rects.length }
}
