import type { Point, Rect, WindowOp } from '@deskhand/core/model'
import type { Geometry, Res } from 'x11'
import type { Display } from './display.ts'
import { numbers, text } from './property.ts'

const REDIRECT_AND_NOTIFY = 0x180000
const PROPERTY_CHANGE = 0x400000
const SUBSTRUCTURE_NOTIFY = 0x80000
/** Qt answers a ping to those who ask for this. */
const STRUCTURE_NOTIFY = 0x20000
const LOCAL_PID = 2
const FROM_A_PAGER = 2
const VIEWABLE = 2

export interface TopWindow {
  id: number
  /** The process that made it, as the X server knows it; a window can lie, the server's socket cannot. */
  pid: number | undefined
  title: string
  /** The contents, without the window manager's frame. */
  bounds: Rect
  /** With the frame. */
  outer: Rect
  isActive: boolean
  isMinimized: boolean
  isMaximized: boolean
  /** Bottom first. */
  z: number
}

export interface Popup {
  id: number
  pid: number
  bounds: Rect
}

/** The top-level windows of an X server, as the window manager knows them. */
export class Windows {
  onChange: () => void = () => {}
  /** Grows when a window came, went, moved or changed its place in the stack. */
  version = 0
  private readonly display: Display
  private readonly res: Res | undefined

  static async open(display: Display): Promise<Windows> {
    const res = await display.ask<Res>((reply) => display.client.require('res', reply)).catch(() => undefined)
    display.client.ChangeWindowAttributes(display.root, { eventMask: PROPERTY_CHANGE | SUBSTRUCTURE_NOTIFY | STRUCTURE_NOTIFY })
    return new Windows(display, res)
  }

  private constructor(display: Display, res: Res | undefined) {
    this.display = display
    this.res = res
    const watched = ['_NET_CLIENT_LIST_STACKING', '_NET_CLIENT_LIST', '_NET_ACTIVE_WINDOW'].map((name) => display.atom(name))
    void Promise.all(watched).then(
      (atoms) =>
        display.onEvent((event) => {
          const relevant = event.name === 'ConfigureNotify' || event.name === 'MapNotify' || event.name === 'UnmapNotify'
          if (relevant || (event.name === 'PropertyNotify' && typeof event.atom === 'number' && atoms.includes(event.atom))) {
            this.version++
            this.onChange()
          }
        }),
      () => {},
    )
  }

  /** Every managed window, the topmost last. */
  async list(): Promise<TopWindow[]> {
    const { display } = this
    const [stacking, active] = await Promise.all([numbers(display, display.root, '_NET_CLIENT_LIST_STACKING'), this.active()])
    const found = await Promise.all(stacking.map((id, z) => this.describe(id, z, active)))
    return found.filter((w) => w !== undefined)
  }

  async active(): Promise<number | undefined> {
    const [id] = await numbers(this.display, this.display.root, '_NET_ACTIVE_WINDOW')
    return id === 0 ? undefined : id
  }

  /** Whether a point is one that the pointer can reach. */
  reaches({ x, y }: Point): boolean {
    return x >= 0 && y >= 0 && x < this.display.width && y < this.display.height
  }

  /** The windows that lie under a point, from the one on the root down to the innermost. */
  async chainAt(at: Point): Promise<number[]> {
    const { display } = this
    const chain: number[] = []
    for (let window = display.root; ;) {
      const { child } = await display.ask<{ child: number }>((reply) =>
        display.client.TranslateCoordinates(display.root, window, Math.floor(at.x), Math.floor(at.y), reply),
      )
      if (child === 0) return chain
      chain.push(child)
      window = child
    }
  }

  /** Mapped windows that nobody manages: menus, popovers, tooltips. The topmost last. */
  async popups(): Promise<Popup[]> {
    const { display } = this
    const { children } = await display.ask<{ children: number[] }>((reply) => display.client.QueryTree(display.root, reply))
    const found = await Promise.all(children.map((id) => this.popup(id).catch(() => undefined)))
    return found.filter((p) => p !== undefined)
  }

  /** Not remembered: the server gives a closed window's number to the next one. */
  async pidOf(window: number): Promise<number | undefined> {
    const { res } = this
    if (res !== undefined) {
      const ids = await this.display
        .ask<{ value: number[] }[]>((reply) => res.QueryClientIds([{ client: window, mask: LOCAL_PID }], reply))
        .catch(() => [])
      const pid = ids[0]?.value[0]
      if (pid !== undefined && pid > 0) return pid
    }
    return (await numbers(this.display, window, '_NET_WM_PID'))[0]
  }

