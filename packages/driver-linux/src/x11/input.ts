import { DeskhandError } from '@deskhand/core/errors'
import { isModifier, type Button, type Point } from '@deskhand/core/model'
import type { XTest } from 'x11'
import type { Input } from '../display-server.ts'
import type { Display } from './display.ts'
import type { XTestGate } from './gate.ts'
import { ManagerEcho } from './echo.ts'
import { Keymap } from './keymap.ts'
import { keysymOf } from '../keysyms.ts'

const KEY_PRESS = 2
const KEY_RELEASE = 3
const BUTTON_PRESS = 4
const BUTTON_RELEASE = 5
const MOTION = 6

const BUTTONS: Readonly<Record<Button, number>> = { left: 1, middle: 2, right: 3 }
const MODIFIER_BITS: readonly [string, number][] = [
  ['Shift', 1],
  ['Control', 4],
  ['Alt', 8],
  ['Meta', 64],
]
const LOCK_BIT = 2

/** Pointer and keyboard of an X server, through XTEST. Remembers what it pressed. */
export class XTestInput implements Input {
  readonly keymap: Keymap
  readonly #display: Display
  readonly #xtest: XTest
  readonly #manager: ManagerEcho
  /** The window manager has let the last press go. */
  #passed: Promise<void> = Promise.resolve()
  #sendings = 0
  readonly #keys = new Map<string, number>()
  /** Keys that repeat while they are down, a bit each. One that we hold does not: what it repeats into no policy judged. */
  readonly #repeats: Buffer
  /** The buttons that are down because of us, and where they were pressed. */
  readonly #buttons = new Map<Button, Point | undefined>()
  #at: Point | undefined
  pressedAt = -Infinity
  /** The character or shortcut that was struck last, and when. */
  struck: { symbol: number; at: number } | undefined
  /** Waits until the application with the keyboard has taken in what was sent. */
  caughtUp: () => Promise<boolean> = () => Promise.resolve(true)
  /** Lets through what is sent here, where other programs' events are kept from the desktop. */
  gate: XTestGate | undefined
  /** Told of every event before it is sent, so that ours can be told from a person's. */
  onSend: (type: number, detail: number, at?: Point) => void = () => {}
  /** Told when everything that was sent has been delivered, and where the pointer is then. */
  onDelivered: (at: Point) => void = () => {}

  static async open(display: Display): Promise<XTestInput> {
    const xtest = await display.ask<XTest>((reply) => display.client.require('xtest', reply))
    const { autoRepeats } = await display.ask<{ autoRepeats: Buffer }>((reply) => display.client.GetKeyboardControl(reply))
    return new XTestInput(display, xtest, autoRepeats)
  }

  private constructor(display: Display, xtest: XTest, repeats: Buffer) {
    this.#display = display
    this.#xtest = xtest
    this.#repeats = repeats
    this.keymap = new Keymap(display)
    this.#manager = new ManagerEcho(display)
  }

