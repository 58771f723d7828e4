import type { WebSocket } from 'ws'
import { DeskhandError } from '@deskhand/core/errors'
import type { InputEvent, Principal } from '@deskhand/core/model'
import type { ServedDesktop } from '../desktop.ts'
import { RfbConnection } from './rfb.ts'

/** A client that takes nothing of an update for so long is gone. */
const STALLED_MS = 30_000
/** Events that wait while earlier ones are sent; a client that is faster than the desktop loses moves, never keys or buttons. */
const MOST_WAITING = 256

/** The live picture over a WebSocket. What an operator does in it is done on the desktop; anyone else's input goes nowhere. */
export function showPicture(socket: WebSocket, desktop: ServedDesktop, who: Principal): void {
  const input = who.role === 'operator' ? new OperatorInput(desktop, who, (reason) => socket.close(1011, reason.slice(0, 120))) : undefined
  const connection = new RfbConnection({
    screen: desktop.screen,
    name: desktop.name,
    send: (bytes) => sent(socket, bytes),
    close: (reason) => socket.close(1000, reason.slice(0, 120)),
    operate: input && ((events) => input.add(events)),
  })
  socket.on('message', (data: Buffer, isBinary) =>
    isBinary ? connection.receive(data) : socket.close(1003, 'only binary messages are read'),
  )
  socket.once('close', () => {
    connection.closed()
    input?.close()
  })
}

/** Sends an operator's events one batch after the other. Moves alone take nothing over: a pointer that passes over the picture is no wish. */
class OperatorInput {
  readonly #desktop: ServedDesktop
  readonly #who: Principal
  readonly #fail: (reason: string) => void
  #waiting: InputEvent[] = []
  #isSending = false
  #hasTaken = false

  constructor(desktop: ServedDesktop, who: Principal, fail: (reason: string) => void) {
    this.#desktop = desktop
    this.#who = who
    this.#fail = fail
  }

  add(events: readonly InputEvent[]): void {
    for (const event of events) {
      const last = this.#waiting.at(-1)
      if (event.type === 'move' && last?.type === 'move') this.#waiting.pop()
      this.#waiting.push(event)
    }
    if (!this.#hasTaken && this.#waiting.every((e) => e.type === 'move')) return
    if (this.#waiting.length > MOST_WAITING) return this.#fail('too much input at once')
    void this.#send()
  }

  /** Its connection has ended: what it held is released; the desktop stays taken until it is handed back. */
  close(): void {
    if (this.#hasTaken) void this.#desktop.invoke('takeover.input', { events: [], release: true }, this.#who).catch(() => {})
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
    } catch (thrown) {
      this.#fail(DeskhandError.from(thrown).message)
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
