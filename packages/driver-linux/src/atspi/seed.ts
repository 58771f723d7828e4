import type { App } from './app.ts'
import { glimpse } from './glimpse.ts'
import { type Item, readItems } from './items.ts'
import { APPLICATION, CACHE } from './names.ts'
import type { MirrorNode } from './node.ts'
import { hasState } from './states.ts'
import { adopt, isUnread, MAX_DEPTH, MAX_NODES, readChildren, walk } from './walk.ts'

/** Chromium takes seconds to list a page of 45,000 elements, more on a busy machine. */
const CACHE_MS = 30_000
/** Reading one application as a whole takes no longer, also on a busy machine; what is left is told as such. */
const READ_MS = 120_000

/** Reads an application's whole structure: from its cache where it has one, and by walking what the cache leaves out. Large ones are glimpsed at before. */
export async function seed(app: App, onGlimpsed: () => Promise<void>): Promise<void> {
  const isOn = app.isCutShort
  app.truncated = undefined
  app.isCutShort = false
  app.readUntil = performance.now() + READ_MS
  try {
    await goDirect(app)
    if (app.toolkit.isTerse && !app.isPartial) await glimpse(app).then(onGlimpsed)
    const items = await cacheItems(app)
    if (items !== undefined) place(app, fitting(app, items))
    // What was read before may be another by now.
    if (app.toolkit.crashesOnCache && !isOn) for (const node of app.nodes.values()) node.isRead = false
    app.isPartial = false
    app.isListed = true
    const root = app.nodes.get(app.root)
    if (root?.isRead !== true) await walk(app, app.root, undefined)
    else await complete(app)
  } finally {
    app.isListed = false
    app.readUntil = Infinity
  }
  // An application that stops answering in the middle is read once more when it is back.
  if (app.hung) return
  app.strays.clear()
  const reached = reachable(app)
  for (const node of app.nodes.values()) if (!reached.has(node)) app.drop(node)
}

/** GTK 3 and Chromium know GetItems only once a client has asked for this address. */
async function goDirect(app: App): Promise<void> {
  const [address] = await app.call(app.root, APPLICATION, 'GetApplicationBusAddress', '', [], 's').catch(() => [''] as [string])
  await app.shortcut(address)
}

/** What the application's cache holds; undefined when it has none that can be asked for. */
async function cacheItems(app: App): Promise<Item[] | undefined> {
  if (app.toolkit.crashesOnCache) return undefined
  const get = async (): Promise<Item[] | undefined> =>
    readItems(await app.ask('/org/a11y/atspi/cache', CACHE, 'GetItems', '', [], CACHE_MS))
  app.isListing = true
  const items = await get()
    .catch(() => undefined)
    .finally(() => (app.isListing = false))
  return items !== undefined && items.length > 0 ? items : undefined
}

/** No more than can be kept. */
function fitting(app: App, items: Item[]): readonly Item[] {
  if (items.length <= MAX_NODES) return items
  app.truncated = `only ${MAX_NODES} of its ${items.length} elements were read`
  return items.slice(0, MAX_NODES)
}

/** Takes over what the cache says of nodes, their order included. */
function place(app: App, items: readonly Item[]): void {
  const byParent = new Map<string, { node: MirrorNode; index: number }[]>()
  for (const item of items) {
    const node = app.ensure(item.path)
    fill(node, item)
    app.found.push(node)
    if (item.children !== undefined || item.path === app.root) continue
    const siblings = byParent.get(item.parent)
    if (siblings === undefined) byParent.set(item.parent, [{ node, index: item.index }])
    else siblings.push({ node, index: item.index })
  }
  const parents = new Map(items.map((i) => [i.path, i.parent]))
  for (const item of items) {
    if (item.children !== undefined)
      adopt(
        app,
        app.ensure(item.path),
        item.children.filter((c) => (parents.get(c) ?? item.path) === item.path),
      )
  }
  for (const [path, siblings] of byParent) {
    const parent = app.nodes.get(path)
    if (parent === undefined) continue
    siblings.sort((a, b) => a.index - b.index)
    adopt(
      app,
      parent,
      siblings.map((s) => s.node.path),
    )
  }
}

/** A cache is a seed, not the truth: a node that claims other children than it lists is asked, and unknown ones are walked. */
async function complete(app: App): Promise<void> {
  const unread = [...app.nodes.values()].filter((n) => {
    if (hasState(n, 'manages-descendants')) return hasState(n, 'showing')
    return n.claimed !== n.children.length + n.foreign || n.children.some(isUnread)
  })
  await Promise.all(unread.map((n) => readChildren(app, n).catch(() => {})))
  // LibreOffice names a wrong parent in its cache, which lets go of the child only when it has been asked.
  const unsure = [...app.nodes.values()].filter((n) => n.foreign > 0)
  await Promise.all(unsure.map((n) => readChildren(app, n).catch(() => {})))
}

/** Copies an item into its node; true when something that readers see is different. */
export function fill(node: MirrorNode, item: Item): boolean {
  const same =
    node.name === item.name &&
    node.role === item.role &&
    node.low === item.low &&
    node.high === item.high &&
    node.description === item.description &&
    node.interfaces === item.interfaces
  node.name = item.name
  node.role = item.role
  node.low = item.low
  node.high = item.high
  node.description = item.description
  node.interfaces = item.interfaces
  node.claimed = item.claimed
  node.isRead = true
  return !same
}

/** What hangs together with the application's root, down to a depth that no real one has. */
function reachable(app: App): Set<MirrorNode> {
  const reached = new Set<MirrorNode>()
  const root = app.nodes.get(app.root)
  let level = root === undefined ? [] : [root]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MAX_DEPTH) {
      app.truncated = `its elements are nested deeper than ${MAX_DEPTH}`
      for (const node of level) if (node.parent !== undefined) node.parent.children = []
      return reached
    }
    for (const node of level) reached.add(node)
    level = level.flatMap((n) => n.children).filter((c) => !reached.has(c))
  }
  return reached
}
