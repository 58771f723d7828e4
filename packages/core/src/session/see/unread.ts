import { walk, type Completeness, type UiNode, type UiTree } from '../../model/index.ts'

/** What is on the screen and in no tree. Drivers tell it as a node with its bounds and this as the attribute `unread`. */
export type Unread = 'window' | 'popup' | 'area'

const KINDS: ReadonlySet<unknown> = new Set<Unread>(['window', 'popup', 'area'])
const isKind = (kind: unknown): kind is Unread => KINDS.has(kind)

/** Which kind of unread place a node stands for; undefined for elements. */
export function unreadKind({ attributes }: Pick<UiNode, 'attributes'>): Unread | undefined {
  const kind = attributes?.['unread']
  return isKind(kind) ? kind : undefined
}

/** Every visible place of a tree of which only pixels tell what is there: windows, popups, and areas inside of windows. */
export function unreadPlaces({ roots, completeness }: Pick<UiTree, 'roots' | 'completeness'>): UiNode[] {
  if (completeness.complete) return []
  return [...walk(roots)].filter((n) => unreadKind(n) !== undefined && n.states?.visible !== false)
}

/** Whether every element is told, though some areas show more than elements. */
export const hasAllElements = ({ complete, reasons }: Completeness): boolean =>
  complete || (reasons.length > 0 && reasons.every((r) => r.kind === 'drawn'))
