import type { XEvent } from 'x11'
import type { Display } from './display.ts'

const PROPERTY_CHANGE = 0x400000
const REDIRECT_AND_NOTIFY = 0x180000
/** A window manager that takes longer does not know the question, or is not there; it is not asked again. */
const PATIENCE_MS = 500

/**
 * A window manager may hold a click back until it has looked at it, while keys pass by. It looks at one event after the other,
 * so it answers a question that came after the click when it has let the click go.
 */
export class ManagerEcho {
  readonly #display: Display
  readonly #window: number
  readonly #waiting = new Set<() => void>()
  #isDeaf = false

  constructor(display: Display) {
    this.#display = display
    this.#window = display.client.AllocID()
    display.client.CreateWindow(this.#window, display.root, -10, -10, 1, 1, 0, 0, 0, 0, { eventMask: PROPERTY_CHANGE })
    display.onEvent((event) => this.#receive(event))
  }

  /** Returns when the window manager has come to this point. */
  async heard(): Promise<void> {
    if (this.#isDeaf) return
    const ask = await this.#display.atom('_NET_REQUEST_FRAME_EXTENTS')
    const event = Buffer.alloc(32)
    event[0] = 33
    event[1] = 32
    event.writeUInt32LE(this.#window, 4)
    event.writeUInt32LE(ask, 8)
    await new Promise<void>((done) => {
      const end = (): void => {
        clearTimeout(timer)
        this.#waiting.delete(end)
        done()
      }
      const timer = setTimeout(() => {
        this.#isDeaf = true
        end()
      }, PATIENCE_MS)
      this.#waiting.add(end)
      this.#display.client.SendEvent(this.#display.root, false, REDIRECT_AND_NOTIFY, event)
    })
  }

  #receive(event: XEvent): void {
    if (event.name === 'PropertyNotify' && event.rawData.readUInt32LE(4) === this.#window) for (const end of [...this.#waiting]) end()
  }
}
