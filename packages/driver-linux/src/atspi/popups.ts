import type { App } from './app.ts'
import { ACCESSIBLE } from './names.ts'
import { ROLE } from './roles.ts'
import { hasState } from './states.ts'

/** The open menus among what has shown up by itself. The rest has a place in the tree by now, or is gone. */
export async function openMenus(app: App): Promise<string[]> {
  const paths = [...app.popups]
  const open = await Promise.all(paths.map((path) => isOpenMenu(app, path).catch(() => false)))
  paths.forEach((path, i) => open[i] || app.popups.delete(path))
  return paths.filter((_, i) => open[i])
}

/** The menu of an entry is that entry's child. */
async function isOpenMenu(app: App, path: string): Promise<boolean> {
  const parent = app.nodes.get(path)?.parent
  if (parent !== undefined && parent !== app.rootNode) return false
  const [role] = await app.call(path, ACCESSIBLE, 'GetRole', '', [], 'u')
  if (role !== ROLE.POPUP_MENU) return false
  const [[low = 0, high = 0]] = await app.call(path, ACCESSIBLE, 'GetState', '', [], 'au')
  if (!hasState({ low, high }, 'showing')) return false
  const [, above] = await app.get(path, ACCESSIBLE, 'Parent', '(so)')
  const [kind] = await app.call(above, ACCESSIBLE, 'GetRole', '', [], 'u')
  return kind !== ROLE.MENU_ITEM
}

/** Without those that say that they are inside another window: Chromium lists some of its dialogs there and among its windows. */
export async function ownWindows(app: App, paths: readonly string[]): Promise<string[]> {
  const inner = await Promise.all(paths.map(async (path) => !app.nodes.has(path) && (await hostOf(app, path, paths)) !== undefined))
  return paths.filter((_, i) => inner[i] !== true)
}

/** The path of the window or other element that a window of the application says it is inside of. */
export async function hostOf(app: App, path: string, windows: readonly string[] = []): Promise<string | undefined> {
  const [bus, above] = await app.get(path, ACCESSIBLE, 'Parent', '(so)').catch(() => ['', ''] as const)
  const isInside = bus === app.name && above !== app.root && above !== path && (windows.includes(above) || app.nodes.has(above))
  return isInside ? above : undefined
}
