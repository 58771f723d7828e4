import { DeskhandError } from '@deskhand/core/errors'
import type { Point, Rect, WindowOp } from '@deskhand/core/model'
import type { Res, XEvent } from 'x11'
import type { Popup, TopWindow, WindowInfo, Windows } from '../display-server.ts'
import type { Display } from './display.ts'
import { Popups } from './popups.ts'
import { WindowInfos, pidOf } from './window-info.ts'
import { numbers } from './property.ts'

/** How long the X server is held for one look, and how often that is tried. */
const GRAB_MS = 5
const GRAB_TRIES = 5
const ALREADY_GRABBED = 1
const REDIRECT_AND_NOTIFY = 0x180000
const PROPERTY_CHANGE = 0x400000
const SUBSTRUCTURE_NOTIFY = 0x80000
/** Qt answers a ping to those who ask for this. */
const STRUCTURE_NOTIFY = 0x20000
const FROM_A_PAGER = 2
const NORTH_WEST = 1
const STATIC = 10
const MAXIMIZED: [string, string] = ['_NET_WM_STATE_MAXIMIZED_VERT', '_NET_WM_STATE_MAXIMIZED_HORZ']

/** The order of the windows, and the one with the keyboard. */
interface Stack {
  ids: number[]
  active: number | undefined
}

/** The top-level windows of an X server, as the window manager knows them. */
export class XWindows implements Windows {
  readonly tellsPopups = true
  /** A window came, went or moved, or another one is active; or only a title changed. */
  onChange: (what: 'place' | 'title') => void = () => {}
  /** Grows when a window came, went, moved or changed its place in the stack. */
  version = 0
  readonly #display: Display
  readonly #res: Res | undefined
  readonly #info: WindowInfos
  readonly #popups: Popups
  readonly #listed: ReadonlySet<number>
  #stack: Promise<Stack> | undefined
  /** A window that is never shown. */
  #unseen: number | undefined
  /** Where windows were before we maximised them. */
  readonly #before = new Map<number, WindowInfo>()

  /** `signer` is the process whose windows only show people what agents do: they are not told of. */
  static async open(display: Display, signer?: number): Promise<XWindows> {
    const res = await display.ask<Res>((reply) => display.client.require('res', reply)).catch(() => undefined)
    const lists = ['_NET_CLIENT_LIST_STACKING', '_NET_CLIENT_LIST', '_NET_ACTIVE_WINDOW'].map((name) => display.atom(name))
    const windows = new XWindows(display, res, await WindowInfos.open(display, res), new Set(await Promise.all(lists)), signer)
    display.client.ChangeWindowAttributes(display.root, { eventMask: PROPERTY_CHANGE | SUBSTRUCTURE_NOTIFY | STRUCTURE_NOTIFY })
    return windows
  }

