import { within, type Changes, type Cursor, type NodeKey, type Observe, type TreePart } from '../../driver/driver.ts'
import { DeskhandError } from '../../errors.ts'
import { COMPLETE, WINDOWS, type AppIdentity, type Completeness, type FlatNode, type UiNode, type UiTree } from '../../model/index.ts'
import { isPassword, redactNode } from '../../redaction/index.ts'
import { FocusClaims } from './focus-claims.ts'
import { isAbove, LiveNode, sameButFocus, subtree } from './live-node.ts'
import { Orphans } from './orphans.ts'
import { isField, PrivateFields, type IsMasked } from './private-fields.ts'
import { Siblings } from './siblings.ts'
import { TreeIndex } from './tree-index.ts'

export type { LiveNode } from './live-node.ts'

const READ_MS = 10_000

/** Gives a text back without what must not be known. */
type Clean = (text: string) => string

/**
 * The replica of a driver's tree. The driver seeds it and tells changes; every query runs on it in memory.
 * Callers `sync` before they look, and `changed` to wait for news.
 */
export class LiveTree implements UiTree {
  roots: LiveNode[] = []
  completeness: Completeness = COMPLETE
  activeWindow?: NodeKey
  readonly index = new TreeIndex(() => this.roots)
  /** Grows with every change to any node. */
  generation = 0
  /** Grows with every change but those of the focus. */
  substance = 0
  /** Grows with every change of a text in a status bar. */
  statusTexts = 0
  /** Grows only where an answer about who may see what can differ: with applications, windows, documents, and what lies in which. */
  placesGeneration = 0
  /** Called when an element says something else than before. */
  onRetold: (key: NodeKey) => void = () => {}
  /** Called with everything else that a driver reports: host requests, new abilities, other screens. */
  onNews: (change: News) => void = () => {}

  readonly #observe: Observe
  readonly #clean: Clean
  readonly #nodes = new Map<NodeKey, LiveNode>()
  readonly #apps = new Map<string, AppIdentity>()
  readonly #embedded = new Set<LiveNode>()
  /** With the time since which each has been known. */
  readonly #places = new Map<LiveNode, number>()
  readonly #passwords = new Set<LiveNode>()
  readonly #private: PrivateFields
  /** Roots whose structure is untrusted until they have been read again. */
  readonly #dirty = new Set<NodeKey>()
  readonly #orphans = new Orphans()
  readonly #siblings = new Siblings()
  readonly #focus = new FocusClaims()
  #cursor?: Cursor
  #running?: Promise<void>
  #queued?: Promise<void>

  constructor(observe: Observe, clean: Clean = (text) => text, isMasked?: IsMasked) {
    this.#observe = observe
    this.#private = new PrivateFields(isMasked)
    this.#clean = clean
  }

  node(key: NodeKey): LiveNode | undefined {
    return this.#nodes.get(key)
  }

  /** What gets the next key. */
  get focus(): NodeKey | undefined {
    return this.#focus.of(this.activeWindow === undefined ? undefined : this.node(this.activeWindow))
  }

  get size(): number {
    return this.#nodes.size
  }

  /** Nodes of an application that hang below another one's. */
  get embedded(): ReadonlySet<LiveNode> {
    return this.#embedded
  }

  /** Every window and document: what can be hidden by itself. */
  get places(): Iterable<LiveNode> {
    return this.#places.keys()
  }

  /** Since when a window, dialog or document has been there, by the clock that only goes forward. */
  shownSince(key: NodeKey): number | undefined {
    const node = this.#nodes.get(key)
    return node === undefined ? undefined : this.#places.get(node)
  }

  /** Every field whose contents must not be seen. */
  get passwords(): Iterable<LiveNode> {
    return this.#passwords
  }

  /** From now on, and for as long as it lives, this field is a password field. */
  keepPrivate(key: NodeKey): void {
    const node = this.#nodes.get(key)
    if (node === undefined) return
    for (const { key: one } of this.#private.keep(node)) {
      const field = this.#nodes.get(one)
      if (field === undefined) continue
      this.index.update(field, () => field.hide())
      this.#passwords.add(field)
      this.generation++
    }
  }

  get apps(): AppIdentity[] {
    return [...this.#apps.values()]
  }

  /** Everything that happened before this call is in the tree when it resolves. */
  sync(): Promise<void> {
    if (this.#running === undefined) {
      this.#running = this.#pull()
      void this.#running.then(this.#ended, this.#ended)
      return this.#running
    }
    // The one under way may have asked too early; callers from now on share the next one.
    this.#queued ??= this.#running
      .catch(() => {})
      .then(() => {
        this.#queued = undefined
        return this.sync()
      })
    return this.#queued
  }

  /** Loads entries of a list that contain a text and are out of view, as far as the driver can. */
  async seek(list: NodeKey, text: string): Promise<void> {
    await this.#observe.read({ root: list, text }, within(READ_MS)).catch(absentIfStale)
    await this.sync()
  }

  /** Syncs for at most `ms`; false when it takes longer, and then it goes on by itself. */
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
    // Long poll only; `sync` applies the changes, in order.
    await this.#observe.changes(since, waitMs, within(waitMs + READ_MS, signal))
    await this.sync()
    return this.generation !== before
  }

