import { type Pixels, isDrawn } from '@deskhand/core/driver'
import { type Completeness, type FlatNode, type Point, type Rect, contains, intersect, union } from '@deskhand/core/model'
import { isSame } from './atspi/change-reporter.ts'
import type { Mirror } from './atspi/mirror.ts'
import type { MirrorNode } from './atspi/node.ts'
import { roleOf } from './atspi/roles.ts'
import { overlap } from './atspi/stale-areas.ts'
import { SQUARE, type Untold, untoldIn } from './coverage.ts'
import type { TopWindow } from './display-server.ts'

/** Smaller ones are icons and ornaments. */
const MIN_SIDE = 64
/** A picture that says that it is one is worth a look only where it is larger. */
const MIN_PICTURE = 200
const MIN_DRAWN = 8
/** Drawn squares that are so near to each other are one thing. */
const GAP = 2
/** How long an application may take to tell what it has drawn. */
const TELLS_MS = 300
/** How soon what is known to be drawn is looked at again. */
const AGAIN_MS = 1000

/** A part of a window that something is drawn in and of which no element tells what. */
export interface UnreadArea {
  key: string
  /** The innermost node around it. */
  host: MirrorNode
  told: FlatNode
}

interface Look {
  /** The squares that were looked at. */
  of: string
  bounds: Rect | undefined
  at: number
  /** Since when it is drawn and not told. */
  since: number
  /** It was drawn anew since. */
  isOld: boolean
}

interface Shown {
  window: TopWindow
  node: MirrorNode
}

/** Finds the unread areas of all windows, looking only at what was drawn anew since the last time. */
export class UnreadAreas {
  readonly #mirror: Mirror
  readonly #grab: (area: Rect) => Promise<Pixels>
  readonly #known = new Map<string, UnreadArea>()
  readonly #looks = new Map<MirrorNode, Look>()
  /** By X window: where it was drawn anew. */
  readonly #damage = new Map<number, Rect[]>()
  readonly #seen = new Map<number, { node: MirrorNode; place: string; tellings: number; hosts: MirrorNode[] }>()

  constructor(mirror: Mirror, grab: (area: Rect) => Promise<Pixels>) {
    this.#mirror = mirror
    this.#grab = grab
  }

  byKey(key: string): UnreadArea | undefined {
    return this.#known.get(key)
  }

  /** The one in a node, at a point. */
  at(host: MirrorNode, point: Point): UnreadArea | undefined {
    const area = this.#known.get(keyOf(host))
    return area?.told.bounds !== undefined && contains(area.told.bounds, point) ? area : undefined
  }

  in(host: MirrorNode): UnreadArea | undefined {
    return this.#known.get(keyOf(host))
  }

  disturb(window: TopWindow, area: Rect): void {
    const areas = this.#damage.get(window.id)
    if (areas === undefined) this.#damage.set(window.id, [area])
    else if (areas.length < MOST_RECTS) areas.push(area)
    else areas.splice(0, areas.length, [...areas, area].reduce(union))
  }

