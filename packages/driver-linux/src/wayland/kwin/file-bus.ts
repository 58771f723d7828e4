import type { Socket } from 'node:net'
import { DeskhandError } from '@deskhand/core/errors'
import { type Body, BusError } from '../../dbus/index.ts'
import { socketPaths } from '../../dbus/address.ts'
import { CALL, ERROR, Framer, type Message, RETURN, encode } from '../../dbus/message.ts'
import { FileSocket } from '../socket.ts'

const DAEMON = 'org.freedesktop.DBus'
const DEADLINE_MS = 5000

/** A connection to a message bus over which an open file can be passed along with a call. It makes one call after the other. */
export class FileBus {
  readonly #socket: FileSocket
  readonly #framer = new Framer()
  #serial = 0
  #waiting: { serial: number; done: (m: Message) => void; fail: (error: Error) => void } | undefined

  static async connect(address: string): Promise<FileBus> {
    const path = socketPaths(address).find((p) => !p.startsWith('\0'))
    if (path === undefined) throw new DeskhandError('NOT_CAPABLE', 'files cannot be passed over a session bus without a path')
    const socket = await FileSocket.connect(path)
    try {
      const say = (text: string): Promise<string> =>
        within(new Promise((done) => ((socket.onData = (bytes) => done(bytes.toString('latin1'))), socket.send(Buffer.from(text)))))
      const uid = Buffer.from(String(process.getuid?.() ?? 0)).toString('hex')
      if (!(await say(`\0AUTH EXTERNAL ${uid}\r\n`)).startsWith('OK')) throw new DeskhandError('NO_DESKTOP', 'the session bus refused us')
      if (!(await say('NEGOTIATE_UNIX_FD\r\n')).startsWith('AGREE'))
        throw new DeskhandError('NOT_CAPABLE', 'the session bus passes no files')
      socket.send(Buffer.from('BEGIN\r\n'))
      const bus = new FileBus(socket)
      await bus.call({ destination: DAEMON, path: '/org/freedesktop/DBus', iface: DAEMON, member: 'Hello' }, '', [], 's')
      return bus
    } catch (error) {
      socket.close()
      throw error
    }
  }

  private constructor(socket: FileSocket) {
    this.#socket = socket
    socket.onData = (bytes) => this.#receive(bytes)
    socket.onClose = () => this.#waiting?.fail(new BusError('closed', 'the session bus is gone'))
  }

  get isOpen(): boolean {
    return this.#socket.isOpen
  }

  /** `file` is the `h` among the arguments. */
  async call<R extends string>(
    to: { destination: string; path: string; iface: string; member: string },
    signature: string,
    args: readonly unknown[],
    reply: R,
    file?: Socket,
  ): Promise<Body<R>> {
    const serial = ++this.#serial
    const bytes = encode(serial, { type: CALL, ...to, ...(file !== undefined && { files: 1 }) }, signature, args)
    const answer = new Promise<Message>((done, fail) => {
      this.#waiting = { serial, done, fail }
      this.#socket.send(bytes, file)
    })
    const body = (await within(answer)).read(reply)
    if (body === undefined) throw new BusError('shape', `${to.iface}.${to.member} answered something else than "${reply}"`)
    return body
  }

  close(): void {
    this.#socket.close()
  }

  #receive(bytes: Buffer): void {
    try {
      this.#framer.push(bytes, (m) => {
        if (m.replyTo !== this.#waiting?.serial) return
        if (m.type === RETURN) this.#waiting.done(m)
        else if (m.type === ERROR) this.#waiting.fail(new BusError(m.error, m.read('s')?.[0] ?? ''))
      })
    } catch {
      this.close()
    }
  }
}

function within<T>(answer: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, fail) => {
    timer = setTimeout(() => fail(new BusError('timeout', 'the session bus did not answer in time')), DEADLINE_MS)
  })
  return Promise.race([answer, late]).finally(() => clearTimeout(timer))
}
