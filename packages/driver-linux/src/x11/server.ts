import { ActivityLog } from '@deskhand/core/driver'
import type { Point, PointerEvent, Rect, Screen } from '@deskhand/core/model'
import type { DisplayServer, Env, Grab, ScreenListener } from '../display-server.ts'
import { quiet } from '../quiet.ts'
import { XClipboard } from './clipboard.ts'
import { watchDamage } from './damage.ts'
import { Display } from './display.ts'
import { erase } from './erase.ts'
import { ScreenGrabber } from './grab.ts'
import { HumanWatch } from './human.ts'
import { XTestInput } from './input.ts'
import { Pinger } from './ping.ts'
import { Screens, screensOf } from './screens.ts'
import { isOnEdge } from './sign.ts'
import { XWindows } from './windows.ts'

/** An X server. */
export class XServer implements DisplayServer {
  readonly isLocal = false
  gaps: DisplayServer['gaps'] = {}
  swallowInjected: DisplayServer['swallowInjected']
  readonly activity: ActivityLog
  readonly grab: Grab
  readonly input: XTestInput
  readonly windows: XWindows
  readonly clipboard: XClipboard
  readonly #display: Display
  readonly #grabber: ScreenGrabber
  readonly #pinger: Pinger
  readonly #screens: Screens
  readonly #hasSign: boolean

  static async open(env: Env): Promise<XServer> {
    const display = await Display.open(env)
    const signer = env.DESKHAND_SIGN === undefined ? undefined : Number(env.DESKHAND_SIGN)
    return new XServer(
      display,
      ...(await Promise.all([
        XTestInput.open(display),
        XWindows.open(display, signer),
        ScreenGrabber.open(env),
        XClipboard.open(env),
        Screens.open(display),
      ])),
      signer !== undefined,
    )
  }

  private constructor(
    display: Display,
    input: XTestInput,
    windows: XWindows,
    grabber: ScreenGrabber,
    clipboard: XClipboard,
    screens: Screens,
    hasSign: boolean,
  ) {
    this.#display = display
    this.input = input
    this.windows = windows
    this.#grabber = grabber
    this.clipboard = clipboard
    this.#screens = screens
    this.#pinger = new Pinger(display)
    this.activity = new ActivityLog({ x: 0, y: 0, w: display.width, h: display.height })
    this.#hasSign = hasSign
    this.grab = (area, allocate) => (hasSign ? this.#withoutSign(area, allocate) : grabber.grab(area, allocate))
  }

  get isOpen(): boolean {
    return this.#display.isOpen
  }

  screens(): Promise<Screen[]> {
    return screensOf(this.#display)
  }

  mustReach(events: readonly PointerEvent[]): Promise<void> {
    return this.#screens.mustReach(events)
  }

  pointer(): Promise<Point> {
    return this.#display.pointer()
  }

  sync(): Promise<void> {
    return this.#display.sync()
  }

  async takenIn(window: number, ms: number): Promise<boolean> {
    const pong = await this.#pinger.ping(window, ms)
    return pong === 'unsupported' ? quiet(await this.windows.pidOf(window), ms) : pong === 'answered'
  }

  async watch(listener: ScreenListener): Promise<void> {
    const display = this.#display
    const drawn = (area: Rect): void => {
      if (this.#hasSign && isOnEdge(area, display)) return
      this.activity.draw(area)
      listener.drawn(area)
    }
    await watchDamage(display, drawn, this.#hasSign)
    this.#screens.onChange = () => {
      this.activity.resize({ x: 0, y: 0, w: display.width, h: display.height })
      listener.screensChanged()
    }
    const human = await HumanWatch.open(display, this.input, this.activity)
    if (human === undefined)
      this.gaps = { humanInput: { ok: false, reason: 'the X server does not tell which device sent an event (no XInput 2)' } }
    else this.swallowInjected = () => human.swallow(this.input)
  }

  /** What shows a person that agents act is in no picture of theirs, also where it came or went while the picture was taken. */
  async #withoutSign(...what: Parameters<Grab>): ReturnType<Grab> {
    const before = await this.windows.signs()
    const pixels = await this.#grabber.grab(...what)
    await this.sync()
    erase(pixels, [...before, ...(await this.windows.signs())], this.#display)
    return pixels
  }

  close(): void {
    this.input.keymap.restore()
    this.activity.close()
    this.#display.close()
    this.#grabber.close()
    this.clipboard.close()
  }
}
