import type { InputEvent, Rect } from '@deskhand/core/model'
import { DeskhandError } from '@deskhand/core/errors'
import { Damage } from './framebuffer.ts'
import { keyOf } from './keysyms.ts'
import type { LiveScreen, Viewer } from './live-screen.ts'
import { isTrueColour, NATIVE, rawPixels, readFormat, writeFormat, type PixelFormat } from './pixel-format.ts'
import { rectHead } from './tight.ts'

const VERSION = 'RFB 003.008\n'
const NO_SECURITY = 1
const RAW = 0
const TIGHT = 7
const DESKTOP_SIZE = -223
/** Longer texts of a client's clipboard are not read: it gets none of them in anyway. */
const LONGEST_TEXT = 256 * 1_024
const MOST_ENCODINGS = 256
const BUTTONS = ['left', 'middle', 'right'] as const
/** Wheel buttons of the protocol: up, down, left, right. */
const WHEEL: readonly (readonly [dx: number, dy: number])[] = [
  [0, -1],
  [0, 1],
  [-1, 0],
  [1, 0],
]

export interface RfbOptions {
  screen: LiveScreen
  name: string
  /** Resolves when the client has taken what was sent. */
  send(bytes: Buffer): Promise<void>
  close(reason: string): void
  /** What an operator does; absent for those whose input goes nowhere. */
  operate?(events: InputEvent[]): void
  /** A challenge that the client has to answer; none where it has shown who it is already. */
  security?: { type: number; challenge: Buffer; accepts(answer: Buffer): boolean }
}

/** One client of the RFB protocol, 3.8. It is sent what it has not seen when it asks, and nothing is kept for it meanwhile. */
export class RfbConnection implements Viewer {
  readonly #on: RfbOptions
  readonly #damage = new Damage()
  #held: Buffer = Buffer.alloc(0)
  #expects: (bytes: Buffer) => number | undefined
  #format: PixelFormat = NATIVE
  #encodings: ReadonlySet<number> = new Set()
  #isAsked = false
  #isSending = false
  #isResized = false
  #isOpen = true
  /** Buttons that are down, as the client's mask. */
  #mask = 0
  readonly #keys = new Set<string>()

  constructor(options: RfbOptions) {
    this.#on = options
    this.#expects = (bytes) => this.#version(bytes)
    void options.send(Buffer.from(VERSION, 'latin1'))
  }

  /** Ready for more: it asked, and nothing is under way. */
  get isReady(): boolean {
    return this.#isAsked && !this.#isSending
  }

