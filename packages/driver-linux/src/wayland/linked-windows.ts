import { DeskhandError } from '@deskhand/core/errors'
import { type Point, type Rect, type WindowOp, contains, intersect } from '@deskhand/core/model'
import type { Popup, TopWindow, Windows } from '../display-server.ts'
import type { LinkedWindow, Order, State, WindowLink } from './window-link.ts'

/** How far a window that fills its room may be away from its edges. */
const SLACK = 4

/** The windows of a compositor, by code of ours inside of it. Only some tell of menus and other popups, too. */
export class LinkedWindows implements Windows {
  readonly tellsPopups = false
  onChange: Windows['onChange'] = () => {}
  version = 0
  readonly #link: WindowLink
  readonly #area: () => Rect
  readonly #pointer: () => Point | undefined
  /** The numbers that we give to windows, by the compositor's own names of them. */
  readonly #numbers = new Map<string, number>()
  #known = ''

  constructor(link: WindowLink, area: () => Rect, pointer: () => Point | undefined) {
    this.#link = link
    this.#area = area
    this.#pointer = pointer
    link.onChanged = () => void this.look().catch(() => {})
  }

  async list(): Promise<TopWindow[]> {
    return this.#take(await this.#link.ask({})).windows
  }

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
    const id = topmostAt(this.#take(await this.#link.ask({})).stack, at)
    return id === undefined ? [] : [id]
  }

  /** A compositor cannot be held still: between the look and what is sent lies the time of one message. */
  async sendTo(at: Point, [id]: readonly number[], send: () => void): Promise<boolean> {
    const { stack, pointer } = this.#take(await this.#link.ask({}))
    const sent = this.#pointer()
    // A person may have moved the pointer since; the compositor tells where it is.
    const isThere = sent?.x === at.x && sent.y === at.y && pointer.x === at.x && pointer.y === at.y
    if (!isThere || topmostAt(stack, at) !== id) return false
    send()
    return true
  }

  async popups(): Promise<Popup[]> {
    return this.#take(await this.#link.ask({})).popups
  }

  async pidOf(id: number): Promise<number | undefined> {
    const { windows, popups } = this.#take(await this.#link.ask({}))
    return [...windows, ...popups].find((w) => w.id === id)?.pid
  }

  async operate(number: number, op: WindowOp, rect: Partial<Rect>): Promise<void> {
    const one = (await this.#link.ask({})).windows.find((w) => this.#numbers.get(w.id) === number)
    if (one === undefined) throw new DeskhandError('STALE_REF', 'there is no such window any more')
    const { id } = one
    const order: Order = op === 'move' || op === 'resize' ? { op: 'place', id, rect: framed(one, rect) } : { op, id }
    this.#take(await this.#link.ask(order))
  }

  close(): void {
    this.#link.close()
  }

  #take({ windows, pointer }: State): Taken {
    const sorted = windows.toSorted((a, b) => a.layer - b.layer).map((w) => ({ w, id: this.#numberOf(w.id) }))
    const managed = sorted.filter(({ w }) => !w.isPopup).map(({ w, id }, z) => describe(w, id, z))
    // Applications count in a popup with its shadow.
    const popups = sorted.flatMap(({ w, id }) =>
      w.isPopup && !w.isAway && w.pid !== undefined ? [{ id, pid: w.pid, bounds: w.buffer, isTip: w.isTip, isDragged: false }] : [],
    )
    const now = JSON.stringify([managed, popups])
    if (now !== this.#known) {
      this.#known = now
      this.version++
    }
    const stack = sorted.filter(({ w }) => !w.isAway && !w.isTip).map(({ w, id }) => ({ id, area: w.frame }))
    return { windows: managed, popups, stack, pointer }
  }

  #numberOf(name: string): number {
    const number = this.#numbers.get(name) ?? this.#numbers.size + 1
    this.#numbers.set(name, number)
    return number
  }
}

/** How everything is, and what gets a click where, the topmost last. */
interface Taken {
  windows: TopWindow[]
  popups: Popup[]
  stack: { id: number; area: Rect }[]
  pointer: Point
}

const topmostAt = (stack: Taken['stack'], at: Point): number | undefined => stack.findLast(({ area }) => contains(area, at))?.id

function describe({ pid, title, frame, room, ...w }: LinkedWindow, id: number, z: number): TopWindow {
  const fills = Math.abs(frame.w - room.w) <= SLACK && Math.abs(frame.h - room.h) <= SLACK
  return {
    id,
    pid,
    title,
    bounds: insideOf({ frame, buffer: w.buffer }),
    outer: frame,
    isMinimized: w.isAway,
    isMaximized: w.isFull || fills,
    isDialog: w.isDialog,
    isModal: w.isModal,
    frame: id,
    isActive: w.isActive,
    z,
  }
}

/** What an application draws into: less than the frame where the compositor draws a title bar, more where the application draws a shadow. */
const insideOf = ({ frame, buffer }: Pick<LinkedWindow, 'frame' | 'buffer'>): Rect => intersect(frame, buffer) ?? frame

/** The frame around contents at this place; what is left out stays. */
function framed({ frame, buffer }: LinkedWindow, { x, y, w, h }: Partial<Rect>): Rect {
  const inside = insideOf({ frame, buffer })
  return {
    x: Math.round((x ?? inside.x) - (inside.x - frame.x)),
    y: Math.round((y ?? inside.y) - (inside.y - frame.y)),
    w: Math.round((w ?? inside.w) + frame.w - inside.w),
    h: Math.round((h ?? inside.h) + frame.h - inside.h),
  }
}
