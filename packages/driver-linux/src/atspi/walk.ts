import type { App } from './app.ts'
import { childPaths } from './children.ts'
import { describe, loadState } from './describe.ts'
import { inView } from './in-view.ts'
import type { MirrorNode } from './node.ts'
import { RANK } from './slots.ts'
import { hasState } from './states.ts'
import { openEditors } from './strangers.ts'
import { visibleCells } from './table.ts'

/** Beyond this an application is told as truncated. */
export const MAX_NODES = 60_000
export const MAX_DEPTH = 400
/** With more children than this, those in view are looked for first. */
export const MANY = 100
/** … and with more than this, the others are not asked one by one. */
const LISTED = 1_000

/** Whether a node is in view, and whether its states have been asked for to know that. */
interface Seen {
  isInView: boolean
  hasStates: boolean
}
export const IN_VIEW: Seen = { isInView: true, hasStates: false }

/** Walks a node that is not known yet, and everything below it; what is out of view has to wait for what is not. */
export async function walk(app: App, path: string, parent: MirrorNode | undefined, seen = IN_VIEW): Promise<MirrorNode | undefined> {
  const node = await app.slots.run(() => meet(app, path, parent, seen), seen.isInView ? RANK.inView : RANK.outOfView)
  if (node !== undefined) await readChildren(app, node, node.claimed)
  return node
}

/** Asks a node what it is; undefined when there is no room or no time for it. */
export async function meet(app: App, path: string, parent: MirrorNode | undefined, seen: Seen): Promise<MirrorNode | undefined> {
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

export const readChildren = (app: App, node: MirrorNode, count?: number): Promise<void> =>
  app.turns.take(node, () => walkChildren(app, node, count))

/** Asks for a node's children and walks those that are new. A listed child is taken at once, so that no other parent takes it meanwhile. */
export async function walkChildren(app: App, node: MirrorNode, count?: number): Promise<void> {
  const listed = hasState(node, 'manages-descendants') ? await visibleCells(app, node) : await childPaths(app, node, count)
  const paths = node.editors.size === 0 ? listed : [...listed, ...(await openEditors(app, node))]
  adopt(app, node, paths)
  node.foreign = paths.length - node.children.length
  const unread = node.children.filter(isUnread)
  const isMany = unread.length > MANY && app.toolkit.isTerse
  const shown = new Set(isMany ? await inView(app, node, unread) : [])
  const seen: Seen = { isInView: !app.toolkit.isTerse || hasState(node, 'showing'), hasStates: false }
  const sightOf = async (child: MirrorNode): Promise<Seen> => {
    if (shown.size > 0) return { isInView: shown.has(child), hasStates: false }
    return isMany ? look(app, child) : seen
  }
  // What is out of view comes sooner in a list of everything than one by one.
  const isLeft = shown.size > 0 && unread.length > LISTED && !app.isListed
  if (isLeft) app.isPartial = true
  const wanted = isLeft ? unread.filter((c) => shown.has(c)) : unread
  const gone = await Promise.all(
    wanted.map(async (child) => {
      try {
        const read = await walk(app, child.path, node, await sightOf(child))
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

/** An accessible that was not yet asked what it is. */
export const isUnread = (node: MirrorNode): boolean => !node.isRead && !node.isBeingRead

/**
 * GTK 3 lists an open menu twice, below its combobox and below the window it shows in; it stays with whom it was first.
 * GTK 4 tells of pages around a child that it does not list afterwards; their children are taken from them.
 */
export function adopt(app: App, parent: MirrorNode, paths: readonly string[]): void {
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

function depthOf(node: MirrorNode | undefined): number {
  let depth = 0
  for (let n = node; n !== undefined; n = n.parent) depth++
  return depth
}