  reasons(): Completeness['reasons'] {
    return [...this.#known.values()].map(({ host, told: { bounds: { x, y, w, h } = NOWHERE } }) => {
      const { id, name } = host.app.identity
      return { kind: 'drawn', app: id, detail: `${name} does not tell what it draws at ${x},${y} of ${w}x${h}` }
    })
  }

  /** Looks where something was drawn. True when readers were told something; `young`: what may yet be told by its application. */
  async refresh(shown: readonly Shown[], above: (window: TopWindow) => readonly Rect[]): Promise<{ changed: boolean; young: boolean }> {
    for (const id of this.#seen.keys()) if (!shown.some((s) => s.window.id === id)) this.#forget(id)
    let young = false
    for (const { window, node } of shown) {
      const place = JSON.stringify([window.bounds, window.isMinimized])
      const before = this.#seen.get(window.id)
      const isNew = before?.node !== node || before.place !== place
      const damage = isNew ? [window.bounds] : (this.#damage.get(window.id) ?? [])
      const waits = before?.hosts.some((h) => this.#isYoung(h) || this.#isDue(h)) === true
      // What is drawn may be told of, and what is told may get its place, long after it was drawn.
      if (damage.length === 0 && !waits && before?.tellings === node.app.tellings) continue
      // What an application has not told yet is not hidden by it.
      if (!node.app.isRead || node.app.hung || node.app.turns.any) continue
      this.#damage.delete(window.id)
      const { tellings } = node.app
      const untold = window.isMinimized ? [] : untoldIn(node, window.bounds).filter(isLarge)
      const over = above(window)
      for (const part of untold) await this.#look(part, damage, over)
      this.#seen.set(window.id, { node, place, tellings, hosts: untold.map((u) => u.host) })
      young ||= untold.some(({ host }) => this.#isYoung(host))
    }
    return { changed: this.#tell(), young }
  }

  async #look(part: Untold, damage: readonly Rect[], over: readonly Rect[]): Promise<void> {
    const { host, view, squares } = part
    const now = performance.now()
    const before = this.#looks.get(host)
    const of = `${squares.length} ${JSON.stringify(squares.reduce(union))} ${JSON.stringify(view)}`
    if (before?.of === of) {
      before.isOld ||= damage.some((d) => overlap(d, view))
      if (!before.isOld || (before.bounds !== undefined && now - before.at < AGAIN_MS)) return
    }
    const bounds = await this.#boundsOf(part, over, before?.bounds)
    const since = before?.bounds === undefined || bounds === undefined ? now : before.since
    this.#looks.set(host, { of, bounds, at: now, since, isOld: false })
  }

  /** Where it is drawn in; undefined where it is not. */
  async #boundsOf({ host, view, squares }: Untold, over: readonly Rect[], before: Rect | undefined): Promise<Rect | undefined> {
    const isLeaf = !host.children.some((c) => c.isShowing)
    // What an application draws itself is a place to look at and to point at, also before it has drawn anything.
    if (isLeaf && roleOf(host.role) === 'canvas') return view
    const visible = squares.filter((s) => !over.some((o) => overlap(o, s)))
    if (visible.length < squares.length / 2) return before
    const pixels = await this.#grab(visible.reduce(union)).catch(() => undefined)
    if (pixels === undefined) return before
    const drawn = visible.filter((s) => isDrawn(pixels, intersect(s, view) ?? s))
    if (isLeaf) return drawn.length >= MIN_DRAWN ? view : undefined
    const side = MIN_SIDE * host.app.scale
    const large = clusters(drawn).filter((c) => c.count >= MIN_DRAWN && c.box.w >= side && c.box.h >= side)
    const [first, ...others] = large.map((c) => c.box)
    return first && intersect(others.reduce(union, first), view)
  }

  #isDue(host: MirrorNode): boolean {
    const look = this.#looks.get(host)
    return look?.isOld === true && performance.now() - look.at >= AGAIN_MS
  }

  #isYoung(host: MirrorNode): boolean {
    const look = this.#looks.get(host)
    return look?.bounds !== undefined && performance.now() - look.since < TELLS_MS
  }

  #tell(): boolean {
    const { log } = this.#mirror
    const hosts = new Set([...this.#seen.values()].flatMap((s) => s.hosts))
    for (const host of this.#looks.keys()) if (!hosts.has(host) || host.told === undefined) this.#looks.delete(host)
    let changed = false
    for (const [key, { host }] of this.#known) {
      if (this.#looks.get(host)?.bounds !== undefined) continue
      this.#known.delete(key)
      log.add({ type: 'gone', key })
      changed = true
    }
    for (const [host, { bounds }] of this.#looks) {
      if (bounds === undefined || this.#isYoung(host)) continue
      const told = flatten(host, bounds)
      if (isSame(this.#known.get(told.key)?.told, told)) continue
      this.#known.set(told.key, { key: told.key, host, told })
      log.add({ type: 'put', node: told })
      changed = true
    }
    return changed
  }

  #forget(id: number): void {
    this.#seen.delete(id)
    this.#damage.delete(id)
  }
}

const MOST_RECTS = 16
const NOWHERE: Rect = { x: 0, y: 0, w: 0, h: 0 }

const keyOf = (host: MirrorNode): string => `a${host.key}`

/** The key of the node that an unread area lies in, whether or not it is still unread. */
export const hostKeyOf = (key: string): string | undefined => (key.startsWith('an') ? key.slice(1) : undefined)

const isLarge = ({ host, squares }: Untold): boolean => {
  const { w, h } = squares.reduce(union)
  const least = (roleOf(host.role) === 'image' ? MIN_PICTURE : MIN_SIDE) * host.app.scale
  return w >= least && h >= least && squares.length >= MIN_DRAWN
}

function flatten(host: MirrorNode, bounds: Rect): FlatNode {
  const { key, app, children } = host
  const states = { enabled: true, visible: true }
  return {
    key: keyOf(host),
    parent: key,
    index: children.length,
    app: app.identity.id,
    role: 'canvas',
    bounds,
    states,
    attributes: { unread: 'area' },
  }
}

/** Squares that lie near each other, together. */
function clusters(squares: readonly Rect[]): { count: number; box: Rect }[] {
  const at = new Map(squares.map((s) => [`${s.x},${s.y}`, s]))
  const found: { count: number; box: Rect }[] = []
  for (const start of squares) {
    if (!at.delete(`${start.x},${start.y}`)) continue
    const queue = [start]
    for (const { x, y } of queue)
      for (let dy = -GAP; dy <= GAP; dy++)
        for (let dx = -GAP; dx <= GAP; dx++) {
          const id = `${x + dx * SQUARE},${y + dy * SQUARE}`
          const near = at.get(id)
          if (near !== undefined && at.delete(id)) queue.push(near)
        }
    found.push({ count: queue.length, box: queue.reduce(union) })
  }
  return found
}
