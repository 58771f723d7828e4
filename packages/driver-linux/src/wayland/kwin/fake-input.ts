import type { Point } from '@deskhand/core/model'
import { type Connection, fixed } from '../connection.ts'
import { type Device, FIRST_KEY } from '../device.ts'
import { PersonsKeyboard } from '../persons-keyboard.ts'

/** Numbers of requests of org_kde_kwin_fake_input, and of the wheel's two axes there. */
const FAKE = { authenticate: 0, button: 2, axis: 3, motionAbsolute: 9, key: 10 }
const NOTCH = 15
const SHIFT_KEY = 50
const SHIFT_BIT = 1
/** Of org_kde_kwin_keystate. */
const KEYSTATE = { fetch: 0, changed: 0 }
const CAPS_LOCK = 0
const UNLOCKED = 0

/** KWin's own door for input: keys are those of the person's keyboard, with its layout, its locks and its modifiers. */
export class FakeInput implements Device {
  readonly keymap: Device['keymap'] = new PersonsKeyboard('Put the text on the clipboard and paste it, or set it with ui.set.')
  capsLock = false
  readonly #connection: Connection
  readonly #fake: number
  #hasLentShift = false

  constructor(connection: Connection) {
    this.#connection = connection
    this.#fake = connection.bind('org_kde_kwin_fake_input', 4)
    connection.request(this.#fake, FAKE.authenticate, ['Deskhand', 'agents operate this desktop'])
    if (connection.version('org_kde_kwin_keystate') === 0) return
    const keystate = connection.bind('org_kde_kwin_keystate', 1, (event, read) => {
      if (event === KEYSTATE.changed && read.uint() === CAPS_LOCK) this.capsLock = read.uint() !== UNLOCKED
    })
    connection.request(keystate, KEYSTATE.fetch)
  }

  move({ x, y }: Point): void {
    this.#request(FAKE.motionAbsolute, fixed(x), fixed(y))
  }

  button(code: number, isDown: boolean): void {
    this.#request(FAKE.button, code, isDown ? 1 : 0)
  }

  notch(axis: 0 | 1, sign: number): void {
    this.#request(FAKE.axis, axis, fixed(sign * NOTCH))
  }

  key(code: number, isDown: boolean): void {
    this.#request(FAKE.key, code - FIRST_KEY, isDown ? 1 : 0)
  }

  /** KWin works the modifiers out from the keys; what a stroke needs besides is the key itself. */
  modify(held: number, lent: number): void {
    const lends = (lent & ~held & SHIFT_BIT) !== 0
    if (lends !== this.#hasLentShift) this.key(SHIFT_KEY, lends)
    this.#hasLentShift = lends
  }

  #request(opcode: number, ...args: number[]): void {
    this.#connection.request(this.#fake, opcode, args)
  }
}
