import type { InputEvent, Rect } from '@deskhand/core/model'
import { DeskhandError } from '@deskhand/core/errors'
import type { Changes, Move } from './changes.ts'
import { ClientInput } from './client-input.ts'
import { EXTENDED_CLIPBOARD, LONGEST_TEXT } from './clipboard.ts'
import { Damage } from './framebuffer.ts'
import type { LiveScreen, Viewer } from './live-screen.ts'
import { ReaderPace, type Thrift } from './pace.ts'
import { isTrueColour, NATIVE, rawPixels, readFormat, writeFormat, type PixelFormat } from './pixel-format.ts'
import { Received } from './received.ts'
import { COPY, copyRect, EXTENDED_SIZE, rectHead, sizeRect } from './rects.ts'

const VERSION = 'RFB 003.008\n'
/** What a client may answer to it; 3.5 is no version, but said for 3.3. */
const MINORS: ReadonlyMap<string, number> = new Map([
  [VERSION, 8],
  ['RFB 003.007\n', 7],
  ['RFB 003.005\n', 3],
  ['RFB 003.003\n', 3],
])
const NO_SECURITY = 1
const RAW = 0
const TIGHT = 7
const DESKTOP_SIZE = -223
/** Why such a rectangle is sent, and what became of a wish. */
const BY_THIS_CLIENT = 1
const [DONE, PROHIBITED, INVALID] = [0, 1, 3]
const MOST_ENCODINGS = 256
/** Moves that wait for a client to ask; what moves after them is sent as it looks. */
const MOST_MOVES = 64
/** What was sent in fewer colours is sent in all of them when nothing else has changed for so long. */
const REFINE_MS = 400

export interface RfbOptions {
  screen: LiveScreen
  name: string
  /** Resolves when the client has taken what was sent. */
  send(bytes: Buffer): Promise<void>
  close(reason: string): void
  /** What an operator does; absent for those whose input goes nowhere. */
  operate?(events: InputEvent[]): void
  /** Gives the screen another size; absent for those who may not. */
  resize?(width: number, height: number): Promise<void>
  /** A challenge that the client has to answer; none where it has shown who it is already. */
  security?: { type: number; challenge: Buffer; accepts(answer: Buffer): boolean }
}

/** One client of the RFB protocol, 3.8 or older. It is sent what it has not seen when it asks, and nothing is kept for it meanwhile. */
export class RfbConnection implements Viewer {
  readonly #on: RfbOptions
  readonly #damage = new Damage()
  /** What the client has at another place; it is told so before anything else is drawn. */
  #moves: Move[] = []
  readonly #pace: ReaderPace
  /** What the client has in fewer colours than the screen. */
  readonly #coarse = new Damage()
  #refining: NodeJS.Timeout | undefined
  /** The client asked for what it may have already, or is sent the colours that were left out: all of it, in all its colours. */
  #isWhole = false
  readonly #held = new Received()
  #expects: (bytes: Buffer) => number | undefined
  #format: PixelFormat = NATIVE
  #encodings: ReadonlySet<number> = new Set()
  #minor = 8
  #isAsked = false
  #isSending = false
  #isResized = false
  /** What became of a size that this client wished for; sent with the next update. */
  #wish: number | undefined
  #knowsSizes = false
  #isOpen = true
  readonly #input: ClientInput

  constructor(options: RfbOptions) {
    this.#on = options
    const { operate, send, screen } = options
    this.#input = new ClientInput({ operate, send: (bytes) => this.#isOpen && void send(bytes), framebuffer: screen.framebuffer })
    this.#pace = new ReaderPace(options.screen.pace)
    this.#expects = (bytes) => this.#version(bytes)
    void options.send(Buffer.from(VERSION, 'latin1'))
  }

  /** Ready for more: it asked, and nothing is under way. */
  get isReady(): boolean {
    return this.#isAsked && !this.#isSending
  }

  get thrift(): Thrift {
    return this.#pace.thrift
  }

