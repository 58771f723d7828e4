import { within, type Changes, type Cursor, type NodeKey, type Observe, type TreePart } from '../driver/driver.ts'
import { isPassword, redactNode } from '../journal/index.ts'
import { COMPLETE, WINDOWS, type AppIdentity, type Completeness, type FlatNode, type UiNode, type UiTree } from '../model/index.ts'

const READ_MS = 10_000

/** A node of the replica; only LiveTree changes it. */
export interface LiveNode extends UiNode {
  parent?: LiveNode
  children: LiveNode[]
}

/** The same text without what must not be known. */
type Clean = (text: string) => string

/**
 * The replica of a driver's tree. The driver seeds it and tells changes; every query runs on it in memory.
 * Callers `sync` before they look, and `changed` to wait for news.
 */
export class LiveTree implements UiTree {
  roots: LiveNode[] = []
  completeness: Completeness = COMPLETE
  focus?: NodeKey
  activeWindow?: NodeKey
  /** Grows with every change to any node. */
  generation = 0
  /** Told about everything else a driver reports: damage, human input, host requests. */
  onNews: (change: News) => void = () => {}

  readonly #observe: Observe
  readonly #clean: Clean
  readonly #nodes = new Map<NodeKey, LiveNode>()
  readonly #apps = new Map<string, AppIdentity>()
  readonly #embedded = new Set<NodeKey>()
  readonly #places = new Set<LiveNode>()
  readonly #passwords = new Set<LiveNode>()
  /** Roots whose structure is untrusted until they have been read again. */
  readonly #dirty = new Set<NodeKey>()
  #cursor?: Cursor
  #running?: Promise<void>
  #queued?: Promise<void>

  constructor(observe: Observe, clean: Clean = (text) => text) {
    this.#observe = observe
    this.#clean = clean
  }

  node(key: NodeKey): LiveNode | undefined {
    return this.#nodes.get(key)
  }

  get size(): number {
    return this.#nodes.size
  }

  /** Whether any application's nodes hang below another one's. */
  get embeds(): boolean {
    return this.#embedded.size > 0
  }

  /** Every window and document: what can be hidden by itself. */
  get places(): Iterable<LiveNode> {
    return this.#places
  }

  /** Every field whose contents nobody may see. */
  get passwords(): Iterable<LiveNode> {
    return this.#passwords
  }

  get apps(): AppIdentity[] {
    return [...this.#apps.values()]
  }

  /** Everything that happened before this call is in the tree when it resolves. */
  sync(): Promise<void> {
    if (this.#running === undefined) return (this.#running = this.#pull().finally(() => (this.#running = undefined)))
    // One that is under way may have asked too early; callers who come now share the next one.
    this.#queued ??= this.#running
      .catch(() => {})
      .then(() => {
        this.#queued = undefined
        return this.sync()
      })
    return this.#queued
  }

  /** The same; false when it takes longer than `ms`, and then it goes on by itself. */
  async syncWithin(ms: number): Promise<boolean> {
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<boolean>((resolve) => (timer = setTimeout(() => resolve(false), ms)))
    const synced = this.sync().then(() => true)
    try {
      return await Promise.race([synced, late])
    } finally {
      clearTimeout(timer)
      synced.catch(() => {})
    }
  }

  /** Waits until something changes, at most `waitMs`; true when it did. */
  async changed(waitMs: number, signal: AbortSignal): Promise<boolean> {
    const since = this.#cursor
    if (since === undefined) return this.sync().then(() => true)
    const before = this.generation
    // Only a knock at the door: what changed is taken in by `sync`, one after the other.
    await this.#observe.changes(since, waitMs, within(waitMs + READ_MS, signal))
    await this.sync()
    return this.generation !== before
  }

  async #pull(): Promise<void> {
    if (this.#cursor === undefined) return this.#seed()
    for (let isMore = true; isMore;) {
      const answer = await this.#observe.changes(this.#cursor, 0, within(READ_MS))
      await this.#apply(answer)
      isMore = 'more' in answer && answer.more === true
    }
  }

  async #seed(): Promise<void> {
    const part = await this.#observe.read({}, within(READ_MS))
    this.#nodes.clear()
    this.#apps.clear()
    this.#embedded.clear()
    this.#places.clear()
    this.#passwords.clear()
    this.#dirty.clear()
    this.roots = []
    this.#graft(part)
    this.#cursor = part.cursor
    this.completeness = part.completeness
    // It may be another driver than before, on other screens.
    this.onNews({ type: 'reset' })
  }

  async #apply(answer: Changes): Promise<void> {
    if ('reset' in answer) return this.#seed()
    this.#cursor = answer.cursor
    for (const change of answer.changes) {
      switch (change.type) {
        case 'put':
          this.#put(change.node)
          break
        case 'gone':
          this.#remove(change.key)
          break
        case 'app':
          this.#apps.set(change.app.id, change.app)
          break
        case 'dirty':
          this.#dirty.add(change.root)
          break
        case 'focus':
          this.focus = change.key
          this.activeWindow = change.window ?? this.activeWindow
          this.generation++
          break
        case 'completeness':
          this.completeness = change.completeness
          this.generation++
          break
        case 'damage':
        case 'human':
        case 'host':
        case 'can':
        case 'screens':
          this.onNews(change)
          break
        default:
          change satisfies never
      }
    }
    for (const root of this.#dirty) {
      await this.#reread(root)
      this.#dirty.delete(root)
    }
  }

