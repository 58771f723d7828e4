import type { App } from './app.ts'
import { ACCESSIBLE, NULL_PATH } from './names.ts'
import type { MirrorNode } from './node.ts'
import { openMenus, ownWindows } from './popups.ts'

/** Of a node that claims more children than this only the first are asked for, one by one. */
const MOST_CHILDREN = 20_000
const FIRST = 1000

/** How many children a node says that it has. */
export const childCount = (app: App, node: MirrorNode): Promise<number> => app.get(node.path, ACCESSIBLE, 'ChildCount', 'i')

/** The children that belong to the application itself. A node that does not say how many it has is not asked for them. */
export async function childPaths(app: App, node: MirrorNode, known?: number): Promise<string[]> {
  const count = known ?? (await childCount(app, node))
  const paths = (await listed(app, node, count)).filter(([bus, path]) => bus === app.name && path !== NULL_PATH).map(([, path]) => path)
  if (node !== app.rootNode) return paths
  return [...(await ownWindows(app, paths)), ...(app.popups.size > 0 ? await openMenus(app) : [])]
}

async function listed(app: App, node: MirrorNode, count: number): Promise<[string, string][]> {
  if (count <= 0) return []
  if (count <= MOST_CHILDREN) return (await app.call(node.path, ACCESSIBLE, 'GetChildren', '', [], 'a(so)'))[0]
  app.truncated = `of ${count} elements in one place only the first ${FIRST} were read`
  const first = Array.from({ length: FIRST }, (_, i) => app.call(node.path, ACCESSIBLE, 'GetChildAtIndex', 'i', [i], '(so)'))
  return (await Promise.all(first.map((child) => child.catch(() => undefined)))).flatMap((child) => (child === undefined ? [] : child))
}
