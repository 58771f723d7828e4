import { DeskhandError } from '@deskhand/core/errors'
import type { XEvent } from 'x11'
import { Display } from './display.ts'
import type { Clipboard, Env } from '../display-server.ts'

const PROPERTY_CHANGE = 0x400000
const CURRENT_TIME = 0
/** Bigger texts travel in pieces of this size. */
const PIECE = 60_000
const ANSWER_MS = 2000
const ATOM = 4

type Atoms = Record<'CLIPBOARD' | 'TARGETS' | 'UTF8_STRING' | 'INCR' | 'TEXT' | 'MIME' | 'MINE', number>

/** The clipboard of an X server. What we put there stays as long as this connection does. */
export class XClipboard implements Clipboard {
  readonly #display: Display
  readonly #window: number
  readonly #atoms: Atoms
  readonly #listeners = new Set<(event: XEvent) => void>()
  #text: Buffer | undefined

  static async open(env: Env): Promise<XClipboard> {
    const display = await Display.open(env)
    const names = ['CLIPBOARD', 'TARGETS', 'UTF8_STRING', 'INCR', 'TEXT', 'text/plain;charset=utf-8', 'DESKHAND_CLIPBOARD']
    const [CLIPBOARD = 0, TARGETS = 0, UTF8_STRING = 0, INCR = 0, TEXT = 0, MIME = 0, MINE = 0] = await Promise.all(
      names.map((n) => display.atom(n)),
    )
    const window = display.client.AllocID()
    display.client.CreateWindow(window, display.root, -10, -10, 1, 1, 0, 0, 0, 0, { eventMask: PROPERTY_CHANGE })
    await display.sync()
    return new XClipboard(display, window, { CLIPBOARD, TARGETS, UTF8_STRING, INCR, TEXT, MIME, MINE })
  }

