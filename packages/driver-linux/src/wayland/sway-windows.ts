import { DeskhandError } from '@deskhand/core/errors'
import { type Point, type Rect, type WindowOp, contains } from '@deskhand/core/model'
import type { Popup, Windows } from '../display-server.ts'
import { SWAY, SwayIpc } from './sway-ipc.ts'
import { type SwayWindow, windowAt, windowsIn } from './sway-tree.ts'

/** The windows of sway, by its own socket. It tells nothing of menus and other popups, nor of every window that moved. */
export class SwayWindows implements Windows {
  readonly tellsPopups = false
  onChange: Windows['onChange'] = () => {}
  version = 0
  readonly #ipc: SwayIpc
  readonly #events: SwayIpc
  readonly #area: () => Rect
  readonly #pointer: () => Point | undefined
  #known = ''
  /** Where windows were before we maximised them. */
  readonly #before = new Map<number, Rect>()

  static async open(path: string, area: () => Rect, pointer: () => Point | undefined): Promise<SwayWindows> {
    const [ipc, events] = await Promise.all([SwayIpc.open(path), SwayIpc.open(path)])
    const windows = new SwayWindows(ipc, events, area, pointer)
    await events.ask(SWAY.subscribe, JSON.stringify(['window', 'workspace']))
    return windows
  }

  private constructor(ipc: SwayIpc, events: SwayIpc, area: () => Rect, pointer: () => Point | undefined) {
    this.#ipc = ipc
    this.#events = events
    this.#area = area
    this.#pointer = pointer
    events.onEvent = () => void this.look().catch(() => {})
  }

  async list(): Promise<SwayWindow[]> {
    const windows = windowsIn(await this.#ipc.ask(SWAY.tree))
    const now = JSON.stringify(windows)
    if (now !== this.#known) {
      this.#known = now
      this.version++
    }
    return windows
  }

  /** Tells by `onChange` whether anything is different since the last look. */
  async look(): Promise<void> {
    const before = this.version
    await this.list()
    if (this.version !== before) this.onChange('place')
  }

  async active(): Promise<number | undefined> {
    return (await this.list()).find((w) => w.isActive)?.id
  }

  reaches(at: Point): boolean {
    return contains(this.#area(), at)
  }

  async chainAt(at: Point): Promise<number[]> {
    const window = windowAt(await this.list(), at)
    return window === undefined ? [] : [window.id]
  }

  /** A compositor cannot be held still: between the look and what is sent lies the time of one message. */
  async sendTo(at: Point, [id]: readonly number[], send: () => void): Promise<boolean> {
    const windows = await this.list()
    const pointer = this.#pointer()
    if (pointer?.x !== at.x || pointer.y !== at.y || windowAt(windows, at)?.id !== id) return false
    send()
    return true
  }

  popups(): Promise<Popup[]> {
    return Promise.resolve([])
  }

  async pidOf(id: number): Promise<number | undefined> {
    return (await this.list()).find((w) => w.id === id)?.pid
  }

  async operate(id: number, op: WindowOp, rect: Partial<Rect>): Promise<void> {
    const window = (await this.list()).find((w) => w.id === id)
    if (window === undefined) throw new DeskhandError('STALE_REF', 'there is no such window any more')
    switch (op) {
      case 'activate':
        return this.#run(id, window.isMinimized ? 'scratchpad show' : 'focus')
      case 'move':
      case 'resize':
        return this.#place(window, { ...(window.isMaximized ? this.#before.get(id) : undefined), ...rect })
      case 'minimize':
        return this.#run(id, 'move scratchpad')
      case 'maximize':
        if (!window.isMaximized) this.#before.set(id, window.bounds)
        return this.#fill(window)
      case 'restore':
        if (window.isMinimized) return this.#run(id, 'scratchpad show')
        await this.#place(window, this.#before.get(id) ?? {})
        return this.#run(id, 'focus')
      case 'close':
        return this.#run(id, 'kill')
      default:
        return op satisfies never
    }
  }

  close(): void {
    this.#ipc.close()
    this.#events.close()
  }

  #fill({ id, room }: SwayWindow): Promise<void> {
    return this.#run(
      id,
      `fullscreen disable, floating enable, resize set width ${room.w} px height ${room.h} px, move absolute position ${room.x} ${room.y}`,
    )
  }

  /** Puts the contents there; sway counts with the frame around them. */
  async #place({ id, bounds, outer }: SwayWindow, { x, y, w, h }: Partial<Rect>): Promise<void> {
    const commands = ['fullscreen disable', 'floating enable']
    const size = [
      ...(w === undefined ? [] : [`width ${Math.round(w + outer.w - bounds.w)} px`]),
      ...(h === undefined ? [] : [`height ${Math.round(h + outer.h - bounds.h)} px`]),
    ]
    if (size.length > 0) commands.push(`resize set ${size.join(' ')}`)
    const [left, top] = [(x ?? bounds.x) - (bounds.x - outer.x), (y ?? bounds.y) - (bounds.y - outer.y)]
    commands.push(`move absolute position ${Math.round(left)} ${Math.round(top)}`)
    await this.#run(id, commands.join(', '))
  }

  async #run(id: number, command: string): Promise<void> {
    const answers = (await this.#ipc.ask(SWAY.command, `[con_id=${id}] ${command}`)) as { success: boolean; error?: string }[]
    const failed = answers.find((a) => !a.success)
    if (failed !== undefined) throw new DeskhandError('DRIVER_FAILED', `sway refused: ${failed.error ?? command}`)
  }
}
