import type { Rect } from '@deskhand/core/model'
import type { Geometry, Res, XEvent } from 'x11'
import type { WindowInfo } from '../display-server.ts'
import type { Display } from './display.ts'
import { numbers, text } from './property.ts'

const PROPERTY_CHANGE = 0x400000
const STRUCTURE_NOTIFY = 0x20000
const LOCAL_PID = 2
const PLACED: ReadonlySet<string> = new Set(['ConfigureNotify', 'MapNotify', 'UnmapNotify', 'ReparentNotify'])

interface Known {
  info?: Promise<WindowInfo | undefined>
  frame?: number
}

/** What is known of windows, asked for once and again only after an event that changes it. A caller that has just synced gets exact answers. */
export class WindowInfos {
  readonly #display: Display
  readonly #res: Res | undefined
  readonly #named: ReadonlySet<number>
  readonly #stated: ReadonlySet<number>
  readonly #known = new Map<number, Known>()

  static async open(display: Display, res: Res | undefined): Promise<WindowInfos> {
    const atoms = (names: string[]): Promise<number[]> => Promise.all(names.map((name) => display.atom(name)))
    const named = await atoms(['_NET_WM_NAME', 'WM_NAME'])
    const stated = await atoms(['_NET_WM_STATE', '_NET_FRAME_EXTENTS', '_NET_WM_PID'])
    return new WindowInfos(display, res, new Set(named), new Set(stated))
  }

  private constructor(display: Display, res: Res | undefined, named: ReadonlySet<number>, stated: ReadonlySet<number>) {
    this.#display = display
    this.#res = res
    this.#named = named
    this.#stated = stated
  }

  /** Of these windows and no others, in their order; those that are gone are left out. */
  async of(ids: readonly number[]): Promise<WindowInfo[]> {
    const wanted = new Set(ids)
    for (const id of this.#known.keys()) if (!wanted.has(id)) this.#known.delete(id)
    const found = await Promise.all(ids.map((id) => this.#one(id)))
    return found.filter((info) => info !== undefined)
  }

  /** Forgets what an event makes doubtful; answers with what of it changed. */
  take(event: XEvent): 'place' | 'title' | undefined {
    if (event.name === 'PropertyNotify') {
      const known = event.wid === undefined ? undefined : this.#known.get(event.wid)
      const atom = typeof event.atom === 'number' ? event.atom : 0
      const isTitle = this.#named.has(atom)
      if (known === undefined || (!isTitle && !this.#stated.has(atom))) return undefined
      known.info = undefined
      return isTitle ? 'title' : 'place'
    }
    const id = event.name === 'ConfigureNotify' ? event.wid1 : event.wid
    if (typeof id !== 'number') return undefined
    // The server gives the number to the next window.
    if (event.name === 'DestroyNotify') return this.#known.delete(id) ? 'place' : undefined
    if (!PLACED.has(event.name)) return undefined
    for (const [key, known] of this.#known) {
      if (key !== id && known.frame !== id && known.frame !== undefined) continue
      known.info = undefined
      if (event.name === 'ReparentNotify') known.frame = undefined
    }
    return 'place'
  }

  #one(id: number): Promise<WindowInfo | undefined> {
    let known = this.#known.get(id)
    if (known === undefined) {
      this.#known.set(id, (known = {}))
      this.#display.client.ChangeWindowAttributes(id, { eventMask: PROPERTY_CHANGE | STRUCTURE_NOTIFY })
    }
    return (known.info ??= this.#describe(id, known))
  }

  async #describe(id: number, known: Known): Promise<WindowInfo | undefined> {
    const display = this.#display
    const [pid, name, oldName, bounds, extents, states, kinds, hidden, tall, wide, modal, dialog, frame] = await Promise.all([
      pidOf(display, this.#res, id),
      text(display, id, '_NET_WM_NAME'),
      text(display, id, 'WM_NAME'),
      boundsOf(display, id),
      numbers(display, id, '_NET_FRAME_EXTENTS'),
      numbers(display, id, '_NET_WM_STATE'),
      numbers(display, id, '_NET_WM_WINDOW_TYPE'),
      display.atom('_NET_WM_STATE_HIDDEN'),
      display.atom('_NET_WM_STATE_MAXIMIZED_VERT'),
      display.atom('_NET_WM_STATE_MAXIMIZED_HORZ'),
      display.atom('_NET_WM_STATE_MODAL'),
      display.atom('_NET_WM_WINDOW_TYPE_DIALOG'),
      known.frame ?? this.#frameOf(id),
    ])
    if (bounds === undefined) {
      this.#known.delete(id)
      return undefined
    }
    known.frame = frame
    const [left = 0, right = 0, top = 0, bottom = 0] = extents
    return {
      id,
      pid,
      title: name === '' ? oldName : name,
      bounds,
      outer: { x: bounds.x - left, y: bounds.y - top, w: bounds.w + left + right, h: bounds.h + top + bottom },
      isMinimized: states.includes(hidden),
      isMaximized: states.includes(tall) && states.includes(wide),
      isDialog: kinds.includes(dialog),
      isModal: states.includes(modal),
      frame,
    }
  }

  async #frameOf(id: number): Promise<number | undefined> {
    const display = this.#display
    try {
      for (let window = id; ;) {
        const { parent } = await display.ask<{ parent: number }>((reply) => display.client.QueryTree(window, reply))
        if (parent === display.root || parent === 0) return window
        window = parent
      }
    } catch (error) {
      if (!display.isOpen) throw error
      return undefined
    }
  }
}

/** The process behind a window. */
export async function pidOf(display: Display, res: Res | undefined, window: number): Promise<number | undefined> {
  return (await makerOf(display, res, window)) ?? (await numbers(display, window, '_NET_WM_PID'))[0]
}

/** The process that made a window, as the server's socket has it; a window cannot lie about it. */
export async function makerOf(display: Display, res: Res | undefined, window: number): Promise<number | undefined> {
  if (res === undefined) return undefined
  const ids = await display
    .ask<{ value: number[] }[]>((reply) => res.QueryClientIds([{ client: window, mask: LOCAL_PID }], reply))
    .catch(() => [])
  const pid = ids[0]?.value[0]
  return pid !== undefined && pid > 0 ? pid : undefined
}

/** Where a window's contents are; undefined when it is gone. */
export async function boundsOf(display: Display, window: number): Promise<Rect | undefined> {
  const { client, root } = display
  try {
    const [geometry, origin] = await Promise.all([
      display.ask<Geometry>((reply) => client.GetGeometry(window, reply)),
      display.ask<{ destX: number; destY: number }>((reply) => client.TranslateCoordinates(window, root, 0, 0, reply)),
    ])
    return { x: origin.destX, y: origin.destY, w: geometry.width, h: geometry.height }
  } catch (error) {
    if (!display.isOpen) throw error
    return undefined
  }
}
