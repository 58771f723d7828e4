import { setTimeout as sleep } from 'node:timers/promises'
import { DeskhandError } from '@deskhand/core/errors'
import type { Point } from '@deskhand/core/model'
import { type Device, FIRST_KEY } from '../device.ts'
import { PersonsKeyboard } from '../persons-keyboard.ts'
import type { IdleMonitor } from './idle-monitor.ts'
import { keyboardGap } from './layout.ts'
import type { ShellLink } from './link.ts'
import type { PortalSession } from './portal.ts'

const SHIFT_KEY = 50
const SHIFT_BIT = 1
const DOWN = 1
const UP = 0
/** How long the shell may take to do what the portal passed on, and how often that is looked at. */
const DONE_MS = 400
const LOOK_MS = 4
/** The shell takes events in one after the other; after the last one this long is nothing. */
const QUIET_MS = 10

/** Pointer and keyboard through the portal of remote desktops: keys are those of the person's keyboard. */
export class PortalDevice implements Device {
  readonly keymap: Device['keymap'] = new PersonsKeyboard(
    'Put the text on the clipboard and paste it, or set it with ui.set; where the application takes input methods, focus its text first.',
    {
      look: () => this.#link.ask({}),
      gap: () => keyboardGap(this.#link.state?.keyboard ?? ''),
      takesOthers: () => this.#link.state?.takesText === true,
    },
  )
  readonly #portal: PortalSession
  readonly #link: ShellLink
  readonly #monitor: IdleMonitor
  #hasLentShift = false
  /** When the last event was sent that the shell is known to have done. */
  #doneAt = 0

  constructor(portal: PortalSession, link: ShellLink, monitor: IdleMonitor) {
    this.#portal = portal
    this.#link = link
    this.#monitor = monitor
  }

  get isOpen(): boolean {
    return this.#portal.isOpen
  }

  get capsLock(): boolean {
    return this.#link.state?.capsLock === true
  }

  move({ x, y }: Point): void {
    const stream = this.#portal.stream
    if (stream === undefined) return
    this.#portal.notify('NotifyPointerMotionAbsolute', 'udd', [stream.node, x - stream.bounds.x, y - stream.bounds.y])
  }

  button(code: number, isDown: boolean): void {
    this.#portal.notify('NotifyPointerButton', 'iu', [code, isDown ? DOWN : UP])
  }

  notch(axis: 0 | 1, sign: number): void {
    this.#portal.notify('NotifyPointerAxisDiscrete', 'ui', [axis, sign])
  }

  key(code: number, isDown: boolean): void {
    this.#portal.notify('NotifyKeyboardKeycode', 'iu', [code - FIRST_KEY, isDown ? DOWN : UP])
  }

  /** The shell works the modifiers out from the keys; what a stroke needs besides is the key itself. */
  modify(held: number, lent: number): void {
    const lends = (lent & ~held & SHIFT_BIT) !== 0
    if (lends !== this.#hasLentShift) this.key(SHIFT_KEY, lends)
    this.#hasLentShift = lends
  }

  /** What no key gives comes as from an input method. */
  async commit(symbol: number): Promise<void> {
    await this.sync()
    if (!(await this.#link.commit(String.fromCodePoint(symbol >= 0x1000000 ? symbol - 0x1000000 : symbol))))
      throw new DeskhandError('NOT_CAPABLE', 'what has the focus takes no text from an input method')
  }

  /** Returns when the shell has done what was sent, which it tells by the time of the last input. */
  async sync(): Promise<void> {
    const sentAt = await this.#portal.passedOn()
    if (sentAt === this.#doneAt) return
    for (const end = performance.now() + DONE_MS; performance.now() < end; await sleep(LOOK_MS)) {
      const idle = await this.#monitor.idleMs()
      if (idle >= QUIET_MS && idle < performance.now() - sentAt) break
    }
    this.#doneAt = sentAt
  }

  /** The shell loses what comes first from a new device. */
  async wake(at: Point): Promise<void> {
    this.move(at)
    this.key(SHIFT_KEY, true)
    this.key(SHIFT_KEY, false)
    await this.sync()
  }
}
