import type { AppIdentity, Completeness, FlatNode } from '../../model/index.ts'
import type { Change, TreePart } from '../driver.ts'
import { PartTree } from './part-tree.ts'
import type { Part } from './part.ts'
import { pairWindows, type WindowPairs } from './window-pairs.ts'

/** What is known of one driver's tree. */
interface Source {
  part: Part
  tree: PartTree
  apps: Map<string, AppIdentity>
  /** Windows and apps that readers have been told of. */
  shown: Set<string>
  told: Set<string>
  reasons: Completeness['reasons']
}

/** Turns the changes of several drivers into one stream, in which a window that two of them show is told by the preferred one only. */
export class TreeMerger {
  readonly #sources: ReadonlyMap<Part, Source>
  readonly #tell: (change: Change) => void
  #pairs: WindowPairs = new Map()
  #focused: Part | undefined

  constructor(parts: readonly Part[], tell: (change: Change) => void) {
    this.#tell = tell
    // The preferred driver's windows are never left out, so what is in them need not be remembered.
    const source = (part: Part): Source => ({
      part,
      tree: new PartTree(part.index > 0),
      apps: new Map(),
      shown: new Set(),
      told: new Set(),
      reasons: [],
    })
    this.#sources = new Map(parts.map((part) => [part, source(part)]))
  }

  /** The window that is shown instead of this one. */
  shownFor(window: string): string | undefined {
    return this.#pairs.get(window)
  }

  get apps(): AppIdentity[] {
    return [...this.#sources.values()].flatMap((s) => [...s.apps.values()].filter((app) => s.told.has(app.id)))
  }

  get completeness(): Completeness {
    const reasons = [...this.#sources.values()].flatMap((source) => reasonsOf(source))
    return { complete: reasons.length === 0, reasons }
  }

  /** Takes in an answer of a driver, all of its nodes when it is the first, and gives the nodes to show. */
  read(part: Part, answer: TreePart, isFirst: boolean): FlatNode[] {
    const source = this.#of(part)
    for (const app of answer.apps) this.#takeApp(source, part.app(app))
    const nodes = answer.nodes.map((n) => part.node(n))
    for (const node of nodes) if (isFirst || (node.parent === undefined && !source.tree.isWindow(node.key))) source.tree.put(node)
    source.reasons = part.reasons(answer.completeness)
    this.#pair()
    return this.#visible(nodes)
  }

  take(part: Part, change: Change): void {
    const source = this.#of(part)
    switch (change.type) {
      case 'put':
        return this.#put(source, part.node(change.node))
      case 'gone':
        return this.#remove(source, part.outer(change.key))
      case 'app':
        this.#takeApp(source, part.app(change.app))
        return this.#pair()
      case 'dirty': {
        const root = part.outer(change.root)
        if (isShown(source, root)) this.#tell({ type: 'dirty', root })
        return
      }
      case 'focus':
        return this.#focus(source, change.key, change.window)
      case 'completeness':
        source.reasons = part.reasons(change.completeness)
        return this.#tell({ type: 'completeness', completeness: this.completeness })
      case 'host':
        return this.#tell({ ...change, request: { ...change.request, id: part.outer(change.request.id) } })
      case 'can':
      case 'screens':
        return this.#tell(change)
      default:
        change satisfies never
    }
  }

  /** A driver that is gone takes its windows along; what it hid of other drivers is shown. */
  remove(part: Part): void {
    const { tree, shown } = this.#of(part)
    for (const key of shown) this.#tell({ type: 'gone', key })
    shown.clear()
    tree.clear()
    this.#pair()
  }

  clear(): void {
    for (const { tree, apps, shown, told } of this.#sources.values()) {
      tree.clear()
      for (const known of [apps, shown, told]) known.clear()
    }
    this.#pairs = new Map()
  }

  #of(part: Part): Source {
    return this.#sources.get(part)!
  }

  /** Parents stand before their children. */
  #visible(nodes: FlatNode[]): FlatNode[] {
    const hidden = new Set<string>()
    return nodes.filter(({ key, parent }) => {
      const isHidden = parent === undefined ? this.#pairs.has(key) : hidden.has(parent)
      if (isHidden) hidden.add(key)
      return !isHidden
    })
  }

