import type { InputEvent } from '@deskhand/core/model'
import { ClientClipboard } from './clipboard.ts'
import type { Framebuffer } from './framebuffer.ts'
import { ClientKeys } from './keysyms.ts'

const BUTTONS = ['left', 'middle', 'right'] as const
/** Wheel buttons of the protocol: up, down, left, right. */
const WHEEL: readonly (readonly [dx: number, dy: number])[] = [
  [0, -1],
  [0, 1],
  [-1, 0],
  [1, 0],
]
/** What follows a text that the client promised waits for it so long, and no longer than so many events. */
const PROMISE_MS = 500
const MOST_WAITING = 64

export interface ClientInputOptions {
  send(bytes: Buffer): void
  /** What an operator does; absent for those whose input goes nowhere. */
  operate?(events: InputEvent[]): void
  framebuffer: Framebuffer
}

/** What a client of the protocol does, as the desktop's input. */
export class ClientInput {
  readonly clipboard: ClientClipboard
  readonly #on: ClientInputOptions
  readonly #keys = new ClientKeys()
  /** Buttons that are down, as the client's mask. */
  #mask = 0
  /** Input behind a text that is on its way: a key that pastes it comes after it. */
  #waiting: InputEvent[] | undefined
  #timer: NodeJS.Timeout | undefined

  constructor(options: ClientInputOptions) {
    this.#on = options
    const { send, operate } = options
    const take = operate && ((text: string) => this.#go([{ type: 'clipboard', text }]))
    this.clipboard = new ClientClipboard({ send, take, promised: () => this.#hold() })
  }

  key(isDown: boolean, keysym: number): void {
    if (this.#on.operate !== undefined) this.#add(this.#keys.strike(isDown, keysym))
  }

  pointer(mask: number, x: number, y: number): void {
    if (this.#on.operate === undefined) return
    const { origin, width, height } = this.#on.framebuffer
    const events: InputEvent[] = [{ type: 'move', x: origin.x + Math.min(x, width - 1), y: origin.y + Math.min(y, height - 1) }]
    BUTTONS.forEach((button, i) => {
      const [was, is] = [this.#mask & (1 << i), mask & (1 << i)]
      if (was !== is) events.push({ type: is === 0 ? 'up' : 'down', button })
    })
    WHEEL.forEach(([dx, dy], i) => {
      if ((mask & (8 << i)) !== 0 && (this.#mask & (8 << i)) === 0) events.push({ type: 'wheel', dx, dy })
    })
    this.#mask = mask
    this.#add(events)
  }

  /** The client is gone: nothing that it held stays down. */
  release(): void {
    const ups = this.#keys.release()
    BUTTONS.forEach((button, i) => this.#mask & (1 << i) && ups.push({ type: 'up', button }))
    this.#add(ups)
    this.#go([])
  }

  #add(events: InputEvent[]): void {
    if (this.#waiting === undefined) return this.#tell(events)
    this.#waiting.push(...events)
    if (this.#waiting.length > MOST_WAITING) this.#go([])
  }

  #hold(): void {
    this.#waiting ??= []
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#go([]), PROMISE_MS).unref()
  }

  /** These, and then what waited. */
  #go(events: InputEvent[]): void {
    clearTimeout(this.#timer)
    const waited = this.#waiting ?? []
    this.#waiting = undefined
    this.#tell([...events, ...waited])
  }

  #tell(events: InputEvent[]): void {
    if (events.length > 0) this.#on.operate?.(events)
  }
}