  private constructor(display: Display, res: Res | undefined, info: WindowInfos, listed: ReadonlySet<number>, signer?: number) {
    this.#display = display
    this.#res = res
    this.#info = info
    this.#popups = new Popups(display, res, signer)
    this.#listed = listed
    display.onEvent((event) => this.#take(event))
  }

  /** Every managed window, the topmost last, as it is when this is called: one question where nothing changed since the last time. */
  async list(): Promise<TopWindow[]> {
    await this.#display.sync()
    const { ids, active } = await (this.#stack ??= this.#readStack())
    const found = await this.#info.of(ids)
    return found.map((info, z) => ({ ...info, isActive: info.id === active, z }))
  }

  async active(): Promise<number | undefined> {
    const [id] = await numbers(this.#display, this.#display.root, '_NET_ACTIVE_WINDOW')
    return id === 0 ? undefined : id
  }

  /** Whether a point is one that the pointer can reach. */
  reaches({ x, y }: Point): boolean {
    return x >= 0 && y >= 0 && x < this.#display.width && y < this.#display.height
  }

  /** The windows that lie under a point, from the one on the root down to the one that is looked for, or the innermost. */
  async chainAt(at: Point, isSought: (id: number) => boolean): Promise<number[]> {
    const display = this.#display
    const chain: number[] = []
    for (let window = display.root; ;) {
      const { child } = await display.ask<{ child: number }>((reply) =>
        display.client.TranslateCoordinates(display.root, window, Math.floor(at.x), Math.floor(at.y), reply),
      )
      if (child === 0) return chain
      chain.push(child)
      if (isSought(child)) return chain
      window = child
    }
  }

  /**
   * Calls `send` where the pointer is at this point and these windows lie there, outermost first, or none where the list is empty. The X server
   * does nothing for other clients between the look and what is sent; it is held for a few milliseconds at most. False where that is not so.
   */
  async sendTo(at: Point, chain: readonly number[], send: () => void): Promise<boolean> {
    for (let go = 0; go < GRAB_TRIES; go++) {
      const isThere = await this.#sendTo(at, chain, send)
      if (isThere !== undefined) return isThere
    }
    return false
  }

  /** Undefined where the server did not answer soon enough. */
  async #sendTo({ x, y }: Point, chain: readonly number[], send: () => void): Promise<boolean | undefined> {
    const display = this.#display
    const { client, root } = display
    const parents = [root, ...chain.slice(0, -1)]
    display.hold()
    try {
      const looks = parents.map((parent) =>
        display.ask<{ child: number }>((reply) => client.TranslateCoordinates(root, parent, x, y, reply), GRAB_MS),
      )
      const [pointer, ...children] = await Promise.all([display.pointer(GRAB_MS), ...looks])
      const isThere = pointer.x === x && pointer.y === y && children.every(({ child }, i) => child === (chain[i] ?? 0))
      if (isThere) send()
      return isThere
    } catch (error) {
      // A window that is gone by now.
      if (!(error instanceof DeskhandError)) return false
      if (error.code === 'TIMEOUT') return undefined
      throw error
    } finally {
      display.letGo()
      if (display.isOpen) client.flush()
    }
  }

  /** Asked by a grab for a window that is never shown, which the server refuses in any case: before that it says whether another client has one. */
  async isKeyboardGrabbed(): Promise<boolean> {
    const { client, root } = this.#display
    if (this.#unseen === undefined) client.CreateWindow((this.#unseen = client.AllocID()), root, -10, -10, 1, 1, 0, 0, 0, 0, {})
    const unseen = this.#unseen
    return (await this.#display.ask<number>((reply) => client.GrabKeyboard(unseen, 0, 0, 1, 1, reply))) === ALREADY_GRABBED
  }

  /** Windows on the screen that the window manager does not manage: menus, popovers, tooltips. The topmost last. */
  popups(): Promise<Popup[]> {
    return this.#popups.list()
  }

  /** Where windows lie that agents do not get to see. */
  signs(): Promise<Rect[]> {
    return this.#popups.signs()
  }

  pidOf(window: number): Promise<number | undefined> {
    return pidOf(this.#display, this.#res, window)
  }

  /** Asks the window manager; it answers by doing it. */
  async operate(id: number, op: WindowOp, rect: Partial<Rect>): Promise<void> {
    switch (op) {
      case 'activate':
        return this.#message(id, '_NET_ACTIVE_WINDOW', [FROM_A_PAGER, 0, 0])
      case 'move':
      case 'resize':
        return this.#place(id, rect)
      case 'minimize':
        return this.#message(id, 'WM_CHANGE_STATE', [3])
      case 'maximize':
        return this.#maximize(id)
      case 'restore':
        return this.#restore(id)
      case 'close':
        return this.#message(id, '_NET_CLOSE_WINDOW', [0, FROM_A_PAGER])
      default:
        return op satisfies never
    }
  }

  async #maximize(id: number): Promise<void> {
    const windows = await this.list()
    for (const known of this.#before.keys()) if (!windows.some((w) => w.id === known)) this.#before.delete(known)
    const window = windows.find((w) => w.id === id)
    if (window !== undefined && !window.isMaximized) this.#before.set(id, window)
    await this.#state(id, 1, MAXIMIZED)
  }

  /** Back from being hidden, and only then from filling the screen. */
  async #restore(id: number): Promise<void> {
    const window = (await this.list()).find((w) => w.id === id)
    if (window?.isMinimized !== true) await this.#place(id, {})
    await this.#message(id, '_NET_ACTIVE_WINDOW', [FROM_A_PAGER, 0, 0])
  }

  /** A maximised window ignores moves, so it is restored first. */
  async #place(id: number, rect: Partial<Rect>): Promise<void> {
    const window = (await this.list()).find((w) => w.id === id)
    if (window?.isMaximized !== true) return this.#moveResize(id, rect, window)
    const before = this.#before.get(id)
    const to = { ...before?.bounds, ...rect }
    await this.#state(id, 0, MAXIMIZED)
    // openbox leaves it a title's height beside its place, and moves it there only from elsewhere.
    if (before !== undefined) await this.#moveResize(id, { ...to, x: (to.x ?? 0) + 1, y: (to.y ?? 0) + 1 }, before)
    await this.#moveResize(id, to, before)
  }

  async #readStack(): Promise<Stack> {
    const display = this.#display
    const [ids, active] = await Promise.all([numbers(display, display.root, '_NET_CLIENT_LIST_STACKING'), this.active()])
    return { ids, active }
  }

  #take(event: XEvent): void {
    this.#popups.take(event)
    const isList = event.name === 'PropertyNotify' && typeof event.atom === 'number' && this.#listed.has(event.atom)
    if (isList) this.#stack = undefined
    const what = isList ? 'place' : this.#info.take(event)
    if (what === undefined) return
    if (what === 'place') this.version++
    this.onChange(what)
  }

  /** Puts the contents there: by the corner of the frame around them where it is known, else by their own, which a border can shift. */
  async #moveResize(id: number, { x, y, w, h }: Partial<Rect>, known: WindowInfo | undefined): Promise<void> {
    const frame = known === undefined ? { x: 0, y: 0 } : { x: known.bounds.x - known.outer.x, y: known.bounds.y - known.outer.y }
    const given = [x === undefined ? x : x - frame.x, y === undefined ? y : y - frame.y, w, h]
    if (given.every((v) => v === undefined)) return
    // Bits 8-11 say which numbers count, bit 13 that a pager asks.
    const gravity = known === undefined ? STATIC : NORTH_WEST
    const flags = given.reduce<number>((bits, v, i) => (v === undefined ? bits : bits | (1 << (8 + i))), gravity | (1 << 13))
    await this.#message(id, '_NET_MOVERESIZE_WINDOW', [flags, ...given.map((v) => Math.round(v ?? 0))])
  }

  async #state(id: number, action: 0 | 1, names: [string, string]): Promise<void> {
    const [one, two] = await Promise.all(names.map((n) => this.#display.atom(n)))
    await this.#message(id, '_NET_WM_STATE', [action, one ?? 0, two ?? 0, FROM_A_PAGER])
  }

  async #message(window: number, name: string, data: number[]): Promise<void> {
    const event = Buffer.alloc(32)
    event[0] = 33
    event[1] = 32
    event.writeUInt32LE(window, 4)
    event.writeUInt32LE(await this.#display.atom(name), 8)
    data.slice(0, 5).forEach((value, i) => event.writeInt32LE(value | 0, 12 + i * 4))
    this.#display.client.SendEvent(this.#display.root, false, REDIRECT_AND_NOTIFY, event)
    await this.#display.sync()
  }
}
