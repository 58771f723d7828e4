import { DeskhandError } from '@deskhand/core/errors'
import { type AppIdentity, type Completeness, type FlatNode, type Point, type Rect, contains } from '@deskhand/core/model'
import { type App, identify } from './atspi/app.ts'
import { locate } from './atspi/details.ts'
import { overlap } from './atspi/stale-areas.ts'
import type { Mirror } from './atspi/mirror.ts'
import { type MirrorNode, topOf } from './atspi/node.ts'
import { isSame } from './atspi/change-reporter.ts'
import { hasState } from './atspi/states.ts'
import { deepestAt, inMenus, isPartOf, layersAt, popupAt } from './hit.ts'
import { PageHits, pageOf } from './page-hit.ts'
import { Pairing, placePopovers } from './pairing.ts'
import type { TopWindow, Windows } from './x11/windows.ts'

/** A window whose application offers no tree: all that is known of it is what the window manager knows. */
export interface BareWindow {
  key: string
  window: TopWindow
  app: AppIdentity
  told: FlatNode
}

/** The trees of the applications and the windows they are in, brought together. */
export class LinuxDesktop {
  readonly mirror: Mirror
  /** None under Wayland. */
  readonly windows: Windows | undefined
  top: readonly TopWindow[] = []
  readonly #bare = new Map<string, BareWindow>()
  readonly #pages = new PageHits()
  readonly #pairing = new Pairing()
  #frames = new Map<number, MirrorNode>()
  #drawn = 0
  #restacked = true
  #windowMoves = 0
  #pairedFor = ''
  #refreshing: Promise<void> | undefined

  constructor(mirror: Mirror, windows: Windows | undefined) {
    this.mirror = mirror
    this.windows = windows
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
  }

