import type { App } from './app.ts'
import { childPaths } from './children.ts'
import { describe, loadState } from './describe.ts'
import { type Item, readItems } from './items.ts'
import { APPLICATION, CACHE } from './names.ts'
import type { MirrorNode } from './node.ts'
import { RANK } from './slots.ts'
import { hasState } from './states.ts'
import { openEditors } from './strangers.ts'
import { visibleCells } from './table.ts'

/** Beyond this an application is told as truncated. */
export const MAX_NODES = 60_000
const MAX_DEPTH = 400
/** Chromium takes seconds to list a page of 45,000 elements, more on a busy machine. */
const CACHE_MS = 30_000
/** Reading one application as a whole takes no longer, also on a busy machine; what is left is told as such. */
const READ_MS = 120_000
/** With more children than this, those in view are looked for first. */
const MANY = 100

/** Reads an application's whole structure: from its cache where it has one, and by walking what the cache leaves out. */
export async function seed(app: App): Promise<void> {
  const isOn = app.isCutShort
  app.truncated = undefined
  app.isCutShort = false
  app.readUntil = performance.now() + READ_MS
  try {
    await goDirect(app)
    const items = await cacheItems(app)
    if (items !== undefined) place(app, fitting(app, items))
    // What was read before may be another by now.
    if (app.toolkit.crashesOnCache && !isOn) for (const node of app.nodes.values()) node.isRead = false
    const root = app.nodes.get(app.root)
    if (root?.isRead !== true) await walk(app, app.root, undefined)
    else await complete(app)
  } finally {
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

/** Whether a node is in view, and whether its states have been asked for to know that. */
interface Seen {
  isInView: boolean
  hasStates: boolean
}
const IN_VIEW: Seen = { isInView: true, hasStates: false }

/** Walks a node that is not known yet, and everything below it; what is out of view has to wait for what is not. */
export async function walk(app: App, path: string, parent: MirrorNode | undefined, seen = IN_VIEW): Promise<MirrorNode | undefined> {
  const node = await app.slots.run(() => meet(app, path, parent, seen), seen.isInView ? RANK.inView : RANK.outOfView)
  if (node !== undefined) await readChildren(app, node, node.claimed)
  return node
}

/** Asks a node what it is; undefined when there is no room or no time for it. */
async function meet(app: App, path: string, parent: MirrorNode | undefined, seen: Seen): Promise<MirrorNode | undefined> {
  const isLate = performance.now() > app.readUntil
  if (isLate) app.isCutShort = true
  if (depthOf(parent) >= MAX_DEPTH || isLate) {
    app.truncated = `only ${app.nodes.size} of its elements were read`
    return undefined
  }
  const node = app.ensure(path)
  node.isBeingRead = true
  node.parent = parent
  try {
    await describe(app, node, seen)
    node.isRead = true
    app.found.push(node)
  } catch (error) {
    // A node that was too busy is asked again.
    node.isRead = false
    throw error
  } finally {
    node.isBeingRead = false
  }
  return node
}

const readChildren = (app: App, node: MirrorNode, count?: number): Promise<void> =>
  app.turns.take(node, () => walkChildren(app, node, count))

/** Asks for a node's children and walks those that are new. A listed child is taken at once, so that no other parent takes it meanwhile. */
export async function walkChildren(app: App, node: MirrorNode, count?: number): Promise<void> {
  const listed = hasState(node, 'manages-descendants') ? await visibleCells(app, node) : await childPaths(app, node, count)
  const paths = node.editors.size === 0 ? listed : [...listed, ...(await openEditors(app, node))]
  adopt(app, node, paths)
  node.foreign = paths.length - node.children.length
  const unread = node.children.filter(isUnread)
  const isMany = unread.length > MANY && app.toolkit.isTerse
  const seen: Seen = { isInView: !app.toolkit.isTerse || hasState(node, 'showing'), hasStates: false }
  const gone = await Promise.all(
    unread.map(async (child) => {
      try {
        const read = await walk(app, child.path, node, isMany ? await look(app, child) : seen)
        if (read === undefined) app.drop(child)
        return undefined
      } catch {
        return child
      }
    }),
  )
  if (app.hung) return
  for (const child of gone) if (child !== undefined) app.drop(child)
  node.children = node.children.filter((c) => app.nodes.get(c.path) === c)
  app.retry(gone.some((c) => c !== undefined))
}

/** Of many, those that are in view are told from the others by a single question each. */
async function look(app: App, node: MirrorNode): Promise<Seen> {
  await app.slots.run(() => loadState(app, node), RANK.state)
  return { isInView: hasState(node, 'showing'), hasStates: true }
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

/** An accessible that was not yet asked what it is. */
const isUnread = (node: MirrorNode): boolean => !node.isRead && !node.isBeingRead

/**
 * GTK 3 lists an open menu twice, below its combobox and below the window it shows in; it stays with whom it was first.
 * GTK 4 tells of pages around a child that it does not list afterwards; their children are taken from them.
 */
function adopt(app: App, parent: MirrorNode, paths: readonly string[]): void {
  const listed = new Set(paths)
  const leaving = new Set(parent.children.filter((c) => !listed.has(c.path)))
  const isFree = (child: MirrorNode): boolean => {
    if (child.path === app.root || isAbove(child, parent)) return false
    if (child.parent === undefined || child.parent === parent || leaving.has(child.parent)) return true
    return !isHeld(app, child)
  }
  parent.children = roomFor(app, [...listed])
    .map((p) => app.ensure(p))
    .filter(isFree)
  for (const child of parent.children) {
    if (child.parent !== undefined && leaving.has(child.parent)) child.parent.children = child.parent.children.filter((c) => c !== child)
    child.parent = parent
  }
}

/** Takes a node out again that could not be read. */
export function unlist(app: App, node: MirrorNode): void {
  if (node.parent !== undefined) node.parent.children = node.parent.children.filter((c) => c !== node)
  app.drop(node)
}

/** Those of the paths for which nodes can be kept: an endless tree must not fill the memory. */
function roomFor(app: App, paths: readonly string[]): readonly string[] {
  let room = MAX_NODES - app.nodes.size
  if (paths.length <= room) return paths
  app.truncated = `only ${MAX_NODES} of its elements were read`
  return paths.filter((p) => app.nodes.has(p) || room-- > 0)
}

/** Whether those above a node have it among their children, up to the application. */
export function isHeld(app: App, node: MirrorNode): boolean {
  let n = node
  for (; n.parent !== undefined; n = n.parent) if (!n.parent.children.includes(n)) return false
  return n === app.rootNode
}

/** Nothing can be inside itself, even if an application says so. */
export function isAbove(node: MirrorNode | undefined, below: MirrorNode): boolean {
  for (let n: MirrorNode | undefined = below; n !== undefined; n = n.parent) if (n === node) return true
  return false
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

function depthOf(node: MirrorNode | undefined): number {
  let depth = 0
  for (let n = node; n !== undefined; n = n.parent) depth++
  return depth
}