  receive(bytes: Buffer): void {
    this.#held.add(bytes)
    try {
      while (this.#isOpen && this.#held.length > 0) {
        const used = this.#expects(this.#held.bytes)
        if (used === undefined) {
          if (this.#held.length > LONGEST_TEXT + 1_024) throw malformed('a message that does not end')
          return
        }
        this.#held.drop(used)
      }
    } catch (thrown) {
      this.#end(DeskhandError.from(thrown).message)
    }
  }

  changed({ moves, areas }: Changes): void {
    for (const move of moves) if (!this.#copies(move)) this.#damage.add(move.to)
    for (const area of areas) this.#damage.add(area)
    void this.#pump()
  }

  /** Whether the client itself moves what moved: only what it has as the screen had it, with nothing about it still to be sent. */
  #copies(move: Move): boolean {
    const source = { ...move.to, y: move.fromY }
    const isKnown = !this.#isSending && !this.#isResized && this.#moves.length < MOST_MOVES && !this.#damage.touches(source)
    if (!isKnown || !this.#encodings.has(COPY)) return false
    this.#moves.push(move)
    if (this.#coarse.touches(source)) this.#refine([move.to])
    return true
  }

  resized(): void {
    this.#isResized = true
    this.#moves = []
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
    clearTimeout(this.#refining)
    this.#on.screen.leave(this)
    this.#input.release()
  }

  #version(bytes: Buffer): number | undefined {
    if (bytes.length < VERSION.length) return undefined
    const minor = MINORS.get(bytes.toString('latin1', 0, VERSION.length))
    if (minor === undefined) throw malformed('another version than 3.3, 3.7 and 3.8')
    this.#minor = minor
    const { security } = this.#on
    const type = security?.type ?? NO_SECURITY
    if (minor >= 7) {
      void this.#on.send(Buffer.from([1, type]))
      this.#expects = (more) => this.#securityType(more)
      return VERSION.length
    }
    // The server chooses, and nothing is said of how it went where there is nothing to answer.
    void this.#on.send(Buffer.from([0, 0, 0, type]))
    return security === undefined ? this.#welcome(VERSION.length) : this.#challenge(security, VERSION.length)
  }

  #securityType(bytes: Buffer): number {
    const { security } = this.#on
    if (bytes[0] !== (security?.type ?? NO_SECURITY)) throw malformed('a security type that was not offered')
    if (security !== undefined) return this.#challenge(security, 1)
    if (this.#minor >= 8) void this.#on.send(Buffer.alloc(4))
    return this.#welcome(1)
  }

  #challenge({ challenge, accepts }: NonNullable<RfbOptions['security']>, used: number): number {
    void this.#on.send(challenge)
    this.#expects = (answer) => {
      if (answer.length < 16) return undefined
      const isRight = accepts(answer.subarray(0, 16))
      const told = Buffer.from([0, 0, 0, isRight ? 0 : 1])
      if (isRight) {
        void this.#on.send(told)
        return this.#welcome(16)
      }
      const reason = Buffer.from('this password is not known here')
      const length = Buffer.from([0, 0, 0, reason.length])
      void this.#on.send(this.#minor >= 8 ? Buffer.concat([told, length, reason]) : told)
      throw malformed('a wrong password')
    }
    return used
  }

  #welcome(used: number): number {
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
    if (!this.#isOpen) return
    const { width, height } = screen.framebuffer
    this.#damage.add(screen.framebuffer.bounds)
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
          // The first update tells such a client that it may wish for sizes.
          if (this.#encodings.has(EXTENDED_SIZE) && !this.#knowsSizes) this.#isResized = this.#knowsSizes = true
          if (this.#encodings.has(EXTENDED_CLIPBOARD)) this.#input.clipboard.extend()
        })
      }
      case 3:
        return whole(bytes, 10, () => {
          const [x, y, w, h] = [bytes.readUInt16BE(2), bytes.readUInt16BE(4), bytes.readUInt16BE(6), bytes.readUInt16BE(8)]
          if (bytes[1] === 0) this.#whole([{ x, y, w, h }])
          this.#isAsked = true
          this.#pace.asked()
          this.#on.screen.wanted()
          void this.#pump()
        })
      case 4:
        return whole(bytes, 8, () => this.#input.key(bytes[1] !== 0, bytes.readUInt32BE(4)))
      case 5:
        return whole(bytes, 6, () => this.#input.pointer(bytes[1] ?? 0, bytes.readUInt16BE(2), bytes.readUInt16BE(4)))
      case 6:
        return this.#input.clipboard.message(bytes)
      case 251: {
        if (bytes.length < 8) return undefined
        return whole(bytes, 8 + 16 * (bytes[6] ?? 0), () => void this.#resize(bytes.readUInt16BE(2), bytes.readUInt16BE(4)))
      }
      default:
        throw malformed(`a message of type ${bytes[0]}`)
    }
  }

  async #resize(width: number, height: number): Promise<void> {
    const { resize } = this.#on
    this.#wish = await (resize?.(width, height).then(
      () => DONE,
      () => INVALID,
    ) ?? PROHIBITED)
    void this.#pump()
  }

  /** Tells of a text that was copied on the desktop. */
  copied(text: string): void {
    this.#input.clipboard.copied(text)
  }

  get #hasNews(): boolean {
    return !this.#damage.isEmpty || this.#moves.length > 0 || this.#wish !== undefined
  }

  async #pump(): Promise<void> {
    if (!this.#isOpen || !this.#isAsked || this.#isSending || !this.#hasNews) return
    this.#isSending = true
    this.#isAsked = false
    try {
      const { screen, send } = this.#on
      const { framebuffer } = screen
      const isTight = this.#encodings.has(TIGHT) && isTrueColour(this.#format)
      const parts: Buffer[] = []
      let count = 0
      if (this.#wish !== undefined) count = parts.push(sizeRect(framebuffer.bounds, BY_THIS_CLIENT, this.#wish))
      if (this.#isResized && this.#encodings.has(EXTENDED_SIZE)) count = parts.push(sizeRect(framebuffer.bounds, 0, DONE))
      else if (this.#isResized) {
        if (!this.#encodings.has(DESKTOP_SIZE)) throw malformed('no wish to hear of another size of the screen')
        count = parts.push(rectHead(framebuffer.bounds, DESKTOP_SIZE))
      }
      this.#isResized = false
      this.#wish = undefined
      for (const move of this.#moves.splice(0)) count = parts.push(copyRect(move))
      const { scopePixels, detailBits } = this.#isWhole ? { scopePixels: undefined, detailBits: 8 } : this.thrift
      this.#isWhole = false
      for (const area of this.#damage.take(framebuffer.bounds, scopePixels, framebuffer.version)) {
        const { rects, coarse } = isTight
          ? await screen.encoded(area, detailBits)
          : { rects: [Buffer.concat([rectHead(area, RAW), rawPixels(framebuffer, area, this.#format)])], coarse: [] }
        parts.push(...rects)
        count += rects.length
        if (coarse.length > 0) this.#refine(coarse)
      }
      const head = Buffer.alloc(4)
      head.writeUInt16BE(count, 2)
      this.#pace.sent()
      await send(Buffer.concat([head, ...parts]))
    } catch (thrown) {
      this.#end(DeskhandError.from(thrown).message)
    } finally {
      this.#isSending = false
    }
    if (this.#isAsked) this.#on.screen.wanted()
    void this.#pump()
  }

  /** Sends these areas with the next update, whatever the pace. */
  #whole(areas: readonly Rect[]): void {
    this.#isWhole = true
    for (const area of areas) this.#damage.add(area)
  }

  /** After a while in which nothing more was sent in fewer colours, those that were left out follow. */
  #refine(areas: readonly Rect[]): void {
    for (const area of areas) this.#coarse.add(area)
    clearTimeout(this.#refining)
    this.#refining = setTimeout(() => {
      this.#whole(this.#coarse.take(this.#on.screen.framebuffer.bounds))
      void this.#pump()
    }, REFINE_MS).unref()
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
