import type { Point, Rect } from '@deskhand/core/model'
import type { Keymap } from '../display-server.ts'
import { type Connection, fixed } from './connection.ts'
import { type Stroke, WaylandKeymap } from './keymap.ts'

/** What pointer and keyboard events become: the requests of one protocol. Key codes count from 8, as in a keymap. */
export interface Device {
  readonly keymap: Keymap & { find(symbol: number): Stroke | undefined }
  /** A lock of the person's keyboard that changes what is typed here. */
  readonly capsLock: boolean
  move(at: Point, area: Rect): void
  button(code: number, isDown: boolean): void
  /** One notch of the wheel; axis 0 is the vertical one. */
  notch(axis: 0 | 1, sign: number): void
  key(code: number, isDown: boolean): void
  /** The modifiers whose keys are down, and those that one stroke needs besides. */
  modify(held: number, lent: number): void
  /** Types a character that no key gives, where that is another way than a key. */
  commit?(symbol: number): Promise<void>
}

/** Numbers of requests. */
const POINTER = { motionAbsolute: 1, button: 2, frame: 4, axisSource: 5, axisDiscrete: 7 }
const KEYBOARD = { key: 1, modifiers: 2 }
/** How far applications scroll for a notch. */
const NOTCH = 15
const WHEEL = 0
/** Wayland counts keys from here. */
export const FIRST_KEY = 8

/** The virtual pointer and keyboard of wlroots: devices of our own, with a layout of their own. */
export class WlrDevice implements Device {
  readonly keymap: WaylandKeymap
  readonly capsLock = false
  readonly #connection: Connection
  readonly #pointer: number
  readonly #keyboard: number

  constructor(connection: Connection) {
    this.#connection = connection
    const seat = connection.bind('wl_seat', 1)
    const make = (manager: string, version: number): number => {
      const from = connection.bind(manager, version)
      const id = connection.create()
      connection.request(from, 0, [seat, id])
      return id
    }
    this.#pointer = make('zwlr_virtual_pointer_manager_v1', 2)
    this.#keyboard = make('zwp_virtual_keyboard_manager_v1', 1)
    this.keymap = new WaylandKeymap(connection, this.#keyboard)
  }

  move(at: Point, { x, y, w, h }: Rect): void {
    this.#point(POINTER.motionAbsolute, [now(), at.x - x, at.y - y, w, h])
  }

  button(code: number, isDown: boolean): void {
    this.#point(POINTER.button, [now(), code, isDown ? 1 : 0])
  }

  notch(axis: 0 | 1, sign: number): void {
    this.#connection.request(this.#pointer, POINTER.axisSource, [WHEEL])
    this.#point(POINTER.axisDiscrete, [now(), axis, fixed(sign * NOTCH), sign])
  }

  key(code: number, isDown: boolean): void {
    this.#connection.request(this.#keyboard, KEYBOARD.key, [now(), code - FIRST_KEY, isDown ? 1 : 0])
  }

  /** The compositor does not work out from a virtual keyboard's keys which modifiers are down. */
  modify(held: number, lent: number): void {
    this.#connection.request(this.#keyboard, KEYBOARD.modifiers, [held | lent, 0, 0, 0])
  }

  #point(request: number, args: readonly number[]): void {
    this.#connection.request(this.#pointer, request, args)
    this.#connection.request(this.#pointer, POINTER.frame)
  }
}

/** As the compositor counts the time of its own events: applications compare the two. */
const now = (): number => Number(process.hrtime.bigint() / 1_000_000n) & 0xffffffff