  /** Something was drawn: what lies there may have moved without its application saying so. */
  disturb(area: Rect): void {
    this.#drawn++
    for (const { window, node } of this.#paired()) if (overlap(window.outer, area)) node.app.stale.addArea(area)
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
    return [...this.#bare.values()]
  }

  bareWindow(key: string): BareWindow | undefined {
    return this.#bare.get(key)
  }

  identities(): AppIdentity[] {
    return [...this.mirror.identities, ...new Map([...this.#bare.values()].map((b) => [b.app.id, b.app])).values()]
  }

  completeness(): Completeness {
    const { reasons } = this.mirror.completeness()
    const all = [...reasons]
    for (const { app } of this.#bare.values())
      all.push({ kind: 'degraded', app: app.id, detail: `${app.name} offers no accessibility tree` })
    return { complete: all.length === 0, reasons: all }
  }

  /** The X window that a node lies in. */
  windowOf(key: string): TopWindow | undefined {
    const bare = this.#bare.get(key)
    if (bare !== undefined) return bare.window
    const top = topOf(this.mirror.node(key))
    return this.#paired().find((p) => p.node === top)?.window
  }

  /** The key of the window that has the keyboard. */
  async activeKey(): Promise<string | undefined> {
    const id = await this.windows?.active()
    if (id === undefined) return undefined
    if (!this.#frames.has(id) && !this.#bare.has(bareKey(id))) await this.settle()
    return this.#frames.get(id)?.key ?? this.#bare.get(bareKey(id))?.key
  }

  async hit(at: Point): Promise<{ window?: string; node?: string }> {
    const { windows } = this
    if (windows === undefined) throw new DeskhandError('NOT_CAPABLE', 'without X no server tells which window lies at a point')
    // A window tells of points beyond the edge, too; the pointer would stop at the edge, over something else.
    if (!windows.reaches(at)) return {}
    const [chain] = await Promise.all([windows.chainAt(at, (id) => this.#isManaged(id)), this.settle()])
    const outermost = chain[0]
    if (outermost === undefined) return {}
    // The X server has told by now of all that was drawn before it was asked.
    await this.settle()
    const managed = this.top.find((w) => chain.includes(w.id))
    if (managed !== undefined) return this.#hitIn(managed, at)
    const pid = await windows.pidOf(outermost)
    for (const app of pid === undefined ? [] : this.mirror.ofPid(pid)) {
      const node = popupAt(app, at)
      if (node !== undefined) return { window: topOf(node)?.key, node: node.key }
    }
    const framed = [...this.top].reverse().find((w) => !w.isMinimized && contains(w.outer, at))
    const key = framed === undefined ? undefined : (this.#frames.get(framed.id)?.key ?? this.#bare.get(bareKey(framed.id))?.key)
    return key === undefined ? {} : { window: key, node: key }
  }

  #isManaged(id: number): boolean {
    return this.top.some((w) => w.id === id)
  }

  async #hitIn(window: TopWindow, at: Point): Promise<{ window?: string; node?: string }> {
    const bare = this.#bare.get(bareKey(window.id))
    if (bare !== undefined) return { window: bare.key, node: bare.key }
    const frame = this.#frames.get(window.id)
    if (frame === undefined) return {}
    const over = frame.app.toolkit.drawsListsInside ? inMenus(frame, at) : undefined
    const found = over ?? deepestAt(frame, at) ?? frame
    const page = frame.app.toolkit.tellsHits ? pageOf(found) : undefined
    if (page === undefined) return { window: frame.key, node: found.key }
    const told = await this.#pages.at(page, at, this.#drawn, layersAt(page, at) > 1)
    return { window: frame.key, node: (told === undefined || isPartOf(found, told) ? found : told).key }
  }

  #paired(): { window: TopWindow; node: MirrorNode }[] {
    return this.top.flatMap((window) => {
      const node = this.#frames.get(window.id)
      return node === undefined ? [] : [{ window, node }]
    })
  }

  #refresh(): Promise<void> {
    if (!this.#restacked && this.#shownWindows() === this.#pairedFor) return Promise.resolve()
    this.#refreshing ??= this.#restack().finally(() => (this.#refreshing = undefined))
    return this.#refreshing
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
    this.top = await this.windows.list()
    this.#pairedFor = this.#shownWindows()
    this.#frames = this.#pairing.pair(this.top, [...this.mirror.apps.values()])
    const managed = new Map(this.#paired().map(({ window, node }) => [node, window]))
    for (const app of this.mirror.apps.values()) {
      for (const node of app.windows) {
        const window = managed.get(node)
        const before = [node.isManaged, node.place]
        const wasAway = node.stacked?.minimized === true
        node.isManaged = window !== undefined
        node.active = window?.isActive ?? false
        node.title = window?.title
        node.handle = window && handleOf(window)
        node.stacked = window && stackedOf(window)
        node.place = window === undefined || window.isMinimized ? undefined : window.bounds
        if (app.toolkit.isRelative || !isSame(before, [node.isManaged, node.place])) app.stale.addAll()
        if ((window?.isMinimized === true) === wasAway) this.mirror.touch(node)
        else this.mirror.touchAll(node)
      }
    }
    const relative = [...this.mirror.apps.values()].filter((a) => a.toolkit.isRelative)
    const popups = relative.length === 0 ? [] : await this.windows.popups()
    for (const app of relative) {
      placePopovers(app, popups)
      this.#relocate(app)
    }
    this.#tellBare()
  }

  #relocate(app: App): void {
    for (const node of app.nodes.values()) {
      const before = node.bounds
      locate(node)
      if (!isSame(before, node.bounds)) this.mirror.touch(node)
    }
  }

  #tellBare(): void {
    const { log } = this.mirror
    const loose = this.top.filter((w) => !this.#frames.has(w.id))
    let changed = false
    for (const [key, { window }] of this.#bare) {
      if (loose.some((w) => w.id === window.id)) continue
      this.#bare.delete(key)
      log.add({ type: 'gone', key })
      changed = true
    }
    for (const window of loose) {
      const key = bareKey(window.id)
      const app = identify(`pid${window.pid ?? 0}`, window.pid, '', undefined)
      const told = flattenBare(key, window, app.id)
      const known = this.#bare.get(key)
      this.#bare.set(key, { key, window, app, told })
      if (known === undefined) {
        log.add({ type: 'app', app })
        // An application that has a tree may not have got round to telling of this window.
        for (const owner of this.mirror.ofPid(window.pid ?? -1)) owner.retry(true)
      }
      if (isSame(known?.told, told)) continue
      log.add({ type: 'put', node: told })
      changed = true
    }
    if (!changed) return
    log.add({ type: 'completeness', completeness: this.completeness() })
  }
}

const bareKey = (id: number): string => `w${id.toString(36)}`

function flattenBare(key: string, window: TopWindow, app: string): FlatNode {
  const states = { enabled: true, visible: !window.isMinimized, active: window.isActive, focused: window.isActive, focusable: true }
  const { title: name, bounds, z: index } = window
  return {
    key,
    index,
    app,
    role: 'window',
    name,
    bounds,
    states,
    platformIds: { windowHandle: handleOf(window) },
    attributes: stackedOf(window),
  }
}

/** As xwininfo and xdotool write it. */
const handleOf = (window: TopWindow): string => `0x${window.id.toString(16)}`

const stackedOf = ({ z, isMinimized, isMaximized }: TopWindow): NonNullable<MirrorNode['stacked']> => ({
  z,
  minimized: isMinimized,
  maximized: isMaximized,
})