  #put(source: Source, node: FlatNode): void {
    const { key, parent } = node
    source.tree.put(node)
    if (parent === undefined) {
      if (source.shown.has(key)) this.#tell({ type: 'put', node })
      this.#pair()
    } else if (isShown(source, key)) this.#tellNode(source, node)
  }

  #remove(source: Source, key: string): void {
    const isWindow = source.tree.isWindow(key)
    const wasShown = isWindow ? source.shown.delete(key) : isShown(source, key)
    source.tree.remove(key)
    if (wasShown) this.#tell({ type: 'gone', key })
    if (isWindow) this.#pair()
  }

  /** Decides anew which windows are left out, and tells what that changes. */
  #pair(): void {
    const sources = [...this.#sources.values()]
    const windows = sources.map(({ tree, apps }) => tree.windows.map((node) => ({ node, pid: apps.get(node.app)?.pid })))
    this.#pairs = pairWindows(windows, this.#pairs)
    for (const source of sources) {
      for (const { key } of source.tree.windows) {
        const isHidden = this.#pairs.has(key)
        if (isHidden && source.shown.delete(key)) this.#tell({ type: 'gone', key })
        if (isHidden || source.shown.has(key)) continue
        source.shown.add(key)
        for (const node of source.tree.below(key)) this.#tellNode(source, node)
      }
    }
  }

  #tellNode(source: Source, node: FlatNode): void {
    if (!source.told.has(node.app)) this.#tellApp(source, node.app)
    this.#tell({ type: 'put', node })
  }

  /** An application that a preferred driver knows too is told only when something of it is shown. */
  #takeApp(source: Source, app: AppIdentity): void {
    if (isSame(source.apps.get(app.id), app)) return
    source.apps.set(app.id, app)
    const before = [...this.#sources.values()].slice(0, source.part.index)
    const isKnown = app.pid !== undefined && before.some(({ apps }) => [...apps.values()].some((a) => a.pid === app.pid))
    if (!isKnown || source.told.has(app.id)) this.#tellApp(source, app.id)
  }

  #tellApp({ apps, told }: Source, id: string): void {
    const app = apps.get(id)
    if (app === undefined) return
    told.add(id)
    this.#tell({ type: 'app', app })
  }

  /** Of a window that is left out the preferred driver tells; that nothing has the focus only the driver that told of one. */
  #focus({ part, tree }: Source, key: string | undefined, window: string | undefined): void {
    const outer = { key: key === undefined ? undefined : part.outer(key), window: window === undefined ? undefined : part.outer(window) }
    const lies = outer.window ?? (outer.key === undefined ? undefined : tree.windowOf(outer.key))
    if (lies === undefined ? key === undefined && this.#focused !== part : this.#pairs.has(lies)) return
    this.#focused = part
    this.#tell({ type: 'focus', ...outer })
  }
}

/** Of the preferred driver everything is shown. */
function isShown({ part, tree, shown }: Source, key: string): boolean {
  return part.index === 0 || shown.has(tree.windowOf(key) ?? '')
}

/** What a driver lacks of an application counts only where a window of it is shown. */
function reasonsOf({ part, tree, shown, reasons }: Source): Completeness['reasons'] {
  const { down } = part
  if (down !== undefined) {
    const detail = `the driver ${part.info.name} does not serve its windows: ${down.message}`
    return [{ kind: down.code === 'TIMEOUT' ? 'hung' : 'degraded', driver: part.info.kind, detail }]
  }
  const isLeftOut = (app: string): boolean => {
    const windows = tree.windows.filter((w) => w.app === app)
    return windows.length > 0 && windows.every((w) => !shown.has(w.key))
  }
  return reasons.filter((r) => r.app === undefined || !isLeftOut(r.app))
}

const isSame = (a: AppIdentity | undefined, b: AppIdentity): boolean =>
  a?.name === b.name &&
  a.pid === b.pid &&
  a.executable === b.executable &&
  a.runs === b.runs &&
  a.bundle === b.bundle &&
  a.toolkit === b.toolkit
