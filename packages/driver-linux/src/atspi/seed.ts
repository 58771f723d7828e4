import type { App } from './app.ts'
import { type Item, readItems } from './items.ts'
import { ACCESSIBLE, APPLICATION, CACHE, NULL_PATH, interfaceBits } from './names.ts'
import type { MirrorNode } from './node.ts'
import { hasState } from './states.ts'
import { visibleCells } from './table.ts'

/** Beyond this an application is told as truncated. */
export const MAX_NODES = 60_000
const CACHE_MS = 5000

/** Reads an application's whole structure: from its cache where it has one, and by walking what the cache leaves out. */
export async function seed(app: App): Promise<void> {
  const items = await cacheItems(app)
  if (items !== undefined) place(app, items)
  const root = app.nodes.get(app.root)
  if (root === undefined) await walk(app, app.root, undefined)
  else await complete(app, items)
  const reached = reachable(app)
  for (const node of app.nodes.values()) if (!reached.has(node)) app.drop(node)
}

/** What the application's cache holds; undefined when it has none. */
export async function cacheItems(app: App): Promise<Item[] | undefined> {
  const get = async (): Promise<Item[] | undefined> => readItems(await app.ask('/org/a11y/atspi/cache', CACHE, 'GetItems', '', [], CACHE_MS))
  // GTK 3 and Chromium know GetItems only once somebody has asked for this address.
  const address = await app.call(app.root, APPLICATION, 'GetApplicationBusAddress', '', [], 's').catch(() => [''] as [string])
  await app.shortcut(address[0])
  const items = await get().catch(() => undefined)
  return items !== undefined && items.length > 0 ? items : undefined
}

/** Takes over what the cache says of nodes, their order included. Says which nodes changed. */
export function place(app: App, items: readonly Item[]): MirrorNode[] {
  const changed: MirrorNode[] = []
  const byParent = new Map<string, { node: MirrorNode; index: number }[]>()
  for (const item of items) {
    const node = app.ensure(item.path)
    if (fill(node, item)) changed.push(node)
    if (item.children !== undefined || item.path === app.root) continue
    const siblings = byParent.get(item.parent)
    if (siblings === undefined) byParent.set(item.parent, [{ node, index: item.index }])
    else siblings.push({ node, index: item.index })
  }
  const parents = new Map(items.map((i) => [i.path, i.parent]))
  for (const item of items) {
    if (item.children !== undefined) adopt(app, app.ensure(item.path), item.children.filter((c) => (parents.get(c) ?? item.path) === item.path))
  }
  for (const [path, siblings] of byParent) {
    const parent = app.nodes.get(path)
    if (parent === undefined) continue
    siblings.sort((a, b) => a.index - b.index)
    parent.children = siblings.map((s) => s.node)
    for (const child of parent.children) child.parent = parent
  }
  return changed
}

/** Walks a node that is not known yet, and everything below it. */
export async function walk(app: App, path: string, parent: MirrorNode | undefined): Promise<MirrorNode | undefined> {
  if (app.nodes.size >= MAX_NODES) {
    app.truncated = `only ${MAX_NODES} of its elements were read`
    return undefined
  }
  const node = app.ensure(path)
  node.parent = parent
  const [name, description, role, state, interfaces] = await Promise.all([
    app.get(path, ACCESSIBLE, 'Name', 's').catch(() => ''),
    app.get(path, ACCESSIBLE, 'Description', 's').catch(() => ''),
    app.call(path, ACCESSIBLE, 'GetRole', '', [], 'u'),
    app.call(path, ACCESSIBLE, 'GetState', '', [], 'au'),
    app.call(path, ACCESSIBLE, 'GetInterfaces', '', [], 'as'),
  ])
  node.name = name
  node.description = description
  node.role = role[0]
  node.low = state[0][0] ?? 0
  node.high = state[0][1] ?? 0
  node.interfaces = interfaceBits(interfaces[0])
  await walkChildren(app, node)
  return node
}

/** Asks for a node's children and walks those that are new. */
export async function walkChildren(app: App, node: MirrorNode): Promise<void> {
  const paths = hasState(node, 'manages-descendants') ? await visibleCells(app, node) : await childPaths(app, node)
  const fresh = paths.filter((p) => app.nodes.get(p)?.parent === undefined && p !== app.root)
  await Promise.all(fresh.map((p) => walk(app, p, node).catch(() => void app.nodes.delete(p))))
  adopt(app, node, paths.filter((p) => app.nodes.has(p)))
  node.foreign = paths.length - node.children.length
}

/** The children that belong to the application itself. */
export async function childPaths(app: App, node: MirrorNode): Promise<string[]> {
  const [children] = await app.call(node.path, ACCESSIBLE, 'GetChildren', '', [], 'a(so)')
  return children.filter(([bus, path]) => bus === app.name && path !== NULL_PATH).map(([, path]) => path)
}

/** A cache is a seed, not the truth: whoever claims other children than it lists is asked, and unknown ones are walked. */
async function complete(app: App, items: readonly Item[] | undefined): Promise<void> {
  const listed = new Set(items?.map((i) => i.path))
  const doubtful = [...app.nodes.values()].filter((n) => {
    if (hasState(n, 'manages-descendants')) return hasState(n, 'showing')
    return n.claimed !== n.children.length + n.foreign || n.children.some((c) => !listed.has(c.path))
  })
  await Promise.all(doubtful.map((n) => walkChildren(app, n).catch(() => {})))
}

/** GTK 3 lists an open menu twice, below its combobox and below the window it shows in; it stays with whom it was first. */
function adopt(app: App, parent: MirrorNode, paths: readonly string[]): void {
  const isFree = (child: MirrorNode): boolean => child.parent === undefined || child.parent === parent || !child.parent.children.includes(child)
  parent.children = paths.filter((p) => p !== app.root).map((p) => app.ensure(p)).filter(isFree)
  for (const child of parent.children) child.parent = parent
}

/** Copies an item into its node; true when something that readers see is different. */
export function fill(node: MirrorNode, item: Item): boolean {
  const same =
    node.name === item.name && node.role === item.role && node.low === item.low && node.high === item.high &&
    node.description === item.description && node.interfaces === item.interfaces
  node.name = item.name
  node.role = item.role
  node.low = item.low
  node.high = item.high
  node.description = item.description
  node.interfaces = item.interfaces
  node.claimed = item.claimed
  return !same
}

function reachable(app: App): Set<MirrorNode> {
  const reached = new Set<MirrorNode>()
  const visit = (node: MirrorNode): void => {
    if (reached.has(node)) return
    reached.add(node)
    for (const child of node.children) visit(child)
  }
  const root = app.nodes.get(app.root)
  if (root !== undefined) visit(root)
  return reached
}
