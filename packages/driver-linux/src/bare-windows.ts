import type { AppIdentity, Completeness, FlatNode } from '@deskhand/core/model'
import { identify } from './atspi/identity.ts'
import { isSame } from './atspi/change-reporter.ts'
import type { Mirror } from './atspi/mirror.ts'
import type { MirrorNode } from './atspi/node.ts'
import { isWithoutToolkit } from './loaded-toolkits.ts'
import type { Popup, TopWindow } from './display-server.ts'

/** Popups lie above every window that is managed. */
const POPUP_Z = 10_000

/** A window of which its application tells nothing: all that is known of it is what the X server knows. */
export interface BareWindow {
  key: string
  window: TopWindow
  kind: 'window' | 'popup'
  app: AppIdentity
  told: FlatNode
  /** Its process can never have a tree. */
  isTreeless: boolean
}

/** The windows and popups that no tree accounts for, each told as a node of its own. */
export class BareWindows {
  readonly #mirror: Mirror
  readonly #known = new Map<string, BareWindow>()

  constructor(mirror: Mirror) {
    this.#mirror = mirror
  }

  get all(): readonly BareWindow[] {
    return [...this.#known.values()]
  }

  byKey(key: string): BareWindow | undefined {
    return this.#known.get(key)
  }

  byId(id: number): BareWindow | undefined {
    return this.#known.get(keyOf(id))
  }

  reasons(): Completeness['reasons'] {
    return this.all.map(({ app, kind, window }) => {
      const { x, y, w, h } = window.bounds
      const isTold = this.#mirror.ofPid(window.pid ?? -1).length > 0
      const which = kind === 'popup' ? 'popup' : `window "${window.title}"`
      const what = isTold ? `tells nothing of its ${which} at ${x},${y} of ${w}x${h}` : 'offers no accessibility tree'
      return { kind: 'degraded', app: app.id, detail: `${app.name} ${what}` }
    })
  }

  /** Tells readers what came, changed or went; true when anything did. */
  tell(windows: readonly TopWindow[], popups: readonly Popup[]): boolean {
    const { log } = this.#mirror
    const loose = new Map<string, Pick<BareWindow, 'kind' | 'window'>>()
    for (const window of windows) loose.set(keyOf(window.id), { kind: 'window', window })
    for (const popup of popups) loose.set(keyOf(popup.id), { kind: 'popup', window: asWindow(popup, popups) })
    let changed = false
    for (const key of this.#known.keys()) {
      if (loose.has(key)) continue
      this.#known.delete(key)
      log.add({ type: 'gone', key })
      changed = true
    }
    for (const [key, { kind, window }] of loose) changed = this.#tellOne(key, kind, window) || changed
    return changed
  }

  #tellOne(key: string, kind: BareWindow['kind'], window: TopWindow): boolean {
    const { log } = this.#mirror
    const app = this.#ownerOf(window.pid, kind)
    const known = this.#known.get(key)
    const isTreeless = known?.isTreeless ?? (window.pid !== undefined && isWithoutToolkit(window.pid))
    const told = flatten({ key, kind, window, app, isTreeless })
    this.#known.set(key, { key, kind, window, app, told, isTreeless })
    if (known === undefined) {
      log.add({ type: 'app', app })
      // An application that has a tree may not have got round to telling of this window.
      for (const owner of this.#mirror.ofPid(window.pid ?? -1)) owner.retry(true)
    }
    if (isSame(known?.told, told)) return false
    log.add({ type: 'put', node: told })
    return true
  }

  /** A popup belongs to the application that is known by its other windows. */
  #ownerOf(pid: number | undefined, kind: BareWindow['kind']): AppIdentity {
    const [app] = kind === 'window' || pid === undefined ? [] : this.#mirror.ofPid(pid)
    return app?.identity ?? identify(`pid${pid ?? 0}`, pid, '', undefined)
  }
}

const keyOf = (id: number): string => `w${id.toString(36)}`

const asWindow = (popup: Popup, all: readonly Popup[]): TopWindow => ({
  ...popup,
  title: '',
  outer: popup.bounds,
  isMinimized: false,
  isMaximized: false,
  isDialog: false,
  isModal: false,
  isActive: false,
  frame: popup.id,
  z: POPUP_Z + all.indexOf(popup),
})

function flatten({ key, window, app, kind, isTreeless }: Omit<BareWindow, 'told'>): FlatNode {
  const { isActive, isMinimized, isModal } = window
  const modal = isModal ? { modal: true } : undefined
  const states = { enabled: true, visible: !isMinimized, active: isActive, focused: isActive, focusable: true, ...modal }
  const { title: name, bounds, z: index } = window
  const role = window.isDialog ? 'dialog' : 'window'
  const attributes = { ...stackedOf(window), unread: kind, ...(isTreeless && { treeless: true }) }
  return { key, index, app: app.id, role, name, bounds, states, platformIds: { windowHandle: handleOf(window) }, attributes }
}

/** As xwininfo and xdotool write it. */
export const handleOf = (window: TopWindow): string => `0x${window.id.toString(16)}`

export const stackedOf = ({ z, isMinimized, isMaximized }: TopWindow): NonNullable<MirrorNode['stacked']> => ({
  z,
  minimized: isMinimized,
  maximized: isMaximized,
})
