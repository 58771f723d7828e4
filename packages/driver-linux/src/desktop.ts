import { setTimeout as sleep } from 'node:timers/promises'
import { DeskhandError } from '@deskhand/core/errors'
import { type AppIdentity, type Completeness, type Point, type Rect, contains } from '@deskhand/core/model'
import type { App } from './atspi/app.ts'
import { locate } from './atspi/details.ts'
import { overlap } from './atspi/stale-areas.ts'
import { originIn } from './atspi/local.ts'
import type { Mirror } from './atspi/mirror.ts'
import { type MirrorNode, topOf } from './atspi/node.ts'
import { isSame } from './atspi/change-reporter.ts'
import { ScreenParts } from './screen-parts.ts'
import { type BareWindow, BareWindows, handleOf, stackedOf } from './bare-windows.ts'
import { hasState } from './atspi/states.ts'
import { deepestAt, inMenus, isPartOf, layersAt, popupAt } from './hit.ts'
import { PageHits, pageOf } from './page-hit.ts'
import { Pairing, placePopovers } from './pairing.ts'
import { isBacked, unreadPopups } from './unread.ts'
import { type UnreadArea, UnreadAreas, hostKeyOf } from './unread-areas.ts'
import { scaleBy } from './scale.ts'
import type { DisplayServer, Popup, TopWindow, Windows } from './display-server.ts'

/** How long an application may take to tell of a popup before that counts as unread. */
const POPUP_MS = 300
/** … and to tell of what it has drawn in a window. */
const AREA_MS = 400
const LOOK_MS = 20
/** How old what is known of covered places may be, and the share of the time that looking at them may take at most. */
const COVERED_MS = 1000
const COVERED_SHARE = 0.1
/** GTK 3 on Wayland takes a click in a menu that opened more recently for a part of the one that opened it. */
const MENU_MS = 550

interface Hit {
  window?: string
  node?: string
  chain: readonly number[]
}

/** The trees of the applications and the windows they are in, brought together. */
export class LinuxDesktop {
  readonly mirror: Mirror
  /** None where the display server does not tell of them. */
  readonly windows: Windows | undefined
  top: readonly TopWindow[] = []
  /** Whether we hold a button down. */
  isDragging: () => boolean = () => false
  /** When we last pressed a button. */
  pressedAt: () => number = () => -Infinity
  readonly #bare: BareWindows
  /** None where there are no pixels to look at. */
  readonly #areas: UnreadAreas | undefined
  readonly #pages = new PageHits()
  readonly #pairing = new Pairing()
  readonly #screens: ScreenParts
  #popups: readonly Popup[] = []
  /** Since when popups are known. */
  readonly #popupsSince = new Map<number, number>()
  #frames = new Map<number, MirrorNode>()
  #drawn = 0
  /** When covered places are to be looked at again. */
  #coveredAt = 0
  #restacked = true
  #windowMoves = 0
  #pairedFor = ''
  #refreshing: Promise<void> | undefined

  constructor(mirror: Mirror, server: Pick<DisplayServer, 'windows' | 'grab' | 'screens'>) {
    const { windows, grab } = server
    this.mirror = mirror
    this.windows = windows
    this.#bare = new BareWindows(mirror)
    this.#screens = new ScreenParts(() => server.screens())
    this.#areas = grab && new UnreadAreas(mirror, grab)
    mirror.wholeDesk = () => this.completeness()
    if (windows === undefined) return
    windows.onChange = (what) => {
      this.#restacked = true
      if (what === 'place') this.#windowMoves++
      if (this.mirror.log.isAwaited) void this.settle()
    }
  }

