import type { WindowOwner } from '../../driver/driver.ts'
import { passwordAreas } from '../../redaction/index.ts'
import { center, contains, type AppIdentity, type Principal, type Rect, type UiNode } from '../../model/index.ts'
import type { LiveTree } from '../see/live-tree.ts'
import type { Sight } from '../see/see.ts'
import { unreadKind } from '../see/unread.ts'
import type { HiddenArea, Why } from './hidden-area.ts'
import type { PasswordPlaces } from './password-places.ts'

/** So long a new window is hidden that has no tree but may get one. */
const GRACE_MS = 3_000

/** What the viewer of a picture may know of. */
export interface Viewer {
  seen: Sight
  /** Whether pictures may show this window, page or application. */
  pictured(place: UiNode | AppIdentity): boolean
  /** The window of which a person allowed a picture. */
  agreed?: UiNode
}

/** What must not be seen in pictures. */
export class HiddenAreas {
  readonly #treeless: 'mask' | 'show'
  /** When each window without a tree, and each that hangs, was first seen so. */
  #bare = new Map<string, number>()
  /** Applications whose whole tree was known once, and those that ever showed a password field. */
  readonly #whole = new Set<string>()
  readonly #secretive = new Set<string>()

  /** Where password fields are, beside what the tree tells. */
  readonly passwords: PasswordPlaces
  /** Where elements say, or pixels show, what looks private. */
  readonly privately: (who: Principal) => Promise<HiddenArea[]>

  constructor(treeless: 'mask' | 'show', passwords: PasswordPlaces, privately: HiddenAreas['privately'] = async () => []) {
    this.#treeless = treeless
    this.passwords = passwords
    this.privately = privately
  }

  /** Whether a window would be black only because what it shows is not told yet: one of an application that never told its whole tree, and a new one. */
  hasStrangers(tree: LiveTree, owners: WindowOwner[] = []): boolean {
    return tree.roots.some((r) => !this.#whole.has(r.app.id) || this.#secretive.has(r.app.id)) || !owners.every((o) => isKnown(o, tree))
  }

  /** Where password fields lie or may lie, and the windows, menus and documents that the viewer may not know of. */
  of(tree: LiveTree, { seen, pictured, agreed }: Viewer, owners: WindowOwner[] = [], settled = true): HiddenArea[] {
    const { rects, unplaced } = passwordAreas(tree.passwords)
    // A password field that does not tell its place may be anywhere.
    if (unplaced > 0) return [{ rect: EVERYWHERE, why: 'password' }]
    const areas: HiddenArea[] = rects.map((rect) => ({ rect, why: 'password' }))
    const hide = (place: UiNode, why: Why): void => {
      const { bounds, app } = place
      if (bounds === undefined) return
      areas.push({ rect: bounds, why, app })
      // Its title stands in the frame around it.
      if (place.parent === undefined)
        for (const owner of owners)
          if (owner.app.pid === app.pid && contains(owner.rect, center(bounds))) areas.push({ rect: owner.rect, why, app })
    }
    for (const place of tree.places)
      if (seen.see(place.key) === undefined || !(isIn(place, agreed) || pictured(place))) hide(place, 'hidden')
    for (const { app, rect } of owners) {
      if (!pictured(app) && !isFrameOf(rect, agreed)) areas.push({ rect, why: 'hidden', app })
      else if (!settled && isNews({ app, rect }, tree)) areas.push({ rect, why: 'unread', app })
    }
    for (const [window, why] of this.#unsure(tree, settled)) hide(window, why)
    return areas
  }

  /** Windows that may hold a password field which their tree does not tell of, as it is incomplete or not up to date. */
  #unsure(tree: LiveTree, settled: boolean): [UiNode, Why][] {
    const kinds = kindsOf(tree)
    for (const { app } of tree.passwords) this.#secretive.add(app.id)
    const bare = new Map<string, number>()
    const unsure = tree.roots.flatMap((window): [UiNode, Why][] => {
      const { app } = window
      const reasons = kinds.get(app.id)
      if (isMenu(window) && !this.#secretive.has(app.id) && reasons === undefined) return []
      if (reasons === undefined && settled) {
        this.#whole.add(app.id)
        return []
      }
      const isHung = reasons?.has('hung') === true
      // What a hung application showed when it was last read whole is what it shows.
      if (isHung && reasons?.size === 1) this.#whole.add(app.id)
      if (this.#secretive.has(app.id)) return [[window, isHung ? 'hung' : 'unread']]
      if (this.#whole.has(app.id) && window.children.length > 0) return []
      const isTreeless = reasons !== undefined && (isHung || window.children.length === 0)
      if (!isTreeless) return this.#whole.has(app.id) ? [] : [[window, 'unread']]
      const since = this.#bare.get(window.key) ?? performance.now()
      bare.set(window.key, since)
      if (this.#treeless === 'mask') return [[window, isHung ? 'hung' : 'treeless']]
      const hasTrees = !isHung && tree.apps.some((a) => a.pid === app.pid && a.id !== app.id)
      const mayGetTree = window.attributes?.treeless !== true && performance.now() - since < GRACE_MS
      return hasTrees || mayGetTree ? [[window, isHung ? 'hung' : 'unread']] : []
    })
    this.#bare = bare
    return unsure
  }
}

/** A popup that its application does not tell of. That says nothing about its windows. */
const isMenu = (window: UiNode): boolean => unreadKind(window) === 'popup'

/** In which ways each application is incomplete, but for popups that it does not tell of. */
function kindsOf({ completeness: { reasons }, roots }: LiveTree): Map<string, Set<string>> {
  const menus = new Map<string, number>()
  for (const root of roots) if (isMenu(root)) menus.set(root.app.id, (menus.get(root.app.id) ?? 0) + 1)
  const kinds = new Map<string, Set<string>>()
  for (const { app, kind } of reasons) {
    const left = app === undefined ? 0 : (menus.get(app) ?? 0)
    // An area that is only drawn holds no field.
    if (app === undefined || kind === 'drawn') continue
    if (kind === 'degraded' && left > 0) menus.set(app, left - 1)
    else kinds.set(app, (kinds.get(app) ?? new Set()).add(kind))
  }
  return kinds
}

/** A window that the tree knows of. The process that an application tells on its bus need not be the one that made its window. */
const isKnown = ({ rect }: WindowOwner, tree: LiveTree): boolean =>
  tree.roots.some((r) => r.bounds !== undefined && contains(rect, center(r.bounds)))

/** A window of which its application has not told yet. */
const isNews = ({ app, rect }: WindowOwner, tree: LiveTree): boolean =>
  !tree.roots.some((r) => r.app.pid === app.pid && r.bounds !== undefined && contains(rect, center(r.bounds)))

const isIn = (place: UiNode, window: UiNode | undefined): boolean => {
  for (let at: UiNode | undefined = place; at !== undefined; at = at.parent) if (at.key === window?.key) return true
  return false
}

const isFrameOf = (rect: Rect, window: UiNode | undefined): boolean => window?.bounds !== undefined && contains(rect, center(window.bounds))

const EVERYWHERE: Rect = { x: -1e6, y: -1e6, w: 2e6, h: 2e6 }
