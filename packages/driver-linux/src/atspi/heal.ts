import type { App } from './app.ts'
import { loadDetails } from './details.ts'
import type { Effects } from './events.ts'
import { readItems } from './items.ts'
import { ACCESSIBLE, CACHE, offers, TEXT } from './names.ts'
import { below } from './mirror.ts'
import type { MirrorNode } from './node.ts'
import { childPaths, fill } from './seed.ts'
import { hasState } from './states.ts'

/** In a bigger application single states cost less than the whole cache. */
const CACHE_LIMIT = 1500

/** Asks again for what toolkits do not tell: GTK 3 sends nothing when scrolling or layout shows, hides or moves nodes. */
export async function heal(app: App, effects: Effects): Promise<void> {
  app.stale = false
  const before = new Map<MirrorNode, string>()
  for (const node of app.nodes.values()) before.set(node, face(node))
  if (!app.toolkit.tellsChildren) await recount(app, effects)
  await refreshStates(app, effects)
  // What a container makes on demand is another part of it after every scroll.
  for (const node of app.nodes.values()) if (node.isShowing && hasState(node, 'manages-descendants')) effects.doubtful(node)
  const showing = app.windows.filter((w) => w.isShowing).flatMap((w) => [...visible(w)])
  await loadDetails(app, showing, { bounds: true, actions: true })
  const shown = new Set(showing)
  for (const node of app.nodes.values()) if (!shown.has(node) || !node.isShown) node.bounds = undefined
  for (const [node, was] of before) if (face(node) !== was) effects.touched(node)
}

/** Qt does not tell when children come and go: every shown node is asked for them. */
async function recount(app: App, effects: Effects): Promise<void> {
  const root = app.rootNode
  if (root === undefined) return
  const shown = app.windows.flatMap((w) => [...visible(w)]).slice(0, CACHE_LIMIT)
  await Promise.all(
    [root, ...shown].map(async (node) => {
      if (hasState(node, 'manages-descendants')) return
      const paths = await childPaths(app, node).catch(() => undefined)
      if (paths !== undefined && paths.join() !== node.children.map((c) => c.path).join()) effects.doubtful(node)
    }),
  )
}

/** What is shown inside a shown node; what hangs below a hidden one is not asked for. Menus show beside their parents. */
export function* visible(node: MirrorNode): Generator<MirrorNode> {
  yield node
  for (const child of node.children) if (child.isShowing || child.children.length > 0) yield* visible(child)
}

async function refreshStates(app: App, effects: Effects): Promise<void> {
  if (app.nodes.size <= CACHE_LIMIT) {
    const answer = await app.ask('/org/a11y/atspi/cache', CACHE, 'GetItems', '', []).catch(() => undefined)
    const items = answer === undefined ? undefined : readItems(answer)
    if (items !== undefined && items.length > 0) {
      for (const item of items) {
        const node = app.nodes.get(item.path)
        if (node === undefined) continue
        fill(node, item)
        if (item.claimed >= 0 && item.claimed !== node.children.length + node.foreign && !hasState(node, 'manages-descendants'))
          effects.doubtful(node)
      }
      return
    }
  }
  const nodes = app.windows
    .filter((w) => w.isShowing)
    .flatMap((w) => [...below(w)])
    .slice(0, CACHE_LIMIT)
  await Promise.all(nodes.map((n) => refreshState(app, n)))
}

async function refreshState(app: App, node: MirrorNode): Promise<void> {
  try {
    const [words] = await app.call(node.path, ACCESSIBLE, 'GetState', '', [], 'au')
    node.low = words[0] ?? 0
    node.high = words[1] ?? 0
  } catch {
    // Its event tells that it is gone.
  }
}

const face = (n: MirrorNode): string =>
  `${n.low},${n.high},${n.name},${n.bounds?.x},${n.bounds?.y},${n.bounds?.w},${n.bounds?.h},${offers(n.interfaces, TEXT)}`
