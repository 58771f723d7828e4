import type { App } from './app.ts'
import { loadDetails } from './details.ts'
import type { Effects } from './events.ts'
import { inputLineOf } from './input-line.ts'
import { type Item, readItems } from './items.ts'
import { ACCESSIBLE, CACHE, offers, TEXT } from './names.ts'
import { isSame } from './change-reporter.ts'
import { type MirrorNode, below } from './node.ts'
import { ROLE } from './roles.ts'
import { childPaths } from './children.ts'
import { fill } from './seed.ts'
import { hasState } from './states.ts'
import { renewCell } from './table.ts'

/** In a bigger application single states cost less than the whole cache. */
const CACHE_LIMIT = 1500
/** No more are asked at a time for their states. */
const MOST = 10_000
/** So few nodes are asked one by one, too, where the toolkit tells of its children. */
const FEW = 30

/** Asks again for what toolkits do not tell: GTK 3 sends nothing when scrolling or layout shows, hides or moves nodes. */
export async function resync(app: App, effects: Effects): Promise<void> {
  const stale = app.stale.take(app)
  const before = new Map<MirrorNode, string>()
  for (const node of app.nodes.values()) if (!app.isLarge || node.isShown || stale.has(node)) before.set(node, face(node))
  const nowhere = new Set([...before.keys()].filter((n) => n.bounds === undefined && hasState(n, 'manages-descendants')))
  await recount(app, stale, effects)
  if (app.toolkit.namesChoice) for (const node of stale) if (node.role === ROLE.COMBO_BOX) effects.renamed(node)
  // What was made on demand may be another object by now; the old one only tells that it is no more.
  const onDemand = [...stale].filter((n) => n.cell !== undefined)
  await Promise.all(onDemand.map(renewCell))
  // A busy application takes its time to come round to a question, so as much as possible is asked in one go.
  const placed = app.toolkit.isRelative || app.toolkit.isDisplaced ? [] : [...stale].filter((n) => n.isShown)
  const places = new Map(placed.map((n) => [n, n.bounds]))
  await Promise.all([refreshStates(app, stale, effects), loadDetails(app, placed, { bounds: true, actions: true })])
  // What moved along may have moved out of view.
  const along = movedAlong(places, before)
  await refreshAll(app, along)
  await loadDetails(app, along, { bounds: true })
  // GTK 4 does not say what is shown but by its size, so the hidden ones are asked, too.
  const lost = [...app.nodes.values()].filter((n) =>
    n.isShown ? stale.has(n) || n.bounds === undefined : app.toolkit.isRelative && stale.has(n),
  )
  // What a container makes on demand is another part of it after every scroll, and its application may not tell what it shows now.
  for (const node of lost) if (hasState(node, 'manages-descendants')) effects.stale(node)
  const cells = lost.filter((n) => n.parent !== undefined && hasState(n.parent, 'manages-descendants'))
  // Chromium does not tell when a script puts something into a field that is only to be read.
  const fields = [...stale].filter((n) => n.isShown && hasState(n, 'read-only') && offers(n.interfaces, TEXT))
  // LibreOffice does not tell when the line above a sheet is emptied.
  const line = app.toolkit.isDisplaced && cells[0] !== undefined ? inputLineOf(cells[0]) : undefined
  if (line !== undefined) fields.push(line)
  const asked = new Set(placed)
  const unplaced = lost.filter((n) => !asked.has(n))
  await Promise.all([loadDetails(app, unplaced, { bounds: true, actions: true }), loadDetails(app, [...cells, ...fields], { value: true })])
  for (const node of app.nodes.values()) if (!node.isShown) node.bounds = undefined
  const different = [...before].filter(([node, was]) => face(node) !== was)
  for (const [node] of different) effects.touched(node)
  // What is in a list that has a place now has one, too.
  if (app.toolkit.showsFolded)
    for (const [node] of different) if (node.parent?.role === ROLE.COMBO_BOX || nowhere.has(node)) app.stale.addNode(node)
  app.stale.settled(different.length > 0)
}

/** Asks the top levels for their children, and those nodes that do not tell when children come and go: Chromium puts a dialog in the place of all else. */
async function recount(app: App, stale: ReadonlySet<MirrorNode>, effects: Effects): Promise<void> {
  const root = app.rootNode
  if (root === undefined) return
  const { silent } = app.toolkit
  const isSilent = (n: MirrorNode): boolean => n.isWindow || silent === 'all' || (silent === 'panels' && n.role === ROLE.PANEL)
  const shown = [...stale].filter((n) => n !== root && isSilent(n) && (n.isShowing || n.children.length > 0)).slice(0, CACHE_LIMIT)
  await Promise.all(
    [root, ...shown].map(async (node) => {
      if (hasState(node, 'manages-descendants')) return
      const paths = await childPaths(app, node).catch(() => undefined)
      // What stands elsewhere in the tree is another node's to tell.
      const own = paths?.filter((path) => (app.nodes.get(path)?.parent ?? node) === node)
      if (own !== undefined && own.join() !== node.children.map((c) => c.path).join()) effects.stale(node)
    }),
  )
}

