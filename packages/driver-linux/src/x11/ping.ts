import { DeskhandError } from '@deskhand/core/errors'
import type { XEvent } from 'x11'
import type { Display } from './display.ts'
import { numbers } from './property.ts'

export type Pong = 'answered' | 'silent' | 'unsupported'

/**
 * Asks a window's client whether it is there. The question waits in its queue like any event, so the answer means that all before is done.
 * A window that closes meanwhile never answers: its client has closed it by then, which is an answer.
 */
export class Pinger {
  readonly #display: Display
  readonly #waiting = new Map<number, { window: number; answer: () => void }>()
  #count = 0

  constructor(display: Display) {
    this.#display = display
    display.onEvent((event) => this.#receive(event))
  }

  async ping(window: number, deadlineMs: number): Promise<Pong> {
    if (!(await this.#isAble(window))) return 'unsupported'
    const [protocols, ping] = await Promise.all([this.#display.atom('WM_PROTOCOLS'), this.#display.atom('_NET_WM_PING')])
    // Window managers put the time here; ours can never be mistaken for it.
    const stamp = (0x70000000 + (++this.#count & 0xffffff)) >>> 0
    const event = Buffer.alloc(32)
    event[0] = 33
    event[1] = 32
    event.writeUInt32LE(window, 4)
    event.writeUInt32LE(protocols, 8)
    event.writeUInt32LE(ping, 12)
    event.writeUInt32LE(stamp, 16)
    event.writeUInt32LE(window, 20)
    return new Promise((done) => {
      const end = (pong: Pong): void => {
        clearTimeout(timer)
        this.#waiting.delete(stamp)
        done(pong)
      }
      const timer = setTimeout(() => end('silent'), deadlineMs)
      this.#waiting.set(stamp, { window, answer: () => end('answered') })
      this.#display.client.SendEvent(window, false, 0, event)
      // It may have closed before its end could be told of.
      void this.#isShown(window).then((isShown) => isShown || end('answered'))
    })
  }

  #receive(event: XEvent): void {
    if (event.name === 'ClientMessage') this.#waiting.get(event.rawData.readUInt32LE(16))?.answer()
    if (event.name !== 'UnmapNotify' && event.name !== 'DestroyNotify') return
    for (const { window, answer } of this.#waiting.values()) if (window === event.wid) answer()
  }

  async #isShown(window: number): Promise<boolean> {
    const asked = this.#display.ask<{ mapState: number }>((reply) => this.#display.client.GetWindowAttributes(window, reply))
    return asked.then(
      ({ mapState }) => mapState !== 0,
      // A server that is silent says nothing of the window.
      (error: unknown) => error instanceof DeskhandError,
    )
  }

  async #isAble(window: number): Promise<boolean> {
    const [ping, protocols] = await Promise.all([this.#display.atom('_NET_WM_PING'), numbers(this.#display, window, 'WM_PROTOCOLS')])
    return protocols.includes(ping)
  }
}