  private constructor(display: Display, window: number, atoms: Atoms) {
    this.#display = display
    this.#window = window
    this.#atoms = atoms
    display.onEvent((event) => {
      if (event.name === 'SelectionRequest') this.#serve(event.rawData)
      else if (event.name === 'SelectionClear') this.#text = undefined
      for (const listener of [...this.#listeners]) listener(event)
    })
  }

  async write(text: string): Promise<void> {
    const { client } = this.#display
    this.#text = Buffer.from(text, 'utf8')
    client.SetSelectionOwner(this.#window, this.#atoms.CLIPBOARD, CURRENT_TIME)
    const owner = await this.#owner()
    if (owner !== this.#window) throw new DeskhandError('DRIVER_FAILED', 'the X server did not give us the clipboard')
  }

  /** The text on the clipboard; empty when it holds none. */
  async read(): Promise<string> {
    const owner = await this.#owner()
    if (owner === 0) return ''
    if (owner === this.#window && this.#text !== undefined) return this.#text.toString('utf8')
    const { client } = this.#display
    const { CLIPBOARD, UTF8_STRING, MINE, INCR } = this.#atoms
    // Listening begins before anything is asked, as pieces come one after the other without waiting for us.
    const answers = this.#collect((e) => e.name === 'SelectionNotify' || this.#isNewPiece(e))
    try {
      client.ConvertSelection(this.#window, CLIPBOARD, UTF8_STRING, MINE, CURRENT_TIME)
      await this.#display.sync()
      let notify = await answers.next()
      while (notify.name !== 'SelectionNotify') notify = await answers.next()
      // Bytes 20 to 23 name the property that was filled, or none when the owner has no text.
      if (notify.rawData.readUInt32LE(20) === 0) return ''
      const first = await this.#take()
      if (first.type !== INCR) return first.data.toString('utf8')
      return (await this.#pieces(answers.next)).toString('utf8')
    } finally {
      answers.stop()
    }
  }

  close(): void {
    this.#display.close()
  }

  #owner(): Promise<number> {
    return this.#display.ask<number>((reply) => this.#display.client.GetSelectionOwner(this.#atoms.CLIPBOARD, reply))
  }

  /** The property the owner filled; reading it whole also removes it, which asks for the next piece. */
  #take(): Promise<{ type: number; data: Buffer }> {
    return this.#display.ask((reply) => this.#display.client.GetProperty(1, this.#window, this.#atoms.MINE, 0, 0, 1 << 24, reply))
  }

  async #pieces(next: () => Promise<XEvent>): Promise<Buffer> {
    const parts: Buffer[] = []
    for (;;) {
      await next()
      const { type, data } = await this.#take()
      if (type === 0) continue
      if (data.length === 0) return Buffer.concat(parts)
      parts.push(Buffer.from(data))
    }
  }

  #isNewPiece(event: XEvent): boolean {
    const { rawData } = event
    return (
      event.name === 'PropertyNotify' &&
      rawData.readUInt32LE(4) === this.#window &&
      rawData.readUInt32LE(8) === this.#atoms.MINE &&
      rawData[16] === 0
    )
  }

  /** Events from now on, each to be taken once. */
  #collect(wanted: (event: XEvent) => boolean): { next: () => Promise<XEvent>; stop: () => void } {
    const events: XEvent[] = []
    let wake = (): void => {}
    const listener = (event: XEvent): void => {
      if (!wanted(event)) return
      events.push(event)
      wake()
    }
    this.#listeners.add(listener)
    const next = async (): Promise<XEvent> => {
      const end = performance.now() + ANSWER_MS
      for (;;) {
        const event = events.shift()
        if (event !== undefined) return event
        const left = end - performance.now()
        if (left <= 0) throw new DeskhandError('APP_HUNG', 'the application that owns the clipboard does not answer')
        await new Promise<void>((done) => {
          const timer = setTimeout(done, left)
          wake = () => {
            clearTimeout(timer)
            done()
          }
        })
      }
    }
    return { next, stop: () => void this.#listeners.delete(listener) }
  }

  /** Another application wants what we put there. */
  #serve(request: Buffer): void {
    const [time = 0, , requestor = 0, selection = 0, target = 0, asked = 0] = [4, 8, 12, 16, 20, 24].map((at) => request.readUInt32LE(at))
    const property = asked === 0 ? target : asked
    const given = this.#text !== undefined && this.#give(requestor, target, property, this.#text)
    const notify = Buffer.alloc(32)
    notify[0] = 31
    ;[time, requestor, selection, target, given ? property : 0].forEach((value, i) => notify.writeUInt32LE(value, 4 + i * 4))
    this.#display.client.SendEvent(requestor, false, 0, notify)
  }

  #give(requestor: number, target: number, property: number, text: Buffer): boolean {
    const { client } = this.#display
    const { TARGETS, UTF8_STRING, TEXT, MIME } = this.#atoms
    if (target === TARGETS) {
      client.ChangeProperty(0, requestor, property, ATOM, 32, [TARGETS, UTF8_STRING, TEXT, MIME])
      return true
    }
    if (target !== UTF8_STRING && target !== TEXT && target !== MIME) return false
    const type = target === TEXT ? UTF8_STRING : target
    if (text.length <= PIECE) client.ChangeProperty(0, requestor, property, type, 8, text)
    else this.#giveInPieces(requestor, property, type, text)
    return true
  }

  /** Each time the other side has removed a piece, it gets the next; an empty one ends it. */
  #giveInPieces(requestor: number, property: number, type: number, text: Buffer): void {
    const { client } = this.#display
    let at = 0
    client.ChangeWindowAttributes(requestor, { eventMask: PROPERTY_CHANGE })
    client.ChangeProperty(0, requestor, property, this.#atoms.INCR, 32, [text.length])
    const listener = (event: XEvent): void => {
      if (event.name !== 'PropertyNotify') return
      const removed = event.rawData.readUInt32LE(4) === requestor && event.rawData.readUInt32LE(8) === property && event.rawData[16] === 1
      if (!removed) return
      const piece = text.subarray(at, at + PIECE)
      at += piece.length
      client.ChangeProperty(0, requestor, property, type, 8, piece)
      if (piece.length === 0) this.#listeners.delete(listener)
    }
    this.#listeners.add(listener)
  }
}