/** What may have moved with what did, though nothing was drawn where it is: it is scrolled out of view, or behind something. */
function movedAlong(places: ReadonlyMap<MirrorNode, MirrorNode['bounds']>, known: ReadonlyMap<MirrorNode, unknown>): MirrorNode[] {
  const parents = new Set([...places].flatMap(([n, was]) => (isSame(was, n.bounds) || n.parent === undefined ? [] : [n.parent, n])))
  const along = new Set<MirrorNode>()
  for (const parent of parents)
    for (const child of parent.children) if (child.isShown && !places.has(child) && known.has(child)) along.add(child)
  const all = [...along].flatMap((n) => [...below(n)]).filter((n) => n.isShown && !places.has(n) && known.has(n))
  return [...new Set(all)].slice(0, CACHE_LIMIT)
}

async function refreshStates(app: App, stale: ReadonlySet<MirrorNode>, effects: Effects): Promise<void> {
  const { isRelative, isDisplaced } = app.toolkit
  if (stale.size <= FEW && !isRelative && !isDisplaced) {
    const hidden = [...stale].filter((n) => !n.isShowing)
    await refreshAll(app, [...stale])
    if (hidden.every((n) => !n.isShowing)) return
  }
  if (app.nodes.size <= CACHE_LIMIT && !app.toolkit.crashesOnCache) {
    const answer = await app.ask('/org/a11y/atspi/cache', CACHE, 'GetItems', '', []).catch(() => undefined)
    const items = answer === undefined ? undefined : readItems(answer)
    if (items !== undefined && items.length > 0) {
      const told = compare(app, items, stale, effects)
      // Chromium's cache knows nothing of its pages.
      return refreshAll(
        app,
        [...stale].filter((n) => !told.has(n)),
      )
    }
  }
  await refreshOut(app, [...stale].slice(0, MOST))
}

/** What comes out brings along what is in it. */
async function refreshOut(app: App, nodes: readonly MirrorNode[]): Promise<void> {
  const hidden = nodes.filter((n) => !n.isShowing)
  await refreshAll(app, nodes)
  const asked = new Set(nodes)
  const inside = hidden.filter((n) => n.isShowing).flatMap((n) => n.children.filter((c) => !asked.has(c)))
  if (inside.length > 0) await refreshOut(app, inside)
}

async function refreshAll(app: App, nodes: readonly MirrorNode[]): Promise<void> {
  await Promise.all(nodes.map((n) => refreshState(app, n)))
}

/** Takes over what the cache says, and marks nodes as stale that have other children than it says. Gives the nodes that it knew. */
function compare(app: App, items: readonly Item[], stale: ReadonlySet<MirrorNode>, effects: Effects): Set<MirrorNode> {
  const told = new Set<MirrorNode>()
  const changed = new Set<MirrorNode>()
  for (const item of items) {
    const node = app.nodes.get(item.path)
    const parent = app.nodes.get(item.parent)
    if (node?.cell !== undefined) continue
    if (node !== undefined) {
      fill(node, item)
      told.add(node)
      const isUnsure = node.foreign > 0 && stale.has(node)
      if (isUnsure || (item.claimed >= 0 && item.claimed !== node.children.length + node.foreign)) changed.add(node)
      // LibreOffice puts its own widgets below one of GTK's without a word.
    } else if (parent !== undefined && !app.strays.has(item.path)) {
      app.strays.add(item.path)
      changed.add(parent)
    }
  }
  for (const node of changed) if (!hasState(node, 'manages-descendants')) effects.stale(node)
  return told
}

async function refreshState(app: App, node: MirrorNode): Promise<void> {
  try {
    const [words] = await app.call(node.path, ACCESSIBLE, 'GetState', '', [], 'au')
    node.low = words[0] ?? 0
    node.high = words[1] ?? 0
    // Qt does not tell when an entry of a list or a tab is called something else.
    if (app.toolkit.silent === 'all') node.name = await app.get(node.path, ACCESSIBLE, 'Name', 's')
  } catch {
    // Its event tells that it is gone.
  }
}

const face = (n: MirrorNode): string =>
  `${n.low},${n.high},${n.name},${n.text},${n.formula},${n.number},${n.chosen},${n.bounds?.x},${n.bounds?.y},${n.bounds?.w},${n.bounds?.h},${offers(n.interfaces, TEXT)}`