  async boundsOf(window: number): Promise<Rect | undefined> {
    const { client, root } = this.display
    try {
      const [geometry, origin] = await Promise.all([
        this.display.ask<Geometry>((reply) => client.GetGeometry(window, reply)),
        this.display.ask<{ destX: number; destY: number }>((reply) => client.TranslateCoordinates(window, root, 0, 0, reply)),
      ])
      return { x: origin.destX, y: origin.destY, w: geometry.width, h: geometry.height }
    } catch (error) {
      if (!this.display.isOpen) throw error
      return undefined
    }
  }

  /** Asks the window manager; it answers by doing it. */
  async operate(id: number, op: WindowOp, rect: Partial<Rect>): Promise<void> {
    switch (op) {
      case 'activate':
        return this.message(id, '_NET_ACTIVE_WINDOW', [FROM_A_PAGER, 0, 0])
      case 'move':
      case 'resize':
        return this.place(id, rect)
      case 'minimize':
        return this.message(id, 'WM_CHANGE_STATE', [3])
      case 'maximize':
        return this.state(id, 1, ['_NET_WM_STATE_MAXIMIZED_VERT', '_NET_WM_STATE_MAXIMIZED_HORZ'])
      case 'restore':
        await this.state(id, 0, ['_NET_WM_STATE_MAXIMIZED_VERT', '_NET_WM_STATE_MAXIMIZED_HORZ'])
        return this.message(id, '_NET_ACTIVE_WINDOW', [FROM_A_PAGER, 0, 0])
      case 'close':
        return this.message(id, '_NET_CLOSE_WINDOW', [0, FROM_A_PAGER])
      default:
        return op satisfies never
    }
  }

  private async popup(id: number): Promise<Popup | undefined> {
    const { display } = this
    const attributes = await display.ask<{ mapState: number; overrideRedirect: number }>((reply) =>
      display.client.GetWindowAttributes(id, reply),
    )
    if (attributes.mapState !== VIEWABLE || attributes.overrideRedirect === 0) return undefined
    const [pid, bounds] = await Promise.all([this.pidOf(id), this.boundsOf(id)])
    return pid === undefined || bounds === undefined ? undefined : { id, pid, bounds }
  }

  private async describe(id: number, z: number, active: number | undefined): Promise<TopWindow | undefined> {
    const { display } = this
    const [pid, name, bounds, frame, states, hidden, tall, wide] = await Promise.all([
      this.pidOf(id),
      text(display, id, '_NET_WM_NAME'),
      this.boundsOf(id),
      numbers(display, id, '_NET_FRAME_EXTENTS'),
      numbers(display, id, '_NET_WM_STATE'),
      display.atom('_NET_WM_STATE_HIDDEN'),
      display.atom('_NET_WM_STATE_MAXIMIZED_VERT'),
      display.atom('_NET_WM_STATE_MAXIMIZED_HORZ'),
    ])
    if (bounds === undefined) return undefined
    const title = name === '' ? await text(display, id, 'WM_NAME') : name
    const [left = 0, right = 0, top = 0, bottom = 0] = frame
    const outer = { x: bounds.x - left, y: bounds.y - top, w: bounds.w + left + right, h: bounds.h + top + bottom }
    return {
      id,
      pid,
      title,
      bounds,
      outer,
      isActive: id === active,
      isMinimized: states.includes(hidden),
      isMaximized: states.includes(tall) && states.includes(wide),
      z,
    }
  }

  private async place(id: number, rect: Partial<Rect>): Promise<void> {
    // Gravity 10 (static) means the contents' own corner; bits 8-11 say which numbers count, bit 13 that a pager asks.
    const given = [rect.x, rect.y, rect.w, rect.h]
    const flags = given.reduce<number>((bits, v, i) => (v === undefined ? bits : bits | (1 << (8 + i))), 10 | (1 << 13))
    await this.message(id, '_NET_MOVERESIZE_WINDOW', [flags, ...given.map((v) => Math.round(v ?? 0))])
  }

  private async state(id: number, action: 0 | 1, names: [string, string]): Promise<void> {
    const [one, two] = await Promise.all(names.map((n) => this.display.atom(n)))
    await this.message(id, '_NET_WM_STATE', [action, one ?? 0, two ?? 0, FROM_A_PAGER])
  }

  private async message(window: number, name: string, data: number[]): Promise<void> {
    const event = Buffer.alloc(32)
    event[0] = 33
    event[1] = 32
    event.writeUInt32LE(window, 4)
    event.writeUInt32LE(await this.display.atom(name), 8)
    data.slice(0, 5).forEach((value, i) => event.writeInt32LE(value | 0, 12 + i * 4))
    this.display.client.SendEvent(this.display.root, false, REDIRECT_AND_NOTIFY, event)
    await this.display.sync()
  }
}
