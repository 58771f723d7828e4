import { setTimeout as sleep } from 'node:timers/promises'
import { DeskhandError } from '@deskhand/core/errors'
import type { Button, Point, Rect } from '@deskhand/core/model'
import type { Input } from '../display-server.ts'
import { keysymOf } from '../keysyms.ts'
import type { Connection } from './connection.ts'
import type { Device } from './device.ts'

export const BUTTONS: Readonly<Record<Button, number>> = { left: 0x110, right: 0x111, middle: 0x112 }
const MODIFIER_BITS: Readonly<Record<string, number>> = { Shift: 1, Control: 4, Alt: 8, Meta: 64, AltGraph: 128 }
/** An application that gets more keys at once than it takes in is ended by the compositor. */
const BURST = 50
const BURST_MS = 20
/** How long a picture of an application stands at least, and how long it may take to take in where the pointer went. */
const FRAME_MS = 20
const MOVED_MS = 300

/** Pointer and keyboard. Remembers what it pressed; the compositor lets go of it when the connection ends. */
export class WaylandInput implements Input {
  pressedAt = -Infinity
  struck: Input['struck']
  caughtUp: () => Promise<boolean> = () => Promise.resolve(true)
  /** Told after every event that was sent. */
  onSent: () => void = () => {}
  readonly #connection: Pick<Connection, 'sync' | 'isOpen'>
  readonly #device: Device
  readonly #area: () => Rect
  readonly #keys = new Map<string, number>()
  readonly #buttons = new Map<Button, Point | undefined>()
  #at: Point | undefined
  #recent: number[] = []
  #hasMoved = false

  /** `area` is that of all screens together. */
  static async open(connection: Pick<Connection, 'sync' | 'isOpen'>, device: Device, area: () => Rect): Promise<WaylandInput> {
    const input = new WaylandInput(connection, device, area)
    await input.keymap.load()
    await connection.sync()
    return input
  }

  private constructor(connection: Pick<Connection, 'sync' | 'isOpen'>, device: Device, area: () => Rect) {
    this.#connection = connection
    this.#device = device
    this.#area = area
  }

  get keymap(): Device['keymap'] {
    return this.#device.keymap
  }

  get at(): Point | undefined {
    return this.#at
  }

  get isPressing(): boolean {
    return this.#buttons.size > 0
  }