  async #pull(): Promise<void> {
    if (this.#cursor === undefined) return this.#seed()
    const before = this.generation
    for (let isMore = true; isMore;) {
      const answer = await this.#observe.changes(this.#cursor, 0, within(READ_MS))
      await this.#apply(answer)
      isMore = 'more' in answer && answer.more === true
    }
    this.#endBatch()
    if (this.generation !== before) this.onNews({ type: 'changed' })
  }

  readonly #ended = (): void => {
    this.#running = undefined
  }

  async #seed(): Promise<void> {
    const part = await this.#observe.read({}, within(READ_MS))
    this.#nodes.clear()
    this.#apps.clear()
    this.#embedded.clear()
    this.#places.clear()
    this.#passwords.clear()
    this.#private.reset()
    this.#dirty.clear()
    this.#focus.clear()
    this.#orphans.clear()
    this.index.clear()
    this.roots = []
    this.#graft(part)
    this.#endBatch()
    this.#cursor = part.cursor
    this.completeness = part.completeness
    // It may be another driver than before, on other screens.
    this.onNews({ type: 'reset' })
  }

  async #apply(answer: Changes): Promise<void> {
    if ('reset' in answer) return this.#seed()
    this.#cursor = answer.cursor
    let gone: NodeKey[] = []
    for (const change of answer.changes) {
      if (change.type !== 'gone' && gone.length > 0) {
        this.#remove(gone)
        gone = []
      }
      switch (change.type) {
        case 'put':
          this.#put(change.node)
          break
        case 'gone':
          this.#orphans.drop(change.key)
          gone.push(change.key)
          break
        case 'app':
          this.#apps.set(change.app.id, change.app)
          this.generation++
          this.placesGeneration++
          break
        case 'dirty':
          this.#dirty.add(change.root)
          break
        case 'focus':
          this.#focus.tell(change.key)
          this.activeWindow = change.window ?? this.activeWindow
          this.generation++
          break
        case 'completeness':
          this.completeness = change.completeness
          this.generation++
          break
        case 'host':
        case 'can':
        case 'screens':
          this.onNews(change)
          break
        default:
          change satisfies never
      }
    }
    this.#remove(gone)
    for (const root of this.#dirty) {
      await this.#reread(root)
      this.#dirty.delete(root)
    }
  }

  async #reread(root: NodeKey): Promise<void> {
    if (!this.#nodes.has(root)) return
    const part = await this.#observe.read({ root }, within(READ_MS)).catch(absentIfStale)
    if (part === undefined) return this.#remove([root])
    const kept = new Set(part.nodes.map((n) => n.key))
    const below = subtree(this.#nodes.get(root)).map((n) => n.key)
    this.#remove(below.filter((key) => key !== root && !kept.has(key)))
    this.#graft(part)
  }

  /** A node whose parent was never told is left out, also where it was in the tree before: a root would escape the rules for its window. */
  #endBatch(): void {
    this.#remove(this.#orphans.leaveOut())
    if (this.#siblings.settle()) this.index.reordered()
  }

  #graft(part: TreePart): void {
    for (const app of part.apps) this.#apps.set(app.id, app)
    this.placesGeneration++
    for (const flat of part.nodes) this.#put(flat)
  }

  #put(told: FlatNode): void {
    const above = told.parent === undefined ? undefined : this.#nodes.get(told.parent)
    const isKnown = told.parent === undefined || above !== undefined
    if (isKnown && this.#orphans.isEmpty) return this.#place(told, above)
    const queue = [told]
    for (const flat of queue) {
      const parent = flat.parent === undefined ? undefined : this.#nodes.get(flat.parent)
      if (flat.parent !== undefined && parent === undefined) {
        this.#orphans.hold(flat, flat.parent)
        continue
      }
      this.#orphans.drop(flat.key)
      this.#place(flat, parent)
      if (this.#orphans.isUnread(flat.key)) this.#dirty.add(flat.key)
      for (const child of this.#orphans.take(flat.key)) queue.push(child)
    }
  }

  #place(flat: FlatNode, parent: LiveNode | undefined): void {
    this.generation++
    const known = this.#nodes.get(flat.key)
    // A node below itself would make every walk endless; a driver that says so is not believed.
    if (known !== undefined && known.parent !== parent && isAbove(known, parent)) return
    const app = this.#apps.get(flat.app) ?? { id: flat.app, name: flat.app }
    const siblings = parent?.children ?? this.roots
    const stays = known !== undefined && known.parent === parent && Siblings.standsAt(siblings, known, flat.index)
    const shown = this.#discreet(flat, parent, app)
    const node = known === undefined ? this.#add(shown, app) : this.#update(known, shown, app, stays)
    const since = this.#places.get(node)
    const wasPlace = this.#places.delete(node)
    const isPlace = WINDOWS.has(node.role) || node.role === 'document'
    if (isPlace) this.#places.set(node, since ?? performance.now())
    if (wasPlace || isPlace) this.placesGeneration++
    if (isPassword(node)) this.#passwords.add(node)
    else this.#passwords.delete(node)
    if (!stays) {
      this.placesGeneration++
      if (known !== undefined && parent !== undefined) this.#siblings.moved(parent)
      node.parent = parent
      const at = this.#siblings.insert(siblings, node, flat.index)
      this.index.insert(node, siblings, at)
    }
    this.#embed(node)
    this.#focus.hear(node)
    if (node.states?.active === true && WINDOWS.has(node.role)) this.activeWindow = node.key
  }

  #add(flat: FlatNode, app: AppIdentity): LiveNode {
    this.substance++
    const node = new LiveNode(flat, app)
    this.#nodes.set(flat.key, node)
    this.index.add(node)
    return node
  }

  #update(node: LiveNode, flat: FlatNode, app: AppIdentity, stays: boolean): LiveNode {
    if (!stays) this.#siblings.take(node, this.roots)
    const isOthers = node.app.id !== app.id
    const { role, name, value, states } = node
    this.index.update(node, () => node.take(flat, app))
    if (!stays || node.role !== role || node.name !== name || node.value !== value || !sameButFocus(states, node.states)) this.substance++
    if (node.name !== name || node.value !== value) this.onRetold(node.key)
    if (STATUS_TEXTS.has(role) && isInStatusBar(node)) this.statusTexts++
    if (isOthers) for (const child of node.children) this.#embed(child)
    return node
  }

  #embed(node: LiveNode): void {
    if (node.parent !== undefined && node.parent.app.id !== node.app.id) this.#embedded.add(node)
    else this.#embedded.delete(node)
  }

  /** A private field is treated like a password field: its text is not even there to be guessed at. What lies inside of it is its text. */
  #discreet(flat: FlatNode, parent: LiveNode | undefined, app: AppIdentity): FlatNode {
    const value = flat.value === undefined ? undefined : this.#clean(flat.value)
    const told = value === flat.value ? flat : { ...flat, value, states: { ...flat.states, password: true } }
    if (!this.#private.admit(told, parent, app)) return told
    if (!this.#private.has(flat.key)) return redactNode(told, true)
    if (told.states?.password === true) return told
    // Anything but a field says it in its name.
    return { ...(isField(told) ? told : redactNode(told, true)), states: { ...told.states, password: true } }
  }

  /** Removes the nodes with everything below them. */
  #remove(keys: NodeKey[]): void {
    const nodes = keys.map((key) => this.#nodes.get(key)).filter((node) => node !== undefined)
    this.generation += nodes.length
    this.substance += nodes.length
    this.placesGeneration += nodes.length
    this.#siblings.remove(nodes, this.roots)
    for (const gone of nodes.flatMap(subtree)) {
      // A driver may name a node twice.
      if (!this.#nodes.delete(gone.key)) continue
      // It moves to a parent that is not told yet; what is below it has just gone with its old place.
      if (this.#orphans.has(gone.key)) this.#orphans.mustRead(gone.key)
      this.index.remove(gone)
      this.#embedded.delete(gone)
      this.#places.delete(gone)
      this.#passwords.delete(gone)
      this.#private.gone(gone)
      this.#focus.drop(gone)
      if (this.activeWindow === gone.key) this.activeWindow = undefined
    }
  }
}

/** What a driver reports beside the tree; `reset` when it reported the whole tree anew, `changed` when nodes did. */
export type News =
  | Extract<Exclude<Changes, { reset: true }>['changes'][number], { type: 'host' | 'can' | 'screens' }>
  | { type: 'reset' | 'changed' }

/** The window or dialog a node lies in; itself when it is one. */
export function windowOf(node: UiNode): UiNode | undefined {
  for (let n: UiNode | undefined = node; n !== undefined; n = n.parent) if (WINDOWS.has(n.role)) return n
  return undefined
}

const STATUS_TEXTS: ReadonlySet<string> = new Set(['label', 'statusbar'])

function isInStatusBar(node: UiNode): boolean {
  for (let n: UiNode | undefined = node; n !== undefined; n = n.parent) if (n.role === 'statusbar') return true
  return false
}

function absentIfStale(thrown: unknown): undefined {
  if (DeskhandError.from(thrown).code !== 'STALE_REF') throw thrown
  return undefined
}