  receive(bytes: Buffer): void {
    this.#held = this.#held.length === 0 ? bytes : Buffer.concat([this.#held, bytes])
    try {
      while (this.#isOpen && this.#held.length > 0) {
        const used = this.#expects(this.#held)
        if (used === undefined) {
          if (this.#held.length > LONGEST_TEXT + 1_024) throw malformed('a message that does not end')
          return
        }
        this.#held = this.#held.subarray(used)
      }
    } catch (thrown) {
      this.#end(DeskhandError.from(thrown).message)
    }
  }

  damaged(area: Rect): void {
    this.#damage.add(area)
    void this.#pump()
  }

  resized(): void {
    this.#isResized = true
    this.#damage.add(this.#on.screen.framebuffer.bounds)
    void this.#pump()
  }

  ended(reason: string): void {
    this.#end(reason)
  }

  /** The client is gone: nothing that it held stays down. */
  closed(): void {
    if (!this.#isOpen) return
    this.#isOpen = false
    this.#on.screen.leave(this)
    const ups: InputEvent[] = [...this.#keys].map((key) => ({ type: 'up', key }))
    BUTTONS.forEach((button, i) => this.#mask & (1 << i) && ups.push({ type: 'up', button }))
    if (ups.length > 0) this.#on.operate?.(ups)
  }

  #version(bytes: Buffer): number | undefined {
    if (bytes.length < VERSION.length) return undefined
    if (bytes.toString('latin1', 0, VERSION.length) !== VERSION) throw malformed('another version than 3.8')
    const { security } = this.#on
    void this.#on.send(Buffer.from([1, security?.type ?? NO_SECURITY]))
    this.#expects = (more) => this.#securityType(more)
    return VERSION.length
  }

  #securityType(bytes: Buffer): number {
    const { security } = this.#on
    if (bytes[0] !== (security?.type ?? NO_SECURITY)) throw malformed('a security type that was not offered')
    if (security === undefined) return this.#welcome(1)
    void this.#on.send(security.challenge)
    this.#expects = (answer) => {
      if (answer.length < 16) return undefined
      if (security.accepts(answer.subarray(0, 16))) return this.#welcome(16)
      const reason = Buffer.from('this password is not known here')
      const head = Buffer.alloc(8)
      head.writeUInt32BE(1, 0)
      head.writeUInt32BE(reason.length, 4)
      void this.#on.send(Buffer.concat([head, reason]))
      throw malformed('a wrong password')
    }
    return 1
  }

  #welcome(used: number): number {
    void this.#on.send(Buffer.alloc(4))
    this.#expects = (bytes) => {
      this.#expects = () => undefined
      void this.#begin()
      return Math.min(1, bytes.length)
    }
    return used
  }

  async #begin(): Promise<void> {
    const { screen, name, send } = this.#on
    try {
      await screen.join(this)
    } catch (thrown) {
      return this.#end(DeskhandError.from(thrown).message)
    }
    const { width, height } = screen.framebuffer
    const title = Buffer.from(name)
    const head = Buffer.alloc(4)
    head.writeUInt16BE(width, 0)
    head.writeUInt16BE(height, 2)
    const size = Buffer.alloc(4)
    size.writeUInt32BE(title.length)
    void send(Buffer.concat([head, writeFormat(NATIVE), size, title]))
    this.#isResized = false
    this.#expects = (bytes) => this.#message(bytes)
    this.receive(Buffer.alloc(0))
  }

  /** How many bytes the message took; undefined until all of it is there. */
  #message(bytes: Buffer): number | undefined {
    switch (bytes[0]) {
      case 0:
        return whole(bytes, 20, () => {
          const format = readFormat(bytes.subarray(4, 20))
          if (format === undefined) throw malformed('a pixel format that is not served')
          this.#format = format
        })
      case 2: {
        if (bytes.length < 4) return undefined
        const count = bytes.readUInt16BE(2)
        if (count > MOST_ENCODINGS) throw malformed('too many encodings')
        return whole(bytes, 4 + 4 * count, () => {
          this.#encodings = new Set(Array.from({ length: count }, (_, i) => bytes.readInt32BE(4 + 4 * i)))
        })
      }
      case 3:
        return whole(bytes, 10, () => {
          const [x, y, w, h] = [bytes.readUInt16BE(2), bytes.readUInt16BE(4), bytes.readUInt16BE(6), bytes.readUInt16BE(8)]
          if (bytes[1] === 0) this.#damage.add({ x, y, w, h })
          this.#isAsked = true
          this.#on.screen.wanted()
          void this.#pump()
        })
      case 4:
        return whole(bytes, 8, () => this.#key(bytes[1] !== 0, bytes.readUInt32BE(4)))
      case 5:
        return whole(bytes, 6, () => this.#pointer(bytes[1] ?? 0, bytes.readUInt16BE(2), bytes.readUInt16BE(4)))
      case 6: {
        if (bytes.length < 8) return undefined
        const length = bytes.readUInt32BE(4)
        if (length > LONGEST_TEXT) throw malformed('too long a text')
        return whole(bytes, 8 + length, () => {})
      }
      default:
        throw malformed(`a message of type ${bytes[0]}`)
    }
  }

  #key(isDown: boolean, keysym: number): void {
    const key = keyOf(keysym)
    if (key === undefined || this.#on.operate === undefined) return
    if (isDown) this.#keys.add(key)
    else if (!this.#keys.delete(key)) return
    this.#on.operate([{ type: isDown ? 'down' : 'up', key }])
  }

  #pointer(mask: number, x: number, y: number): void {
    const { operate, screen } = this.#on
    if (operate === undefined) return
    const { origin, width, height } = screen.framebuffer
    const events: InputEvent[] = [{ type: 'move', x: origin.x + Math.min(x, width - 1), y: origin.y + Math.min(y, height - 1) }]
    BUTTONS.forEach((button, i) => {
      const [was, is] = [this.#mask & (1 << i), mask & (1 << i)]
      if (was !== is) events.push({ type: is === 0 ? 'up' : 'down', button })
    })
    WHEEL.forEach(([dx, dy], i) => {
      if ((mask & (8 << i)) !== 0 && (this.#mask & (8 << i)) === 0) events.push({ type: 'wheel', dx, dy })
    })
    this.#mask = mask
    operate(events)
  }

  async #pump(): Promise<void> {
    if (!this.#isOpen || !this.#isAsked || this.#isSending || this.#damage.isEmpty) return
    this.#isSending = true
    this.#isAsked = false
    try {
      const { screen, send } = this.#on
      const { framebuffer } = screen
      const isTight = this.#encodings.has(TIGHT) && isTrueColour(this.#format)
      const parts: Buffer[] = []
      let count = 0
      if (this.#isResized) {
        if (!this.#encodings.has(DESKTOP_SIZE)) throw malformed('no wish to hear of another size of the screen')
        count = parts.push(rectHead(framebuffer.bounds, DESKTOP_SIZE))
        this.#isResized = false
      }
      for (const area of this.#damage.take(framebuffer.bounds)) {
        const rects = isTight
          ? await screen.encoded(area)
          : [Buffer.concat([rectHead(area, RAW), rawPixels(framebuffer, area, this.#format)])]
        parts.push(...rects)
        count += rects.length
      }
      const head = Buffer.alloc(4)
      head.writeUInt16BE(count, 2)
      await send(Buffer.concat([head, ...parts]))
    } catch (thrown) {
      this.#end(DeskhandError.from(thrown).message)
    } finally {
      this.#isSending = false
    }
    if (this.#isAsked) this.#on.screen.wanted()
    void this.#pump()
  }

  #end(reason: string): void {
    if (!this.#isOpen) return
    this.closed()
    this.#on.close(reason)
  }
}

function whole(bytes: Buffer, size: number, take: () => void): number | undefined {
  if (bytes.length < size) return undefined
  take()
  return size
}

const malformed = (what: string): DeskhandError => new DeskhandError('PROTOCOL', `The viewer sent ${what}.`)
