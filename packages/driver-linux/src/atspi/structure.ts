import type { App } from './app.ts'
import type { Newcomer } from './appeared.ts'
import type { ChangeReporter } from './change-reporter.ts'
import { loadDetails } from './details.ts'
import { type MirrorNode, below } from './node.ts'
import { hostOf } from './popups.ts'
import { isAbove, isHeld, unlist, walk, walkChildren } from './walk.ts'
import { knownAbove } from './strangers.ts'

interface StructureNeeds {
  reporter: ChangeReporter
  /** Nodes were added; some of what they hold may be left to read. */
  onGrown: (app: App, nodes: Iterable<MirrorNode>) => void
  onRemoved: (node: MirrorNode) => void
}

/** Takes nodes into the trees of applications and out of them, as events make it necessary. */
export class Structure {
  readonly #on: StructureNeeds

  constructor(needs: StructureNeeds) {
    this.#on = needs
  }

  /** Reads the children that an application told of. */
  async growAll(app: App): Promise<void> {
    const regrown = (parent: MirrorNode): Promise<void> => app.turns.take(parent, () => this.regrow(parent))
    await Promise.all(
      app.appeared.take().map(([parent, [one, ...more]]) => (more.length > 0 ? regrown(parent) : this.#grow(app, parent, one))),
    )
  }

  /** Asks for the children of a node anew. */
  async regrow(parent: MirrorNode): Promise<void> {
    const { app } = parent
    const { reporter, onGrown } = this.#on
    const before = new Set(parent.children)
    await walkChildren(app, parent).catch(() => {})
    for (const old of before) if (!parent.children.includes(old)) this.remove(old)
    const fresh = parent.children.filter((c) => !before.has(c)).flatMap((c) => [...below(c)])
    if (fresh.length > 0) app.stale.addNode(parent)
    await loadDetails(app, fresh, { bounds: true, actions: true, value: true })
    reporter.touchAll(parent)
    onGrown(app, fresh)
  }

  /** Looks again at what the nearest known nodes around unknown objects hold. */
  async meetStrangers(app: App): Promise<void> {
    for (const path of app.strangers.take((p) => app.nodes.has(p))) {
      const above = app.nodes.has(path) ? undefined : await knownAbove(app, path).catch(() => undefined)
      if (above !== undefined) await app.turns.take(above, () => this.regrow(above))
    }
  }

  remove(node: MirrorNode): void {
    const { app, parent } = node
    const { reporter, onRemoved } = this.#on
    if (parent !== undefined) parent.children = parent.children.filter((c) => c !== node)
    onRemoved(node)
    reporter.gone(node)
    app.drop(node)
    if (parent === undefined) return
    app.stale.addNode(parent)
    reporter.reordered(parent)
  }

  async #grow(app: App, parent: MirrorNode, { path, index }: Newcomer): Promise<void> {
    const known = app.nodes.get(path)
    if (path === app.root || isAbove(known, parent)) return
    // It stays with whom it was first; one that moves is told as gone before.
    if (known?.parent !== undefined && known.parent !== parent && isHeld(app, known)) return
    if (known === undefined && parent === app.rootNode && (await hostOf(app, path)) !== undefined) return app.strangers.add(path)
    // Listed at once, so that readers are told of what is read of it meanwhile.
    const node = app.ensure(path)
    node.parent = parent
    if (!parent.children.includes(node))
      parent.children.splice(index < 0 || index > parent.children.length ? parent.children.length : index, 0, node)
    const read = await walk(app, path, parent).catch(() => undefined)
    app.retry(read === undefined)
    if (!app.nodes.has(parent.path) || app.nodes.get(path) !== node) return
    if (read === undefined) return app.hung ? undefined : unlist(app, node)
    await loadDetails(app, below(node), { bounds: true, actions: true, value: true })
    app.stale.addNode(parent)
    const { reporter, onGrown } = this.#on
    reporter.touchAll(node)
    reporter.reordered(parent)
    onGrown(app, below(node))
  }
}