  /** Everything that happened before this call is known and told when it returns. */
  async settle(deadlineMs?: number): Promise<void> {
    await Promise.all([this.mirror.settle(deadlineMs), this.#refresh()])
    await this.mirror.settle(deadlineMs)
    // What was read just now may be a window that is yet to be found on the screen.
    await this.#refresh()
    if (this.#popups.length > 0) await this.#accountForPopups(deadlineMs)
  }

  /** The same, and what is drawn without being told of is known, too. */
  async settleDrawn(deadlineMs = AREA_MS): Promise<void> {
    await this.#settleCovered(deadlineMs)
    if (this.#areas === undefined) return
    const end = performance.now() + Math.min(deadlineMs, AREA_MS)
    for (;;) {
      const { changed, young } = await this.#areas.refresh(this.#paired(), (window) => this.#over(window))
      if (changed) this.mirror.tellCompleteness()
      if (!young || performance.now() >= end) return
      await sleep(LOOK_MS)
      await this.settle(deadlineMs)
    }
  }

  /** Settles, and now and then looks at what lies under other windows: it changes without a word, and is not drawn. */
  async #settleCovered(deadlineMs: number): Promise<void> {
    const started = performance.now()
    if (started < this.#coveredAt) return this.settle(deadlineMs)
    for (const { window, node } of this.#paired())
      for (const area of this.#over(window)) if (overlap(area, window.outer)) node.app.stale.addCovered(node, area)
    await this.settle(deadlineMs)
    const now = performance.now()
    this.#coveredAt = now + Math.max(COVERED_MS, (now - started) / COVERED_SHARE)
  }

  /** What lies over a window. */
  #over(window: TopWindow): Rect[] {
    return [...this.top.filter((w) => w.z > window.z && !w.isMinimized).map((w) => w.outer), ...this.#popups.map((p) => p.bounds)]
  }

  /** A screen came, went or has another size. */
  rearrange(): void {
    this.#screens.forget()
    this.#restacked = true
  }

  /** The unread area with this key, or in this node. */
  unreadArea(of: string | MirrorNode): UnreadArea | undefined {
    return typeof of === 'string' ? this.#areas?.byKey(of) : this.#areas?.in(of)
  }

  /** The node with this key, or around the unread area with it. */
  nodeAround(key: string): MirrorNode | undefined {
    return this.mirror.node(hostKeyOf(key) ?? key)
  }

  /** Something was drawn: what lies there may have moved without its application saying so. */
  disturb(area: Rect): void {
    this.#drawn++
    for (const { window, node } of this.#paired()) {
      if (!overlap(window.outer, area)) continue
      node.app.stale.addArea(area, node.app.toolkit.passesKeysOn)
      this.#areas?.disturb(window, area)
    }
    // Menus and tooltips are windows that the window manager does not manage; they belong to the application with the focus.
    const active = this.top.find((w) => w.isActive)
    const node = active === undefined ? undefined : this.#frames.get(active.id)
    node?.app.stale.addArea(area)
  }

  /** Grows whenever the keyboard may have gone elsewhere. */
  get moves(): number {
    return this.mirror.focusMoves + this.#windowMoves
  }

  nodes(): readonly BareWindow[] {
    return this.#bare.all
  }

  bareWindow(key: string): BareWindow | undefined {
    return this.#bare.byKey(key)
  }

  identities(): AppIdentity[] {
    return [...this.mirror.identities, ...new Map(this.#bare.all.map((b) => [b.app.id, b.app])).values()]
  }

  completeness(): Completeness {
    const reasons = [...this.mirror.completeness().reasons, ...this.#bare.reasons(), ...(this.#areas?.reasons() ?? [])]
    return { complete: reasons.length === 0, reasons }
  }

  /** The X window that a node lies in. */
  windowOf(key: string): TopWindow | undefined {
    const bare = this.#bare.byKey(key)
    if (bare !== undefined) return bare.window
    const top = topOf(this.nodeAround(key))
    return this.#paired().find((p) => p.node === top)?.window
  }

  /** The key of the window that has the keyboard. */
  async activeKey(): Promise<string | undefined> {
    const id = await this.windows?.active()
    if (id === undefined) return undefined
    if (!this.#frames.has(id) && this.#bare.byId(id) === undefined) await this.settle()
    return this.#frames.get(id)?.key ?? this.#bare.byId(id)?.key
  }

  /** What lies at a point, and the X windows that it was found through, outermost first. */
  async hit(at: Point): Promise<Hit> {
    const { windows } = this
    if (windows === undefined) throw new DeskhandError('NOT_CAPABLE', 'the display server does not tell which window lies at a point')
    // A window tells of points beyond the edge, too; the pointer would stop at the edge, over something else.
    if (!windows.reaches(at)) return { chain: [] }
    const [chain] = await Promise.all([windows.chainAt(at, (id) => this.#isManaged(id)), this.settle()])
    const outermost = chain[0]
    if (outermost === undefined) return { chain }
    // The X server has told by now of all that was drawn before it was asked.
    await this.settle()
    const menu = windows.tellsPopups ? undefined : this.#menuAt(at)
    if (menu !== undefined) return { window: topOf(menu)?.key, node: menu.key, chain }
    const isPicture = this.isDragging() && this.#popups.some((p) => p.id === outermost && p.isDragged)
    const managed = isPicture ? this.#below(at) : this.top.find((w) => chain.includes(w.id))
    if (managed !== undefined) return { ...(await this.#hitIn(managed, at)), chain }
    const pid = await windows.pidOf(outermost)
    const inPopup = this.#popupAt(pid, at)
    if (inPopup !== undefined) return { window: topOf(inPopup)?.key, node: inPopup.key, chain }
    const popup = this.#bare.byId(outermost)
    if (popup !== undefined) return { window: popup.key, node: popup.key, chain }
    const framed = this.#below(at)
    const key = framed === undefined ? undefined : (this.#frames.get(framed.id)?.key ?? this.#bare.byId(framed.id)?.key)
    return key === undefined ? { chain } : { window: key, node: key, chain }
  }

  /** Returns when a click at this point would be taken as one of its own. */
  async ready(at: Point): Promise<void> {
    if (this.windows?.tellsPopups === false && this.#menuAt(at) !== undefined)
      await sleep(Math.max(0, this.pressedAt() + MENU_MS - performance.now()))
  }

  /** What lies at a point of an open menu or list of the application with the keyboard, which alone can have one open. */
  #menuAt(at: Point): MirrorNode | undefined {
    return this.#popupAt(this.top.find((w) => w.isActive)?.pid, at)
  }

  #popupAt(pid: number | undefined, at: Point): MirrorNode | undefined {
    for (const app of pid === undefined ? [] : this.mirror.ofPid(pid)) {
      const node = popupAt(app, at)
      if (node !== undefined) return node
    }
    return undefined
  }

  /** The managed window at a point, below the picture of what is dragged there. */
  #below(at: Point): TopWindow | undefined {
    return this.top.findLast((w) => !w.isMinimized && contains(w.outer, at))
  }

  #isManaged(id: number): boolean {
    return this.top.some((w) => w.id === id)
  }

  async #hitIn(window: TopWindow, at: Point): Promise<{ window?: string; node?: string }> {
    const bare = this.#bare.byId(window.id)
    if (bare !== undefined) return { window: bare.key, node: bare.key }
    const frame = this.#frames.get(window.id)
    if (frame === undefined) return {}
    const over = frame.app.toolkit.drawsListsInside ? inMenus(frame, at) : undefined
    const found = over ?? deepestAt(frame, at) ?? frame
    const page = frame.app.toolkit.tellsHits ? pageOf(found) : undefined
    const told = page && (await this.#pages.at(page, at, this.#drawn, layersAt(page, at) > 1))
    const node = told === undefined || isPartOf(found, told) ? found : told
    return { window: frame.key, node: (this.#areas?.at(node, at) ?? node).key }
  }

  #paired(): { window: TopWindow; node: MirrorNode }[] {
    return this.top.flatMap((window) => {
      const node = this.#frames.get(window.id)
      return node === undefined ? [] : [{ window, node }]
    })
  }

  async #refresh(): Promise<void> {
    if (this.windows?.look !== undefined) await this.windows.look()
    if (!this.#restacked && this.#shownWindows() === this.#pairedFor) return
    this.#refreshing ??= this.#restack().finally(() => (this.#refreshing = undefined))
    await this.#refreshing
  }

  /** Which windows the applications show, to see whether they have to be paired anew. */
  #shownWindows(): string {
    const keys: string[] = []
    for (const app of this.mirror.apps.values()) {
      for (const w of app.windows) {
        const shown = w.isShowing && (w.bounds ?? w.area) !== undefined ? '+' : '-'
        keys.push(`${w.key}${shown}${hasState(w, 'active') ? '*' : ''}${w.name}`)
      }
      if (app.toolkit.isRelative)
        for (const n of app.nodes.values())
          if (n.isPopover && n.isShowing && n.area !== undefined) keys.push(`${n.key}${n.area.w}x${n.area.h}`)
    }
    return keys.join()
  }

  async #restack(): Promise<void> {
    if (this.windows === undefined) return
    this.#restacked = false
    await this.#screens.refresh()
    this.top = await this.windows.list()
    this.#pairedFor = this.#shownWindows()
    this.#frames = this.#pairing.pair(this.top, [...this.mirror.apps.values()])
    const managed = new Map(this.#paired().map(({ window, node }) => [node, window]))
    for (const app of this.mirror.apps.values()) {
      for (const node of app.windows) {
        const window = managed.get(node)
        // Qt sends no event for the states that change when a window gets the keyboard.
        const before = [node.isManaged, node.place, app.toolkit.silent === 'all' && node.active]
        const wasAway = node.stacked?.minimized === true
        const cutBefore = node.onScreens
        node.isManaged = window !== undefined
        node.active = window?.isActive ?? false
        node.title = window?.title
        node.handle = window && handleOf(window)
        node.stacked = window && stackedOf(window)
        node.place = window === undefined || window.isMinimized ? undefined : window.bounds
        node.onScreens = node.place && this.#screens.of(node.place)
        node.origin = app.isLocal && node.place !== undefined ? originIn(node, node.place) : undefined
        const scale = window && !app.isLocal ? scaleBy(node, window) : undefined
        if (scale !== undefined && scale !== app.scale) {
          app.scale = scale
          app.stale.addAll()
        }
        if (app.toolkit.isRelative || !isSame(before, [node.isManaged, node.place, app.toolkit.silent === 'all' && node.active]))
          app.stale.addMoved()
        if ((window?.isMinimized === true) === wasAway && isSame(cutBefore, node.onScreens)) this.mirror.touch(node)
        else this.mirror.touchAll(node)
      }
    }
    const frames = new Set(this.top.map((w) => w.frame))
    this.#popups = (await this.windows.popups()).filter((p) => !frames.has(p.id))
    for (const app of this.mirror.apps.values()) {
      this.#back(app)
      if (app.toolkit.isRelative) placePopovers(app, this.#popups)
      if (app.toolkit.isRelative || app.isLocal) this.#relocate(app)
    }
    const now = new Set(this.#popups.map((p) => p.id))
    for (const id of this.#popupsSince.keys()) if (!now.has(id)) this.#popupsSince.delete(id)
    for (const id of now) if (!this.#popupsSince.has(id)) this.#popupsSince.set(id, performance.now())
    this.#tellBare()
  }

  /** Chromium says of windows that it keeps for later that they show. */
  #back(app: App): void {
    for (const node of app.windows) {
      const backed = node.isManaged || app.toolkit.isRelative || this.windows?.tellsPopups === false || isBacked(node, this.#popups)
      if (backed === node.isBacked) continue
      node.isBacked = backed
      this.mirror.touchAll(node)
    }
  }

  /** An application tells of a menu a little after the X server; one that does not is told as unread. */
  async #accountForPopups(deadlineMs = POPUP_MS): Promise<void> {
    const end = performance.now() + deadlineMs
    const isYoung = ({ id }: Popup): boolean => performance.now() - (this.#popupsSince.get(id) ?? 0) < POPUP_MS
    while (performance.now() < end && this.#unread().some(isYoung)) {
      await sleep(LOOK_MS)
      await Promise.all([this.mirror.settle(end - performance.now()), this.#refresh()])
    }
    this.#tellBare()
  }

  #unread(): Popup[] {
    return unreadPopups(this.#popups, (pid) => this.mirror.ofPid(pid))
  }

  /** The process that a node or a window without a tree belongs to. */
  ownerOf(key: string): number | undefined {
    return this.nodeAround(key)?.app.identity.pid ?? this.#bare.byKey(key)?.window.pid
  }

  /** Whether a node lies in a popup of the application whose window has the keyboard; then the keyboard is the popup's. */
  isPopupOf(key: string, active: string): boolean {
    const owner = this.ownerOf(active)
    const bare = this.#bare.byKey(key)
    if (bare !== undefined) return bare.kind === 'popup' && bare.window.pid === owner
    const top = topOf(this.nodeAround(key))
    return top !== undefined && !top.isManaged && top.app.identity.pid === owner
  }

  #relocate(app: App): void {
    for (const node of app.nodes.values()) {
      const before = node.bounds
      locate(node)
      if (!isSame(before, node.bounds)) this.mirror.touch(node)
    }
  }

  #tellBare(): void {
    const loose = this.top.filter((w) => !this.#frames.has(w.id))
    if (this.#bare.tell(loose, this.#unread())) this.mirror.tellCompleteness()
  }
}