  /** Returns when the X server has delivered everything that was sent. */
  async delivered(): Promise<void> {
    const before = this.#sendings
    const at = await this.#display.pointer()
    // What was sent meanwhile may have moved the pointer on.
    if (before === this.#sendings) this.onDelivered(at)
  }

  /** The same, for events that no caller waits for. */
  deliverLater(): void {
    this.delivered().catch(() => {})
  }

  /** Where the pointer was last sent. */
  get at(): Point | undefined {
    return this.#at
  }

  get isPressing(): boolean {
    return this.#buttons.size > 0
  }

  /** Returns when no click is held back any more: keys would overtake it, and openbox may swallow the next click. */
  clicked(): Promise<void> {
    return this.#passed
  }

  /** Keys and buttons that are down because of us. */
  held(): string[] {
    return [...this.#keys.keys(), ...this.#buttons.keys()]
  }

  move(x: number, y: number): void {
    const at = { x: clamp(x, this.#display.width), y: clamp(y, this.#display.height) }
    this.#at = at
    this.#send(MOTION, 0, at)
  }

  /** `mayBeHeld`: the window manager may look at it before the application does. */
  press(button: Button, mayBeHeld: boolean): void {
    this.pressedAt = performance.now()
    this.#buttons.set(button, this.#at)
    this.#send(BUTTON_PRESS, BUTTONS[button])
    if (mayBeHeld) this.#passed = this.#manager.heard().catch(() => {})
  }

  release(button: Button): void {
    this.#buttons.delete(button)
    this.#send(BUTTON_RELEASE, BUTTONS[button])
  }

  /** Whole notches; positive is right and down. */
  wheel(dx: number, dy: number): void {
    const turn = (notches: number, button: number): void => {
      for (let i = 0; i < Math.abs(notches); i++) {
        this.#send(BUTTON_PRESS, button)
        this.#send(BUTTON_RELEASE, button)
      }
    }
    turn(Math.round(dy), dy < 0 ? 4 : 5)
    turn(Math.round(dx), dx < 0 ? 6 : 7)
  }

  async keyDown(key: string): Promise<void> {
    const { code, shift } = await this.#strokeOf(key)
    // In a chord such as Control+S a capital letter is the way it is written, not a Shift.
    const lift = shift && !this.#keys.has('Shift') && !(this.#isChord() && /^\p{Lu}$/u.test(key))
    if (lift) await this.#withShift(() => this.#keyPress(key, code))
    else this.#keyPress(key, code)
  }

  async keyUp(key: string): Promise<void> {
    const code = this.#keys.get(key) ?? (await this.#strokeOf(key)).code
    this.#keys.delete(key)
    this.#keyRelease(key, code)
  }

  /** Strikes one character and returns when it is sent; what it gives tells when the X server has delivered it. */
  async strike(symbol: number): Promise<{ delivered: Promise<void> }> {
    const stroke = this.keymap.find(symbol)
    if (stroke === undefined) throw new DeskhandError('INTERNAL', 'a character was not put on a key before it was struck')
    const tap = (): void => {
      this.#send(KEY_PRESS, stroke.code)
      this.#send(KEY_RELEASE, stroke.code)
    }
    if (stroke.shift) await this.#withShift(tap)
    else tap()
    this.keymap.struck(stroke.code)
    const delivered = this.delivered()
    delivered.catch(() => {})
    return { delivered }
  }

  /** The modifiers that are down, a person's too, and whether capitals are locked. */
  async modifiers(): Promise<{ down: string[]; capsLock: boolean }> {
    const { keyMask } = await this.#display.ask<{ keyMask: number }>((reply) =>
      this.#display.client.QueryPointer(this.#display.root, reply),
    )
    return { down: MODIFIER_BITS.filter(([, bit]) => (keyMask & bit) !== 0).map(([name]) => name), capsLock: (keyMask & LOCK_BIT) !== 0 }
  }

  async tap(key: string): Promise<void> {
    await this.keyDown(key)
    await this.keyUp(key)
    await this.delivered()
  }

  /** Lets go of everything that is down because of us. */
  async releaseAll(): Promise<void> {
    for (const [button, from] of [...this.#buttons]) {
      // Not where the pointer is by now: what lies there may act on the release, and no policy decided that.
      if (from !== undefined && from !== this.#at) this.move(from.x, from.y)
      this.release(button)
    }
    for (const [key, code] of [...this.#keys].reverse()) {
      this.#keys.delete(key)
      this.#keyRelease(key, code)
    }
    if (this.#display.isOpen) await this.delivered()
  }

  #isChord(): boolean {
    return ['Control', 'Alt', 'Meta'].some((k) => this.#keys.has(k))
  }

  #keyPress(key: string, code: number): void {
    this.#keys.set(key, code)
    this.#repeat(key, code, 0)
    this.#send(KEY_PRESS, code)
  }

  #keyRelease(key: string, code: number): void {
    this.#send(KEY_RELEASE, code)
    this.#repeat(key, code, 1)
  }

  #repeat(key: string, code: number, autoRepeatMode: 0 | 1): void {
    const repeats = (((this.#repeats[code >> 3] ?? 0) >> (code & 7)) & 1) === 1
    if (repeats && !isModifier(key)) this.#display.client.ChangeKeyboardControl({ key: code, autoRepeatMode })
  }

  async #withShift(work: () => void): Promise<void> {
    const shift = (await this.#strokeOf('Shift')).code
    this.#send(KEY_PRESS, shift)
    work()
    this.#send(KEY_RELEASE, shift)
  }

  async #strokeOf(key: string): Promise<{ code: number; shift: boolean }> {
    const symbol = keysymOf(key)
    if (symbol === undefined) throw new DeskhandError('BAD_ARGS', `there is no key ${JSON.stringify(key)}`)
    if (this.keymap.find(symbol) === undefined) await this.keymap.borrow([symbol], () => this.caughtUp())
    const stroke = this.keymap.find(symbol)
    if (stroke === undefined) throw new DeskhandError('NOT_CAPABLE', `this keyboard has no key ${JSON.stringify(key)}`)
    return stroke
  }

  #send(type: number, detail: number, at?: Point): void {
    if (!this.#display.isOpen) throw new DeskhandError('NO_DESKTOP', `the X server ${this.#display.name} is gone`)
    this.#sendings++
    if (this.gate === undefined) return this.#fake(type, detail, at)
    this.gate.pass(() => {
      // Moves that were kept from the desktop have moved the device all the same.
      if ((type === BUTTON_PRESS || type === BUTTON_RELEASE) && this.#at !== undefined) this.#fake(MOTION, 0, this.#at)
      this.#fake(type, detail, at)
    })
  }

  #fake(type: number, detail: number, at?: Point): void {
    this.onSend(type, detail, at)
    this.#xtest.FakeInput(type, detail, 0, at === undefined ? 0 : this.#display.root, at?.x ?? 0, at?.y ?? 0)
  }
}

const clamp = (value: number, size: number): number => Math.max(0, Math.min(size - 1, Math.round(value)))