  held(): string[] {
    return [...this.#keys.keys(), ...this.#buttons.keys()]
  }

  move(x: number, y: number): void {
    const area = this.#area()
    const { x: left, y: top, w, h } = area
    const at = { x: clamp(x, left, w), y: clamp(y, top, h) }
    this.#hasMoved ||= this.#at?.x !== at.x || this.#at.y !== at.y
    this.#at = at
    this.#device.move(at, area)
    this.onSent()
  }

  press(button: Button): void {
    this.pressedAt = performance.now()
    this.#buttons.set(button, this.#at)
    this.#device.button(BUTTONS[button], true)
    this.onSent()
  }

  release(button: Button): void {
    this.#buttons.delete(button)
    this.#device.button(BUTTONS[button], false)
    this.onSent()
  }

  wheel(dx: number, dy: number): void {
    for (const [axis, notches] of [
      [0, Math.round(dy)],
      [1, Math.round(dx)],
    ] as const) {
      for (let i = 0; i < Math.abs(notches); i++) {
        this.#device.notch(axis, Math.sign(notches))
        this.onSent()
      }
    }
  }

  async keyDown(key: string): Promise<void> {
    const { code, shift } = await this.#strokeOf(key)
    // In a chord such as Control+S a capital letter is the way it is written, not a Shift.
    const lift = shift && !this.#keys.has('Shift') && !(this.#isChord() && /^\p{Lu}$/u.test(key))
    if (lift) this.#modify(MODIFIER_BITS['Shift'])
    this.#keys.set(key, code)
    this.#key(code, true)
    // What a key is is looked at when it goes down.
    if (lift || MODIFIER_BITS[key] !== undefined) this.#modify()
  }

  async keyUp(key: string): Promise<void> {
    const code = this.#keys.get(key) ?? (await this.#strokeOf(key)).code
    this.#keys.delete(key)
    this.#key(code, false)
    if (MODIFIER_BITS[key] !== undefined) this.#modify()
  }

  async tap(key: string): Promise<void> {
    await this.keyDown(key)
    await this.keyUp(key)
    await this.delivered()
  }

  async strike(symbol: number): Promise<{ delivered: Promise<void> }> {
    const stroke = this.keymap.find(symbol)
    if (stroke === undefined && this.#device.commit !== undefined) {
      await this.#device.commit(symbol)
      this.onSent()
      return { delivered: Promise.resolve() }
    }
    if (stroke === undefined) throw new DeskhandError('INTERNAL', 'a character was not put on a key before it was struck')
    await this.#pace()
    if (stroke.shift) this.#modify(MODIFIER_BITS['Shift'])
    this.#key(stroke.code, true)
    this.#key(stroke.code, false)
    if (stroke.shift) this.#modify()
    const delivered = this.delivered()
    delivered.catch(() => {})
    return { delivered }
  }

  /** No client is told which modifiers a person holds down. */
  modifiers(): Promise<{ down: string[]; capsLock: boolean }> {
    return Promise.resolve({ down: [...this.#keys.keys()].filter((k) => MODIFIER_BITS[k] !== undefined), capsLock: this.#device.capsLock })
  }

  /** GTK 3 takes in where the pointer went only with its next picture; a press that comes before it does nothing in a menu. */
  async clicked(): Promise<void> {
    if (!this.#hasMoved) return
    this.#hasMoved = false
    await this.delivered()
    await sleep(FRAME_MS)
    await Promise.race([this.caughtUp(), sleep(MOVED_MS)])
  }

  delivered(): Promise<void> {
    return this.#connection.sync()
  }

  deliverLater(): void {
    this.delivered().catch(() => {})
  }

  async releaseAll(): Promise<void> {
    for (const [button, from] of [...this.#buttons]) {
      // Not where the pointer is by now: what lies there may act on the release, and no policy decided that.
      if (from !== undefined && from !== this.#at) this.move(from.x, from.y)
      this.release(button)
    }
    for (const key of [...this.#keys.keys()].reverse()) await this.keyUp(key)
    if (this.#connection.isOpen) await this.delivered()
  }

  #isChord(): boolean {
    return ['Control', 'Alt', 'Meta'].some((k) => this.#keys.has(k))
  }

  async #pace(): Promise<void> {
    this.#recent = this.#recent.filter((at) => performance.now() - at < BURST_MS)
    if (this.#recent.length >= BURST) {
      await sleep(BURST_MS)
      this.#recent = []
    }
    this.#recent.push(performance.now())
  }

  async #strokeOf(key: string): Promise<{ code: number; shift: boolean }> {
    const symbol = keysymOf(key)
    if (symbol === undefined) throw new DeskhandError('BAD_ARGS', `there is no key ${JSON.stringify(key)}`)
    if (this.keymap.find(symbol) === undefined) await this.keymap.borrow([symbol], this.caughtUp)
    const stroke = this.keymap.find(symbol)
    if (stroke === undefined) throw new DeskhandError('NOT_CAPABLE', `this keyboard has no key ${JSON.stringify(key)}`)
    return stroke
  }

  #key(code: number, isDown: boolean): void {
    this.#device.key(code, isDown)
    this.onSent()
  }

  #modify(lent = 0): void {
    const held = [...this.#keys.keys()].reduce((bits, key) => bits | (MODIFIER_BITS[key] ?? 0), 0)
    this.#device.modify(held, lent)
    this.onSent()
  }
}

const clamp = (value: number, from: number, size: number): number => Math.max(from, Math.min(from + size - 1, Math.round(value)))
