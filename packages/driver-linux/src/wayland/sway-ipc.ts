import { type Socket, connect } from 'node:net'
import { DeskhandError } from '@deskhand/core/errors'

const MAGIC = 'i3-ipc'
const HEADER = MAGIC.length + 8
const DEADLINE_MS = 3000
const LARGEST = 64 << 20
export const SWAY = { command: 0, subscribe: 2, tree: 4 } as const

/** A connection to sway's own socket: one question after the other, each with its answer, or events. */
export class SwayIpc {
  onEvent: () => void = () => {}
  readonly #socket: Socket
  readonly #waiting: { done: (answer: unknown) => void; fail: (error: DeskhandError) => void }[] = []
  #rest = Buffer.alloc(0)

  static open(path: string): Promise<SwayIpc> {
    return new Promise((done, fail) => {
      const socket = connect(path)
      const refuse = (cause: Error): void =>
        fail(new DeskhandError('NO_DESKTOP', `sway does not answer at ${path}: ${cause.message}`, { cause }))
      socket.once('error', refuse)
      socket.once('connect', () => {
        socket.off('error', refuse)
        done(new SwayIpc(socket))
      })
    })
  }

  private constructor(socket: Socket) {
    this.#socket = socket
    socket.on('data', (bytes) => this.#take(bytes))
    socket.on('error', () => this.close())
    socket.on('close', () => {
      for (const { fail } of this.#waiting.splice(0)) fail(new DeskhandError('NO_DESKTOP', 'sway is gone'))
    })
  }

  ask(type: number, payload = ''): Promise<unknown> {
    return new Promise((done, fail) => {
      if (this.#socket.destroyed) return fail(new DeskhandError('NO_DESKTOP', 'sway is gone'))
      // Answers come in order, so one that is late makes those behind it worthless.
      const timer = setTimeout(() => {
        fail(new DeskhandError('TIMEOUT', `sway did not answer within ${DEADLINE_MS} ms`))
        this.close()
      }, DEADLINE_MS)
      this.#waiting.push({
        done: (answer) => {
          clearTimeout(timer)
          done(answer)
        },
        fail: (error) => {
          clearTimeout(timer)
          fail(error)
        },
      })
      const body = Buffer.from(payload)
      const head = Buffer.alloc(HEADER)
      head.write(MAGIC)
      head.writeUInt32LE(body.length, MAGIC.length)
      head.writeUInt32LE(type, MAGIC.length + 4)
      this.#socket.write(Buffer.concat([head, body]))
    })
  }

  /** Not `end`: sway spins over a socket that is closed by half. */
  close(): void {
    this.#socket.destroy()
  }

  #take(bytes: Buffer): void {
    let data = Buffer.concat([this.#rest, bytes])
    while (data.length >= HEADER) {
      const size = data.readUInt32LE(MAGIC.length)
      if (size > LARGEST) return this.close()
      if (data.length < HEADER + size) break
      // The highest bit says that it is an event.
      const isEvent = data.readUInt32LE(MAGIC.length + 4) >= 0x80000000
      const answer: unknown = isEvent ? undefined : JSON.parse(data.toString('utf8', HEADER, HEADER + size))
      data = data.subarray(HEADER + size)
      if (isEvent) this.onEvent()
      else this.#waiting.shift()?.done(answer)
    }
    this.#rest = data
  }
}
