import type { ActivityLog } from '@deskhand/core/driver'
import type { Point } from '@deskhand/core/model'
import type { XEvent, XInput } from 'x11'
import type { Display } from './display.ts'
import { XTestGate } from './gate.ts'
import type { XTestInput } from './input.ts'

const ALL_DEVICES = 0
const ALL_MASTERS = 1
/** Raw events by the XTEST event that causes them. */
const RAW: Readonly<Record<string, { type: number; what: 'moves' | 'buttons' | 'keys' }>> = {
  XIRawKeyPress: { type: 2, what: 'keys' },
  XIRawKeyRelease: { type: 3, what: 'keys' },
  XIRawButtonPress: { type: 4, what: 'buttons' },
  XIRawButtonRelease: { type: 5, what: 'buttons' },
  XIRawMotion: { type: 6, what: 'moves' },
}
const MOTION = 6
const KEY_REPEAT = 1 << 16
/** The server holds events back while a client has the devices frozen; one of ours that comes so late is still ours. */
const LATE_MS = 1000
/** How often the pointer is looked for while a reader waits for a person's input: a program can put it elsewhere without an event. */
const LOOK_MS = 50
/** The same on a desktop on which neither we nor a person did anything for a while: there is nothing that could be broken off. */
const REST_LOOK_MS = 250
const REST_AFTER_MS = 2_000

/**
 * Counts input that reaches the X server and that we did not send. What comes from a device is a person's; what comes through
 * XTEST is ours when it is in the ledger of what we sent, and another program's (a viewer's, xdotool's) when it is not.
 */
export class HumanWatch {
  readonly #display: Display
  readonly #activity: ActivityLog
  readonly #xtest: ReadonlySet<number>
  readonly #opcode: number
  #ledger: { type: number; detail: number; sentAt: number }[] = []
  /** Where the pointer is as far as we know, and whether we put it there. */
  #known: Point | undefined
  #isOurs = false
  /** We sent it somewhere and have not seen it since. */
  #isSettling = false
  #isWatched = false
  #looking: NodeJS.Timeout | undefined
  #lastInput = 0

  /** Undefined where the server has no XInput 2. */
  static async open(display: Display, input: XTestInput, activity: ActivityLog): Promise<HumanWatch | undefined> {
    try {
      const xinput = await display.ask<XInput>((reply) => display.client.require('xinput', reply))
      await display.ask((reply) => xinput.XIQueryVersion(2, 2, reply))
      const devices = await display.ask<{ deviceId: number; name: string }[]>((reply) => xinput.XIQueryDevice(ALL_DEVICES, reply))
      const xtest = new Set(devices.filter((d) => d.name.includes('XTEST')).map((d) => d.deviceId))
      const watch = new HumanWatch(display, input, activity, xtest, xinput.majorOpcode)
      watch.#known = await display.pointer()
      xinput.XISelectEvents(display.root, [
        { deviceId: ALL_MASTERS, mask: ['RawKeyPress', 'RawKeyRelease', 'RawButtonPress', 'RawButtonRelease', 'RawMotion'] },
      ])
      await display.sync()
      return watch
    } catch (error) {
      if (!display.isOpen) throw error
      return undefined
    }
  }

  private constructor(display: Display, input: XTestInput, activity: ActivityLog, xtest: ReadonlySet<number>, opcode: number) {
    this.#opcode = opcode
    this.#display = display
    this.#activity = activity
    this.#xtest = xtest
    input.onSend = (type, detail, at) => {
      this.#ledger.push({ type, detail, sentAt: performance.now() })
      this.#stir()
      if (at === undefined) return
      this.#known = at
      this.#isOurs = true
      this.#isSettling = true
    }
    input.onDelivered = (at) => this.#compare(at)
    activity.onWaiting = (isWaiting) => {
      this.#isWatched = isWaiting
      this.#schedule()
    }
    display.onEvent((event) => {
      // A screen that becomes smaller carries the pointer along.
      if (event.name === 'ConfigureNotify' && event.wid1 === display.root) this.#isSettling = true
      else this.#seen(event)
    })
    void display.closed.then(() => activity.onWaiting(false))
  }

  /** Keeps from the desktop what other programs inject from now on; false where another program has done so. */
  async swallow(input: XTestInput): Promise<boolean> {
    if (this.#xtest.size === 0) return false
    input.gate = await XTestGate.shut(this.#display, this.#opcode, [...this.#xtest], this.#activity)
    return input.gate !== undefined
  }

  #seen(event: XEvent): void {
    const raw = RAW[event.name]
    if (raw === undefined || this.#isRepeat(event) || this.#isOwn(raw.type, event)) return
    this.#stir()
    this.#activity.count(raw.what)
    if (typeof event.sourceId === 'number' && this.#xtest.has(event.sourceId)) this.#activity.stray(1, 0)
    if (raw.what === 'moves') void this.#locate()
    else this.#activity.tell()
  }

  #isRepeat(event: XEvent): boolean {
    return typeof event.flags === 'number' && (event.flags & KEY_REPEAT) !== 0
  }

  #isOwn(type: number, event: XEvent): boolean {
    if (typeof event.sourceId === 'number' && this.#xtest.size > 0 && !this.#xtest.has(event.sourceId)) return false
    this.#forget()
    const at = this.#ledger.findIndex((e) => e.type === type && (type === MOTION || e.detail === event.detail))
    if (at < 0) return false
    this.#ledger.splice(at, 1)
    return true
  }

  #forget(): void {
    const oldest = performance.now() - LATE_MS
    while ((this.#ledger[0]?.sentAt ?? Infinity) < oldest) this.#ledger.shift()
  }

  /** Something was sent or done: the pointer is looked for often. */
  #stir(): void {
    const wasResting = this.#isResting
    this.#lastInput = performance.now()
    if (wasResting) this.#schedule()
  }

  get #isResting(): boolean {
    return performance.now() - this.#lastInput > REST_AFTER_MS
  }

  #schedule(): void {
    clearTimeout(this.#looking)
    if (!this.#isWatched) return
    this.#looking = setTimeout(() => void this.#look().then(() => this.#schedule()), this.#isResting ? REST_LOOK_MS : LOOK_MS).unref()
  }

  async #look(): Promise<void> {
    const before = this.#known
    const at = await this.#display.pointer().catch(() => undefined)
    if (at !== undefined && before === this.#known) this.#compare(at)
  }

  /** The pointer is at `at`: if nothing of ours is on its way and it should be elsewhere, a person or another program moved it. */
  #compare(at: Point): void {
    this.#forget()
    if (this.#ledger.some((e) => e.type === MOTION)) return
    const isSettling = this.#isSettling
    this.#isSettling = false
    if (isSame(this.#known, at)) return
    this.#known = at
    // The server keeps the pointer on a screen: it may have come to rest beside the place we sent it to.
    if (isSettling) return
    this.#isOurs = false
    this.#stir()
    this.#activity.count('moves')
    this.#activity.tell(at)
  }

  /** Where a person's motion led to; not told while it may be where we put the pointer ourselves. */
  async #locate(): Promise<void> {
    const at = await this.#display.pointer().catch(() => undefined)
    if (at === undefined || (this.#isOurs && isSame(this.#known, at))) return this.#activity.tell()
    this.#known = at
    this.#isOurs = false
    this.#activity.tell(at)
  }
}

const isSame = (a: Point | undefined, b: Point): boolean => a?.x === b.x && a.y === b.y
