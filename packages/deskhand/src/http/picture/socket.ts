import type { WebSocket } from 'ws'
import { DeskhandError } from '@deskhand/core/errors'
import type { InputEvent, Principal } from '@deskhand/core/model'
import type { ServedDesktop } from '../desktop.ts'
import { RfbConnection } from './rfb.ts'

/** A client that takes nothing of an update for so long is gone. */
const STALLED_MS = 30_000
/** So long a client has to hear that its socket ends. */
const NOTICE_MS = 2_000
/** Events that wait while earlier ones are sent; a client that is faster than the desktop loses moves, never keys or buttons. */
const MOST_WAITING = 256
/** So long after an operator's last key or button the desktop's clipboard is looked at. */
const COPIED_MS = 300
/** What a client also sends while its user only watches; of several in a row the last one counts. */
const TAKES_NOTHING: ReadonlySet<InputEvent['type']> = new Set<InputEvent['type']>(['move', 'clipboard'])

/** The live picture over a WebSocket. What an operator does in it is done on the desktop; anyone else's input goes nowhere. */
export function showPicture(socket: WebSocket, desktop: ServedDesktop, who: Principal): void {
  const input =
    who.role === 'operator'
      ? new OperatorInput(desktop, who, { fail: (reason) => endSocket(socket, 1011, reason), copied: (text) => connection.copied(text) })
      : undefined
  const connection: RfbConnection = new RfbConnection({
    screen: desktop.screen,
    name: desktop.name,
    send: (bytes) => sent(socket, bytes),
    close: (reason) => endSocket(socket, 1000, reason),
    operate: input && ((events) => input.add(events)),
    resize: input && (async (width, height) => void (await desktop.invoke('screen.size', { width, height }, who))),
  })
  socket.on('message', (data: Buffer, isBinary) => {
    // What is still on its way when the socket was told to close comes from one who may not send it any more.
    if (socket.readyState !== socket.OPEN) return
    if (isBinary) connection.receive(data)
    else endSocket(socket, 1003, 'only binary messages are read')
  })
  socket.once('close', () => {
    connection.closed()
    input?.close()
  })
}

interface Told {
  fail(reason: string): void
  copied(text: string): void
}

/** Sends an operator's events one batch after the other. Moves and texts copied elsewhere take nothing over: a pointer that passes over the picture is no wish. */
class OperatorInput {
  readonly #desktop: ServedDesktop
  readonly #who: Principal
  readonly #on: Told
  #clipboard: string | undefined
  #looking: NodeJS.Timeout | undefined
  #waiting: InputEvent[] = []
  #isSending = false
  #hasTaken = false

  constructor(desktop: ServedDesktop, who: Principal, on: Told) {
    this.#desktop = desktop
    this.#who = who
    this.#on = on
  }

  add(events: readonly InputEvent[]): void {
    for (const event of events) {
      const last = this.#waiting.at(-1)
      // What comes from this client is not told to it again.
      if (event.type === 'clipboard') this.#clipboard = event.text
      if (TAKES_NOTHING.has(event.type) && last?.type === event.type) this.#waiting.pop()
      this.#waiting.push(event)
    }
    if (!this.#hasTaken && this.#waiting.every((e) => TAKES_NOTHING.has(e.type))) return
    if (this.#waiting.length > MOST_WAITING) return this.#on.fail('too much input at once')
    void this.#send()
  }

  /** Its connection has ended: what it held is released; the desktop stays taken until it is handed back. */
  close(): void {
    clearTimeout(this.#looking)
    if (this.#hasTaken) void this.#desktop.invoke('takeover.input', { events: [], release: true }, this.#who).catch(() => {})
  }

  /** What was copied on the desktop, once for each text and where that may leave it. */
  async #look(): Promise<void> {
    const { text } = await this.#desktop.invoke('takeover.clipboard', {}, this.#who)
    if (text === undefined || text === this.#clipboard) return
    this.#clipboard = text
    if (text !== '') this.#on.copied(text)
  }

  async #send(): Promise<void> {
    if (this.#isSending) return
    this.#isSending = true
    try {
      while (this.#waiting.length > 0) {
        const events = this.#waiting
        this.#waiting = []
        this.#hasTaken = true
        await this.#desktop.invoke('takeover.input', { events }, this.#who)
      }
      clearTimeout(this.#looking)
      this.#looking = setTimeout(() => void this.#look().catch(() => {}), COPIED_MS).unref()
    } catch (thrown) {
      this.#on.fail(DeskhandError.from(thrown).message)
    } finally {
      this.#isSending = false
    }
  }
}

function sent(socket: WebSocket, bytes: Buffer): Promise<void> {
  return new Promise((done) => {
    const timer = setTimeout(() => socket.terminate(), STALLED_MS)
    socket.send(bytes, () => {
      clearTimeout(timer)
      done()
    })
  })
}

/** Tells a client why its socket ends; one that takes no notice is cut off. */
export function endSocket(socket: WebSocket, code: number, reason: string): void {
  const bytes = Buffer.from(reason)
  // A reason of more than 123 bytes would throw; cutting a character in two leaves a replacement character of three bytes.
  socket.close(code, bytes.length > 123 ? bytes.toString('utf8', 0, 120) : reason)
  const timer = setTimeout(() => socket.terminate(), NOTICE_MS).unref()
  socket.once('close', () => clearTimeout(timer))
}