  async #reread(root: NodeKey): Promise<void> {
    if (!this.#nodes.has(root)) return
    const part = await this.#observe.read({ root }, within(READ_MS))
    const kept = new Set(part.nodes.map((n) => n.key))
    for (const below of [...descendants(this.#nodes.get(root))]) if (!kept.has(below.key)) this.#remove(below.key)
    this.#graft(part)
  }

  #graft(part: TreePart): void {
    for (const app of part.apps) this.#apps.set(app.id, app)
    for (const flat of part.nodes) this.#put(flat)
  }

  #put(flat: FlatNode): void {
    this.generation++
    const parent = flat.parent === undefined ? undefined : this.#nodes.get(flat.parent)
    const known = this.#nodes.get(flat.key)
    // A node below itself would make every walk endless; a driver that says so is not believed.
    if (known !== undefined && known.parent !== parent && isAbove(known, parent)) return
    const moved = known === undefined || known.parent !== parent || known.index !== flat.index
    if (known !== undefined && moved) this.#detach(known)
    const app = this.#apps.get(flat.app) ?? { id: flat.app, name: flat.app }
    const clean = this.#discreet(flat)
    const node = known === undefined ? grown(clean, app) : regrown(known, clean, app)
    this.#nodes.set(flat.key, node)
    if (WINDOWS.has(node.role) || node.role === 'document') this.#places.add(node)
    else this.#places.delete(node)
    if (isPassword(node)) this.#passwords.add(node)
    else this.#passwords.delete(node)
    if (parent !== undefined && parent.app.id !== app.id) this.#embedded.add(flat.key)
    if (moved) {
      node.parent = parent
      const siblings = parent?.children ?? this.roots
      siblings.splice(Math.min(flat.index, siblings.length), 0, node)
    }
    if (node.states?.focused === true) this.focus = node.key
    else if (this.focus === node.key) this.focus = undefined
    if (node.states?.active === true && WINDOWS.has(node.role)) this.activeWindow = node.key
  }

  /** A field that holds an operator's secret is treated like a password field: its text is not even there to be guessed at. */
  #discreet(flat: FlatNode): FlatNode {
    const value = flat.value === undefined ? undefined : this.#clean(flat.value)
    return value === flat.value ? flat : { ...flat, value, states: { ...flat.states, password: true } }
  }

  #remove(key: NodeKey): void {
    const node = this.#nodes.get(key)
    if (node === undefined) return
    this.generation++
    this.#detach(node)
    for (const gone of [node, ...descendants(node)]) {
      this.#nodes.delete(gone.key)
      this.#embedded.delete(gone.key)
      this.#places.delete(gone)
      this.#passwords.delete(gone)
      if (this.focus === gone.key) this.focus = undefined
      if (this.activeWindow === gone.key) this.activeWindow = undefined
    }
  }

  #detach(node: LiveNode): void {
    const siblings = node.parent?.children ?? this.roots
    const at = siblings.indexOf(node)
    if (at >= 0) siblings.splice(at, 1)
  }
}

/** What a driver tells beside the tree; `reset` when it told the whole tree anew. */
export type News =
  | Extract<Exclude<Changes, { reset: true }>['changes'][number], { type: 'damage' | 'human' | 'host' | 'can' | 'screens' }>
  | { type: 'reset' }

/** The window or dialog a node lies in; itself when it is one. */
export function windowOf(node: UiNode): UiNode | undefined {
  for (let n: UiNode | undefined = node; n !== undefined; n = n.parent) if (WINDOWS.has(n.role)) return n
  return undefined
}

function isAbove(node: LiveNode, below: LiveNode | undefined): boolean {
  for (let n = below; n !== undefined; n = n.parent) if (n === node) return true
  return false
}

/** Every node has the same fields in the same order: one shape keeps matching fast. */
function grown(flat: FlatNode, app: AppIdentity): LiveNode {
  const { key, index, role, name, value, description, bounds, states, platformIds, patterns, actions, attributes } = redactNode(flat)
  return {
    key,
    index,
    role,
    name,
    value,
    description,
    bounds,
    states,
    platformIds,
    patterns,
    actions,
    attributes,
    app,
    parent: undefined,
    children: [],
  }
}

function regrown(node: LiveNode, flat: FlatNode, app: AppIdentity): LiveNode {
  const { index, role, name, value, description, bounds, states, platformIds, patterns, actions, attributes } = redactNode(flat)
  return Object.assign(node, { index, role, name, value, description, bounds, states, platformIds, patterns, actions, attributes, app })
}

function* descendants(node: LiveNode | undefined): Generator<LiveNode> {
  for (const child of node?.children ?? []) {
    yield child
    yield* descendants(child)
  }
}
