import type { AppIdentity, Completeness } from '@deskhand/core/model'
import { Bus, type Message } from '../dbus/index.ts'
import { App, NodeIndex } from './app.ts'
import { identify } from './identity.ts'
import { askName, loadState } from './describe.ts'
import { loadDetails } from './details.ts'
import { EVENTS, type Effects, applyEvent } from './events.ts'
import { resync } from './resync.ts'
import { ChangeLog } from '@deskhand/core/driver'
import { LateAnswers } from './late-answers.ts'
import { ACCESSIBLE, APPLICATION, REGISTRY, ROOT_PATH } from './names.ts'
import { type MirrorNode, below, tabsOf, topOf } from './node.ts'
import { foundSoFar, readRest } from './rest.ts'
import { seed } from './seed.ts'
import { ROLE } from './roles.ts'
import { hasState, setState } from './states.ts'
import { Structure } from './structure.ts'
import { cellOf } from './table.ts'
import { ChangeReporter } from './change-reporter.ts'
import { shapeOf, shortfallsOf } from './shortfalls.ts'
import { UnderWay } from './under-way.ts'
import { Values } from './values.ts'

/** How long a new application may take for its first word, and how long readers wait for what is under way. */
const FIRST_WORD_MS = 300
const SETTLE_MS = 1500
/** What has been under way for longer is not waited for, but told as still being read. */
const PATIENCE_MS = 800
/** … of an application that takes long in any case: by then what it shows has been read. */
const LARGE_MS = 300
const ROUNDS = 4

