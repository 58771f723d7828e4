import { walk, type UiNode } from '../../model/index.ts'
import type { LiveTree } from './live-tree.ts'

/**
 * The entries of menus that the windows of an application show, or any. They get its keys, though not every toolkit says that they have the
 * focus: GTK 3 only says which one is selected.
 */
export function openEntries({ places }: LiveTree, app?: string): UiNode[] {
  const windows = [...places].filter((n) => n.parent === undefined && (app === undefined || n.app.id === app))
  return [...walk(windows)].filter(
    (n) => n.role.startsWith('menuitem') && n.states?.visible !== false && n.states?.enabled !== false && n.parent?.role !== 'menubar',
  )
}

/** Whether the active window has menus that a key can open. */
export function hasMenus(tree: LiveTree): boolean {
  const window = tree.node(tree.activeWindow ?? '')
  for (const { role } of walk(window === undefined ? [] : [window])) if (role === 'menubar' || role === 'menu') return true
  return false
}

/** What can be chosen in a list, a tree or a table that has the keys as a whole; some of these do not say which of their rows has the focus. */
export function rowsIn({ role, children }: UiNode): UiNode[] {
  if (!LISTS.has(role)) return []
  return [...walk(children)].filter(
    (n) => n.name !== undefined && n.states?.visible !== false && (ROWS.has(n.role) || n.states?.selected !== undefined),
  )
}

const LISTS: ReadonlySet<string> = new Set(['list', 'listbox', 'tree', 'table'])
const ROWS: ReadonlySet<string> = new Set(['option', 'listitem', 'treeitem', 'row', 'cell'])

/** Those that Enter or the space bar press: what is selected, or any of them where nothing says what is. */
export function chosenEntries(entries: readonly UiNode[]): readonly UiNode[] {
  const chosen = entries.filter((n) => n.states?.selected === true || n.states?.focused === true)
  return chosen.length > 0 ? chosen : entries
}
