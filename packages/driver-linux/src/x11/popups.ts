import { type Rect, intersect } from '@deskhand/core/model'
import type { Res, XEvent } from 'x11'
import type { Display } from './display.ts'
import { numbers } from './property.ts'
import { boundsOf, pidOf } from './window-info.ts'

const VIEWABLE = 2
const INPUT_ONLY = 2
const CHANGES: ReadonlySet<string> = new Set([
  'MapNotify',
  'UnmapNotify',
  'ConfigureNotify',
  'ReparentNotify',
  'DestroyNotify',
  'CreateNotify',
])

/** A window on the screen that the window manager does not manage: a menu, a list, a tooltip. */
export interface Popup {
  id: number
  pid: number
  bounds: Rect
  /** It says that it only tells something and takes no input. */
  isTip: boolean
  /** It is the picture of what is being dragged, which follows the pointer and gets nothing. */
  isDragged: boolean
}

/** The windows that no window manager manages, asked for once and again only after an event of theirs. */
export class Popups {
  readonly #display: Display
  readonly #res: Res | undefined
  readonly #known = new Map<number, Promise<Popup | undefined>>()
  #order: Promise<number[]> | undefined

  constructor(display: Display, res: Res | undefined) {
    this.#display = display
    this.#res = res
  }

  /** Those on the screen, the topmost last. */
  async list(): Promise<Popup[]> {
    const ids = await (this.#order ??= this.#children())
    const wanted = new Set(ids)
    for (const id of this.#known.keys()) if (!wanted.has(id)) this.#known.delete(id)
    const found = await Promise.all(ids.map((id) => this.#one(id)))
    return found.filter((p) => p !== undefined)
  }

  take(event: XEvent): void {
    if (!CHANGES.has(event.name)) return
    const id = event.name === 'ConfigureNotify' ? event.wid1 : event.wid
    if (typeof id === 'number') this.#known.delete(id)
    this.#order = undefined
  }

  async #children(): Promise<number[]> {
    const { client, root } = this.#display
    return (await this.#display.ask<{ children: number[] }>((reply) => client.QueryTree(root, reply))).children
  }

  #one(id: number): Promise<Popup | undefined> {
    let known = this.#known.get(id)
    if (known === undefined) this.#known.set(id, (known = this.#describe(id).catch(() => undefined)))
    return known
  }

  async #describe(id: number): Promise<Popup | undefined> {
    const display = this.#display
    const { mapState, overrideRedirect, klass } = await display.ask<{ mapState: number; overrideRedirect: number; klass: number }>(
      (reply) => display.client.GetWindowAttributes(id, reply),
    )
    if (mapState !== VIEWABLE || overrideRedirect === 0 || klass === INPUT_ONLY) return undefined
    const [pid, bounds, kinds, tip, dragged] = await Promise.all([
      pidOf(display, this.#res, id),
      boundsOf(display, id),
      numbers(display, id, '_NET_WM_WINDOW_TYPE'),
      display.atom('_NET_WM_WINDOW_TYPE_TOOLTIP'),
      display.atom('_NET_WM_WINDOW_TYPE_DND'),
    ])
    if (pid === undefined || bounds === undefined) return undefined
    // Some have a window for themselves beyond the edge, as openbox does.
    if (intersect(bounds, { x: 0, y: 0, w: display.width, h: display.height }) === undefined) return undefined
    return { id, pid, bounds, isTip: kinds.includes(tip), isDragged: kinds.includes(dragged) }
  }
}