/** The accessibility trees of all applications, kept by their events. */
export class Mirror {
  readonly index = new NodeIndex()
  readonly log = new ChangeLog()
  readonly apps = new Map<string, App>()
  focus: MirrorNode | undefined
  /** How often the focus has moved. */
  focusMoves = 0
  readonly #bus: Bus
  readonly #isLocal: boolean
  readonly #reporter: ChangeReporter
  readonly #structure: Structure
  readonly #early = new Map<string, Message[]>()
  /** By the names of applications on the bus. */
  readonly #underWay = new UnderWay<string>((name) => (this.apps.get(name)?.isLarge === true ? LARGE_MS : PATIENCE_MS))
  /** Applications of which something is being read that readers did not wait for. */
  #behind = new Set<string>()
  /** What was last told of how complete everything is. */
  #told = ''
  readonly #resyncing = new Set<App>()
  readonly #values = new Values(
    (node, read) =>
      void this.#track(
        node.app,
        read.then(() => this.touch(node)),
      ),
  )
  readonly #lateAnswers = new LateAnswers({
    track: (app, work) => void this.#track(app, work),
    onFilled: (page) => {
      this.touchAll(page)
      void this.#readRest(page.app)
    },
  })
  #count = 0

  /** `isLocal`: applications do not know where their windows are, as on Wayland. */
  static async open(address: string, isLocal = false): Promise<Mirror> {
    const bus = await Bus.connect(address)
    const mirror = new Mirror(bus, isLocal)
    bus.onSignal((signal) => mirror.#receive(signal))
    const rules = ['org.a11y.atspi.Event.Object', 'org.a11y.atspi.Event.Window', 'org.a11y.atspi.Cache'].map(
      (i) => `type='signal',interface='${i}'`,
    )
    await Promise.all([
      ...rules.map((rule) => bus.match(rule)),
      bus.match("type='signal',sender='org.freedesktop.DBus',member='NameOwnerChanged'"),
      ...EVENTS.map((event) =>
        bus.call(REGISTRY, '/org/a11y/atspi/registry', REGISTRY, 'RegisterEvent', 'sass', [event, [], ''], '').catch(() => []),
      ),
    ])
    const [found] = await bus.call(REGISTRY, ROOT_PATH, ACCESSIBLE, 'GetChildren', '', [], 'a(so)')
    for (const [name, path] of found) mirror.#welcome(name, path)
    await mirror.settle()
    return mirror
  }

  /** How complete everything is that readers are told of; more than applications with trees may belong to it. */
  wholeDesk: () => Completeness = () => this.completeness()

  private constructor(bus: Bus, isLocal: boolean) {
    this.#bus = bus
    this.#isLocal = isLocal
    const reporter = new ChangeReporter(this.log, () => this.#noteBehind())
    this.#reporter = reporter
    this.#structure = new Structure({
      reporter,
      onGrown: (app, nodes) => this.#grown(app, nodes),
      onRemoved: (node) => {
        if (this.focus === node) this.focus = undefined
      },
    })
    void bus.closed.then(() => this.log.wake())
  }

  get isOpen(): boolean {
    return this.#bus.isOpen
  }

  get identities(): AppIdentity[] {
    return [...this.apps.values()].map((a) => a.identity)
  }

  node(key: string): MirrorNode | undefined {
    return this.index.byKey.get(key)
  }

  ofPid(pid: number): App[] {
    return [...this.apps.values()].filter((a) => a.identity.pid === pid)
  }

  /** Everything that happened before this call is in the mirror and told when it returns, hung applications aside. */
  async settle(deadlineMs = SETTLE_MS): Promise<void> {
    const end = performance.now() + Math.min(deadlineMs, SETTLE_MS)
    const [resynced, toldOf] = [new Set<App>(), new Set<App>()]
    // What is found on the way may need another look; an application that never comes to rest gets no more than a few.
    for (let round = 0; round < ROUNDS && performance.now() < end; round++) {
      this.#values.read()
      const late = this.#underWay.late()
      for (const app of this.apps.values()) {
        // Most of them are known by now: their parents have told of them meanwhile.
        if (app.strangers.any && !app.hung && !app.isReading) this.#inTurn(app, app.strangers, () => this.#structure.meetStrangers(app))
        if (app.found.length > 0 && !app.hung && !app.isListing && !toldOf.has(app) && late.has(app.name)) {
          toldOf.add(app)
          void this.#track(app, this.#tellFound(app))
        }
        if (!app.stale.any || app.hung || app.isListing || resynced.has(app) || this.#resyncing.has(app)) continue
        resynced.add(app)
        void this.#resync(app)
      }
      if (!(await this.#underWay.recent(end - performance.now()))) break
    }
    for (const app of this.apps.values()) if (!this.#underWay.has(app.name)) app.found = []
    this.account()
  }

  /** Everything is told that is known now, and of what elements are just being read. Readers call it last: anything may have begun since they waited. */
  account(): void {
    this.#noteBehind()
    this.#reporter.tell()
  }

  /** Tells when an application fell behind, or has caught up. One that elements are being read of has, however recently that began. */
  #noteBehind(): void {
    const behind = this.#underWay.late()
    for (const app of this.apps.values()) if (app.turns.any || this.#reporter.isBehind(app)) behind.add(app.name)
    this.#behind = behind
    if (shapeOf(this.wholeDesk()) !== this.#told) this.tellCompleteness()
  }

  completeness(): Completeness {
    const reasons = [...this.apps.values()].flatMap((app) =>
      shortfallsOf(app, app.turns.any || this.#reporter.isBehind(app) || this.#behind.has(app.name)),
    )
    return { complete: reasons.length === 0, reasons }
  }

  /** A node looks different for a reason that its application does not know. */
  touch(node: MirrorNode): void {
    this.#reporter.touch(node)
    if (node.optionOf !== undefined) this.#reporter.touch(node.optionOf)
    if (node.role === ROLE.PAGE_TAB_LIST) for (const tab of node.children) if (tabsOf(tab) === node) this.#reporter.touch(tab)
  }

  touchAll(node: MirrorNode): void {
    this.#reporter.touchAll(node)
  }

  /** Asks for the children of a node anew. */
  regrow(parent: MirrorNode): void {
    this.#inTurn(parent.app, parent, () => this.#structure.regrow(parent))
  }

  close(): void {
    this.#values.close()
    for (const app of this.apps.values()) app.close()
    this.#bus.close()
  }

  #receive(signal: Message): void {
    if (signal.member === 'NameOwnerChanged') {
      const body = signal.read('sss')
      if (body !== undefined && body[2] === '') this.#leave(body[0])
      return
    }
    if (signal.path === ROOT_PATH && signal.member === 'ChildrenChanged' && !this.apps.has(signal.sender)) return this.#newcomer(signal)
    const early = this.#early.get(signal.sender)
    if (early !== undefined) {
      if (early.length < 10_000) early.push(signal)
      return
    }
    const app = this.apps.get(signal.sender)
    if (app === undefined) return
    app.stale.stir()
    applyEvent(app, signal, this.#effects(app))
  }

  /** The registry tells of a new application. */
  #newcomer(signal: Message): void {
    const body = signal.read('siiva{sv}') ?? signal.read('siiv(so)')
    const value = body?.[3]
    if (body?.[0].startsWith('add') !== true || value?.type !== '(so)' || !Array.isArray(value.value)) return
    const [name, path]: unknown[] = value.value
    if (typeof name !== 'string' || typeof path !== 'string' || this.apps.has(name) || this.#early.has(name)) return
    this.#welcome(name, path)
  }

  #welcome(name: string, path: string): void {
    void this.#underWay.add(name, this.#join(name, path))
  }

  async #join(name: string, root: string): Promise<void> {
    if (name === this.#bus.name) return
    this.#early.set(name, [])
    const options = { deadlineMs: FIRST_WORD_MS }
    const [pid, called, toolkit] = await Promise.all([
      this.#bus.daemon('GetConnectionUnixProcessID', 's', [name], 'u').then(
        ([p]) => p,
        () => undefined,
      ),
      this.#bus.get(name, root, ACCESSIBLE, 'Name', 's', options).catch(() => ''),
      this.#bus.get(name, root, APPLICATION, 'ToolkitName', 's', options).catch(() => undefined),
    ])
    if (!this.#early.has(name)) return
    const app = new App(this.#bus, this.index, name, root, identify(`app${++this.#count}`, pid, called, toolkit))
    app.isLocal = this.#isLocal
    app.onGone = (node) => this.#reporter.gone(node)
    app.onHung = () => this.tellCompleteness()
    app.onRevived = () => {
      void this.#track(app, this.#reseed(app))
      this.tellCompleteness()
    }
    this.apps.set(name, app)
    this.log.add({ type: 'app', app: app.identity })
    if (await app.answers(FIRST_WORD_MS)) await this.#reseed(app)
    const early = this.#early.get(name) ?? []
    this.#early.delete(name)
    for (const signal of early) applyEvent(app, signal, this.#effects(app))
  }

  #leave(name: string): void {
    this.#early.delete(name)
    const app = this.apps.get(name)
    if (app === undefined) return
    this.apps.delete(name)
    this.#underWay.forget(name)
    this.#behind.delete(name)
    for (const node of [...app.windows, ...app.nodes.values()]) if (node.told !== undefined) this.#reporter.gone(node)
    if (this.focus?.app === app) this.focus = undefined
    const wasIncomplete = app.hung || app.truncated !== undefined
    app.close()
    if (wasIncomplete) this.tellCompleteness()
  }

  #reseed(app: App): Promise<void> {
    return app.turns.take(app, () => this.#readAll(app))
  }

  async #readAll(app: App): Promise<void> {
    if (this.apps.get(app.name) !== app) return
    app.isReading = true
    const { size } = app.nodes
    if (await app.introduce().catch(() => false)) this.log.add({ type: 'app', app: app.identity })
    await seed(app, () => this.#tellFound(app)).catch(() => {})
    await loadDetails(app, app.nodes.values(), { bounds: true, actions: true, value: true })
    app.isReading = false
    for (const window of app.windows) this.#reporter.touchAll(window)
    this.#grown(app, app.nodes.values())
    const isNew = !app.isRead && !app.hung
    if (isNew) app.isRead = true
    if (isNew || app.truncated !== undefined) this.tellCompleteness()
    if (app.isCutShort && !app.hung && app.nodes.size > size) void this.#track(app, this.#reseed(app))
  }

  /** Readers are told what has been read so far of something that takes long. */
  async #tellFound(app: App): Promise<void> {
    for (const node of await foundSoFar(app)) this.#reporter.touch(node)
  }

  #grown(app: App, nodes: Iterable<MirrorNode>): void {
    this.#lateAnswers.doubt(app, nodes)
    if (app.isPartial) void this.#track(app, this.#reseed(app))
    void this.#readRest(app)
  }

  async #readRest(app: App): Promise<void> {
    const wasUnread = await readRest(app, (node) => this.#reporter.touch(node))
    if (wasUnread) this.tellCompleteness()
  }

  #resync(app: App): Promise<void> {
    this.#resyncing.add(app)
    const done = resync(app, this.#effects(app)).catch(() => {})
    return this.#track(
      app,
      done.finally(() => this.#resyncing.delete(app)),
    )
  }

  #effects(app: App): Effects {
    return {
      touched: (node) => this.touch(node),
      appeared: (parent, path, index) => {
        if (app.appeared.add(parent, path, index)) this.#inTurn(app, app.appeared, () => this.#structure.growAll(app))
      },
      gone: (node) => this.#structure.remove(node),
      stale: (parent) => this.regrow(parent),
      revalued: (node) => this.#values.outdate(node),
      loaded: (page) => this.#lateAnswers.doubt(app, [page]),
      renamed: (node) => this.#askAgain(node, askName),
      stranger: (path) => app.strangers.add(path),
      focusedAt: (path) => void this.#track(app, this.#focusCell(app, path)),
      focused: (node) => {
        // GTK 3 does not tell that the focus left an element for a menu.
        if (this.focus !== undefined && this.focus !== node) this.focus.app.stale.addNode(this.focus)
        this.focus = node
        app.focus = node
        this.focusMoves++
        // … and says that a menu has got it, which denies that when asked, as before every key.
        this.#askAgain(node, loadState)
        if (!app.toolkit.claimsFocus) return
        for (const other of below(topOf(node) ?? node)) if (other !== node && hasState(other, 'focused')) this.#askAgain(other, loadState)
      },
    }
  }

  /** A table's cell has the focus, and no other cell of it; that one may not have said so. */
  async #focusCell(app: App, path: string): Promise<void> {
    const cell = app.nodes.get(path) ?? (await cellOf(app, path).catch(() => undefined))
    if (cell?.parent === undefined || !hasState(cell.parent, 'manages-descendants')) return
    for (const other of cell.parent.children) if (setState(other, 'focused', other === cell)) this.touch(other)
    cell.parent.current = cell
    this.focus = cell
    app.focus = cell
    this.focusMoves++
  }

  /** It is told at any time; what is told last of all is corrected when readers are answered, and when what was under way ends. */
  tellCompleteness(): void {
    const completeness = this.wholeDesk()
    this.#told = shapeOf(completeness)
    // A reader that takes the log in parts must not hear of the end before all of it.
    if (completeness.complete) this.#reporter.tell()
    this.log.add({ type: 'completeness', completeness })
  }

  #inTurn(app: App, subject: Parameters<App['turns']['take']>[0], work: () => Promise<void>): void {
    void this.#track(app, app.turns.take(subject, work))
  }

  #askAgain(node: MirrorNode, ask: (app: App, node: MirrorNode) => Promise<void>): void {
    const asked = ask(node.app, node).catch(() => {})
    void this.#track(
      node.app,
      asked.then(() => this.touch(node)),
    )
  }

  #track(app: App, work: Promise<void>): Promise<void> {
    return this.#underWay.add(app.name, work, () => {
      if (this.#told !== '') this.#noteBehind()
    })
  }
}
