import type { Shot } from '../driver/driver.ts'
import { passwordAreas } from '../journal/index.ts'
import { center, contains, type AppIdentity, type Rect, type Result, type UiNode } from '../model/index.ts'
import type { LiveTree } from './tree.ts'
import type { Sight } from './view.ts'

type Image = NonNullable<Result['images']>[number]
type Covers = NonNullable<Shot['windows']>
const KEEP = 20
/** So long a new window is hidden that has no tree: it may be on its way. */
const GRACE_MS = 3_000

/** Who looks at a picture, and what they may know of. */
export interface Viewer {
  seen: Sight
  visible(app: AppIdentity): boolean
}

/** Screenshots that were handed out, so that a point in one can be mapped back; and what must not be seen in them. */
export class Pictures {
  readonly #given = new Map<string, Pick<Image, 'origin' | 'scale' | 'width' | 'height'>>()
  readonly #treeless: 'mask' | 'show'
  /** When each window without a tree was first seen. */
  #bare = new Map<string, number>()
  /** Applications whose whole tree was known once, and those that ever showed a password field. */
  readonly #whole = new Set<string>()
  readonly #secretive = new Set<string>()

  constructor(treeless: 'mask' | 'show') {
    this.#treeless = treeless
  }

  put({ id, origin, scale, width, height }: Image): void {
    this.#given.set(id, { origin, scale, width, height })
    const [oldest] = this.#given.keys()
    if (this.#given.size > KEEP && oldest !== undefined) this.#given.delete(oldest)
  }

  get(id: string): Pick<Image, 'origin' | 'scale' | 'width' | 'height'> | undefined {
    return this.#given.get(id)
  }

  /** Whether a window is there of whose application nobody ever knew the whole tree, or any of it. */
  strangers(tree: LiveTree, covers: Covers = []): boolean {
    // The process that an application tells on its bus need not be the one that made its window.
    const isKnown = ({ app, rect }: Covers[number]): boolean =>
      tree.roots.some((r) => r.app.pid === app.pid || (r.bounds !== undefined && contains(rect, center(r.bounds))))
    return tree.roots.some((r) => !this.#whole.has(r.app.id)) || !covers.every(isKnown)
  }

  /** Where password fields lie or may lie, and the windows, menus and documents that the viewer may not know of. */
  hiddenAreas(tree: LiveTree, { seen, visible }: Viewer, covers: Covers = [], settled = true): Rect[] {
    const { rects: areas, unplaced } = passwordAreas(tree.passwords)
    // A password field that nobody can place may be anywhere.
    if (unplaced > 0) return [EVERYWHERE]
    const hide = (place: UiNode): void => {
      const { bounds } = place
      if (bounds === undefined) return
      areas.push(bounds)
      // Its title stands in the frame around it.
      if (place.parent === undefined)
        for (const { app, rect } of covers) if (app.pid === place.app.pid && contains(rect, center(bounds))) areas.push(rect)
    }
    for (const place of tree.places) if (seen.see(place.key) === undefined) hide(place)
    for (const cover of covers) if (!visible(cover.app) || (!settled && isNews(cover, tree))) areas.push(cover.rect)
    for (const window of this.#unsure(tree, settled)) hide(window)
    return areas
  }

  /** Windows that may hold a password field which their tree does not tell of, as it is incomplete or not up to date. */
  #unsure(tree: LiveTree, settled: boolean): UiNode[] {
    const incomplete = new Set(tree.completeness.reasons.flatMap((r) => r.app ?? []))
    for (const { app } of tree.passwords) this.#secretive.add(app.id)
    const bare = new Map<string, number>()
    const unsure = tree.roots.filter((window) => {
      const { app } = window
      if (!incomplete.has(app.id) && settled) {
        this.#whole.add(app.id)
        return false
      }
      if (!incomplete.has(app.id) || window.children.length > 0) return this.#secretive.has(app.id) || !this.#whole.has(app.id)
      const since = this.#bare.get(window.key) ?? performance.now()
      bare.set(window.key, since)
      const hasTrees = tree.apps.some((a) => a.pid === app.pid && a.id !== app.id)
      return this.#treeless === 'mask' || hasTrees || performance.now() - since < GRACE_MS
    })
    this.#bare = bare
    return unsure
  }
}

/** A window of which the tree does not know yet. */
const isNews = ({ app, rect }: Covers[number], tree: LiveTree): boolean =>
  !tree.roots.some((r) => r.app.pid === app.pid && r.bounds !== undefined && contains(rect, center(r.bounds)))

const EVERYWHERE: Rect = { x: -1e6, y: -1e6, w: 2e6, h: 2e6 }
