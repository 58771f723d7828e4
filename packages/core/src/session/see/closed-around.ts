import type { UiNode } from '../../model/index.ts'
import { describe, json } from '../../selector/index.ts'

type Known = (key: string | undefined) => UiNode | undefined

/** The menus and lists around a hidden node that are closed, the outermost first, as far as the caller may know them. */
export function closedAround(node: UiNode, see: Known): UiNode[] {
  const closed: UiNode[] = []
  for (let at = node.parent; at !== undefined; at = at.parent) {
    const known = OPENS.has(at.role) && at.name !== undefined ? see(at.key) : undefined
    if (known !== undefined) closed.unshift(known)
    // What is visible itself is as far as has to be opened.
    if (at.states?.visible !== false && OPENS.has(at.role)) break
  }
  return closed
}

/** The one call that operates something in what is closed. */
export function howToReach(node: UiNode, closed: readonly UiNode[]): string {
  if (closed.some((one) => one.role === 'combobox')) return `ui.set on ${closed.map(describe).join(', then ')} chooses it`
  return `ui.menu with path ${json([...closed, node].map((one) => one.name ?? ''))} does it`
}

const OPENS: ReadonlySet<string> = new Set(['menu', 'combobox', 'menuitem'])
