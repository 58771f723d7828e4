import type { UiNode } from '../../model/index.ts'

/** Whether a click on it chooses one of several: an entry of a list, also of one that opens from a combobox. */
export function isEntry(role: string | undefined, node: UiNode | undefined): boolean {
  const menu = node?.parent
  return CHOSEN.has(role ?? '') || (role === 'menuitem' && (menu?.role === 'combobox' || menu?.parent?.role === 'combobox'))
}

const CHOSEN: ReadonlySet<string> = new Set(['option', 'listitem', 'row', 'treeitem', 'cell', 'tab'])
