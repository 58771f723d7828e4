import { intersect, type Rect } from '@deskhand/core/model'
import type { Res, XEvent } from 'x11'
import type { Popup } from '../display-server.ts'
import type { Display } from './display.ts'
import { numbers } from './property.ts'
import { boundsOf, makerOf, pidOf } from './window-info.ts'

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

type Found = Popup & { isSign: boolean }

/** The windows that no window manager manages, asked for once and again only after an event of theirs. */
export class Popups {
  readonly #display: Display
  readonly #res: Res | undefined
  readonly #known = new Map<number, Promise<Found | undefined>>()
  /** The process whose windows only show people what agents do. */
  readonly #signer: number | undefined
  #order: Promise<number[]> | undefined

  constructor(display: Display, res: Res | undefined, signer: number | undefined) {
    this.#display = display
    this.#res = res
    this.#signer = signer
  }

  /** Those on the screen, the topmost last. */
  async list(): Promise<Popup[]> {
    return (await this.#all()).filter((p) => !p.isSign)
  }

  /** The windows that agents do not get to see. */
  async signs(): Promise<Rect[]> {
    return this.#signer === undefined ? [] : (await this.#all()).filter((p) => p.isSign).map((p) => p.bounds)
  }

  async #all(): Promise<Found[]> {
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

  #one(id: number): Promise<Found | undefined> {
    let known = this.#known.get(id)
    if (known === undefined) this.#known.set(id, (known = this.#describe(id).catch(() => undefined)))
    return known
  }

  async #describe(id: number): Promise<Found | undefined> {
    const display = this.#display
    const { mapState, overrideRedirect, klass } = await display.ask<{ mapState: number; overrideRedirect: number; klass: number }>(
      (reply) => display.client.GetWindowAttributes(id, reply),
    )
    if (mapState !== VIEWABLE || overrideRedirect === 0 || klass === INPUT_ONLY) return undefined
    const [maker, pid, bounds, kinds, tip, dragged] = await Promise.all([
      makerOf(display, this.#res, id),
      pidOf(display, this.#res, id),
      boundsOf(display, id),
      numbers(display, id, '_NET_WM_WINDOW_TYPE'),
      display.atom('_NET_WM_WINDOW_TYPE_TOOLTIP'),
      display.atom('_NET_WM_WINDOW_TYPE_DND'),
    ])
    if (pid === undefined || bounds === undefined) return undefined
    // Some have a window for themselves beyond the edge, as openbox does.
    if (intersect(bounds, { x: 0, y: 0, w: display.width, h: display.height }) === undefined) return undefined
    const isSign = maker !== undefined && maker === this.#signer
    return { id, pid, bounds, isTip: kinds.includes(tip), isDragged: kinds.includes(dragged), isSign }
  }
}
