import type { WindowOwner } from '../../driver/driver.ts'
import { passwordAreas } from '../../redaction/index.ts'
import { center, contains, type AppIdentity, type Rect, type UiNode } from '../../model/index.ts'
import type { LiveTree } from '../see/live-tree.ts'
import type { Sight } from '../see/see.ts'

/** So long a new window is hidden that has no tree: it may be on its way. */
const GRACE_MS = 3_000

/** What the viewer of a picture may know of. */
export interface Viewer {
  seen: Sight
  /** Whether pictures may show this window, page or application. */
  pictured(place: UiNode | AppIdentity): boolean
}

/** What must not be seen in pictures. */
export class HiddenAreas {
  readonly #treeless: 'mask' | 'show'
  /** When each window without a tree was first seen. */
  #bare = new Map<string, number>()
  /** Applications whose whole tree was known once, and those that ever showed a password field. */
  readonly #whole = new Set<string>()
  readonly #secretive = new Set<string>()

  constructor(treeless: 'mask' | 'show') {
    this.#treeless = treeless
  }

  /** Whether a window is there whose application never told its whole tree. */
  hasStrangers(tree: LiveTree, owners: WindowOwner[] = []): boolean {
    // The process that an application tells on its bus need not be the one that made its window.
    const isKnown = ({ app, rect }: WindowOwner): boolean =>
      tree.roots.some((r) => r.app.pid === app.pid || (r.bounds !== undefined && contains(rect, center(r.bounds))))
    return tree.roots.some((r) => !this.#whole.has(r.app.id)) || !owners.every(isKnown)
  }

  /** Where password fields lie or may lie, and the windows, menus and documents that the viewer may not know of. */
  of(tree: LiveTree, { seen, pictured }: Viewer, owners: WindowOwner[] = [], settled = true): Rect[] {
    const { rects: areas, unplaced } = passwordAreas(tree.passwords)
    // A password field that does not tell its place may be anywhere.
    if (unplaced > 0) return [EVERYWHERE]
    const hide = (place: UiNode): void => {
      const { bounds } = place
      if (bounds === undefined) return
      areas.push(bounds)
      // Its title stands in the frame around it.
      if (place.parent === undefined)
        for (const { app, rect } of owners) if (app.pid === place.app.pid && contains(rect, center(bounds))) areas.push(rect)
    }
    for (const place of tree.places) if (seen.see(place.key) === undefined || !pictured(place)) hide(place)
    for (const owner of owners) if (!pictured(owner.app) || (!settled && isNews(owner, tree))) areas.push(owner.rect)
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
const isNews = ({ app, rect }: WindowOwner, tree: LiveTree): boolean =>
  !tree.roots.some((r) => r.app.pid === app.pid && r.bounds !== undefined && contains(rect, center(r.bounds)))

const EVERYWHERE: Rect = { x: -1e6, y: -1e6, w: 2e6, h: 2e6 }
