import type { Socket } from 'node:net'
import { isAbsolute, join } from 'node:path'
import { DeskhandError } from '@deskhand/core/errors'
import type { Env } from '../display-server.ts'
import { FileSocket } from './socket.ts'

const DEADLINE_MS = 3000
const DISPLAY = 1
const ROUNDTRIP = { sync: 0, registry: 1 }

/** A number of 32 bits (an object, a new object, a whole number, or `fixed`), or a text. */
export type Arg = number | string

export type Listener = (event: number, read: EventReader) => void

interface Global {
  name: number
  version: number
}

/** A number with a fraction, as the protocol writes it. */
export const fixed = (value: number): number => Math.round(value * 256)

/** A Wayland client: objects with numbers, requests to them and events from them. */
export class Connection {
  /** The folder for memory that is shared with the compositor. */
  readonly folder: string
  readonly closed: Promise<void>
  /** The pipes that were passed to us, in the order of the events that they belong to. */
  readonly pipes: Socket[] = []
  /** A global came or went after the connection was opened. */
  onGlobals: () => void = () => {}
  readonly #socket: FileSocket
  readonly #listeners = new Map<number, Listener>()
  readonly #globals = new Map<string, Global[]>()
  readonly #free: number[] = []
  readonly #pending = new Set<(error: DeskhandError) => void>()
  #next = 2
  #registry = 0
  #rest = Buffer.alloc(0)
  #failure: string | undefined

  static async open(env: Env): Promise<Connection> {
    const folder = env.XDG_RUNTIME_DIR
    const name = env.WAYLAND_DISPLAY === undefined || env.WAYLAND_DISPLAY === '' ? 'wayland-0' : env.WAYLAND_DISPLAY
    if (folder === undefined) throw new DeskhandError('NO_DESKTOP', 'XDG_RUNTIME_DIR is not set, so the Wayland socket cannot be found')
    const connection = new Connection(await FileSocket.connect(isAbsolute(name) ? name : join(folder, name)), folder)
    connection.#registry = connection.create((event, read) => connection.#announce(event, read))
    connection.request(DISPLAY, ROUNDTRIP.registry, [connection.#registry])
    try {
      await connection.sync()
    } catch (error) {
      connection.close()
      throw error
    }
    return connection
  }

  private constructor(socket: FileSocket, folder: string) {
    this.#socket = socket
    this.folder = folder
    this.#listeners.set(DISPLAY, (event, read) => this.#managed(event, read))
    socket.onPipe = (pipe) => this.pipes.push(pipe)
    socket.onData = (bytes) => this.#take(bytes)
    this.closed = new Promise((done) => {
      socket.onClose = () => {
        for (const abandon of [...this.#pending]) abandon(this.#gone())
        done()
      }
    })
  }

  get isOpen(): boolean {
    return this.#socket.isOpen
  }

  /** The version of an interface that the compositor offers; 0 where it does not. */
  version(name: string): number {
    return this.#globals.get(name)?.[0]?.version ?? 0
  }

  /** Everything that the compositor offers. */
  get offers(): string[] {
    return [...this.#globals.keys()]
  }

  /** The objects of every global with this interface, by the global's own number. */
  bindAll(name: string, version: number, listener: (id: number) => Listener, known: ReadonlySet<number> = new Set()): Map<number, number> {
    const bound = new Map<number, number>()
    for (const global of this.#globals.get(name) ?? []) {
      if (known.has(global.name)) continue
      let id = 0
      id = this.create((event, read) => listener(id)(event, read))
      this.request(this.#registry, 0, [global.name, name, Math.min(version, global.version), id])
      bound.set(global.name, id)
    }
    return bound
  }

  isOffered(name: string, global: number): boolean {
    return this.#globals.get(name)?.some((g) => g.name === global) === true
  }

  /** The object of a global that there is one of; throws where it is not offered. */
  bind(name: string, version: number, listener: Listener = () => {}): number {
    const [global] = this.#globals.get(name) ?? []
    if (global === undefined) throw new DeskhandError('NOT_CAPABLE', `the compositor does not offer ${name}`)
    const id = this.create(listener)
    this.request(this.#registry, 0, [global.name, name, Math.min(version, global.version), id])
    return id
  }

  /** A number for a new object, to be named in the very next request: the compositor takes new numbers only in their order. */
  create(listener: Listener = () => {}): number {
    const id = this.#free.pop() ?? this.#next++
    this.#listeners.set(id, listener)
    return id
  }

  /** Hears an object that the compositor made. */
  listen(id: number, listener: Listener): void {
    this.#listeners.set(id, listener)
  }

  request(id: number, opcode: number, args: readonly Arg[] = [], file?: number | Socket): void {
    if (!this.isOpen) throw this.#gone()
    this.#socket.send(encode(id, opcode, args), file)
  }

  /** Everything sent so far has been done when this returns. */
  sync(deadlineMs = DEADLINE_MS): Promise<void> {
    return this.wait(deadlineMs, 'to answer', (done) => {
      this.request(DISPLAY, ROUNDTRIP.sync, [this.create(() => done())])
    })
  }

  /** Waits for what `begin` sets in motion; fails when it takes too long or the compositor goes. */
  wait<T>(deadlineMs: number, what: string, begin: (done: (value: T) => void, fail: (error: DeskhandError) => void) => void): Promise<T> {
    return new Promise((resolve, reject) => {
      const end = (): void => {
        clearTimeout(timer)
        this.#pending.delete(abandon)
      }
      const abandon = (error: DeskhandError): void => {
        end()
        reject(error)
      }
      const late = new DeskhandError('TIMEOUT', `the compositor took longer than ${deadlineMs} ms ${what}`)
      const timer = deadlineMs === Infinity ? undefined : setTimeout(() => abandon(late), deadlineMs)
      this.#pending.add(abandon)
      try {
        begin((value) => {
          end()
          resolve(value)
        }, abandon)
      } catch (error) {
        abandon(DeskhandError.from(error))
      }
    })
  }

  close(): void {
    this.#socket.close()
  }

  #take(bytes: Buffer): void {
    const data = this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes])
    let at = 0
    while (data.length - at >= 8) {
      const size = data.readUInt16LE(at + 6)
      if (size < 8) return this.close()
      if (data.length - at < size) break
      this.#listeners.get(data.readUInt32LE(at))?.(data.readUInt16LE(at + 4), new EventReader(data.subarray(at + 8, at + size)))
      at += size
    }
    // The memory that was read into is used again.
    this.#rest = Buffer.from(data.subarray(at))
  }

  /** Errors, and numbers that are free again. */
  #managed(event: number, read: EventReader): void {
    const id = read.uint()
    if (event === 1) {
      this.#listeners.delete(id)
      this.#free.push(id)
      return
    }
    const code = read.uint()
    this.#failure = `${read.text()} (object ${id}, error ${code})`
    this.close()
  }

  #announce(event: number, read: EventReader): void {
    const name = read.uint()
    if (event === 0) {
      const called = read.text()
      this.#globals.set(called, [...(this.#globals.get(called) ?? []), { name, version: read.uint() }])
    } else
      for (const [called, all] of this.#globals)
        this.#globals.set(
          called,
          all.filter((g) => g.name !== name),
        )
    this.onGlobals()
  }

  #gone(): DeskhandError {
    return new DeskhandError(
      'NO_DESKTOP',
      this.#failure === undefined ? 'the Wayland compositor is gone' : `the compositor ended the connection: ${this.#failure}`,
    )
  }
}

/** The arguments of an event, in their order. */
export class EventReader {
  readonly #data: Buffer
  #at = 0

  constructor(data: Buffer) {
    this.#data = data
  }

  uint(): number {
    return this.#data.readUInt32LE(this.#step(4))
  }

  int(): number {
    return this.#data.readInt32LE(this.#step(4))
  }

  text(): string {
    const size = this.uint()
    const from = this.#step((size + 3) & ~3)
    return this.#data.toString('utf8', from, from + Math.max(0, size - 1))
  }

  #step(size: number): number {
    const at = this.#at
    this.#at += size
    return at
  }
}

function encode(id: number, opcode: number, args: readonly Arg[]): Buffer {
  const parts = args.map((arg) => {
    if (typeof arg === 'string') {
      const text = Buffer.from(arg, 'utf8')
      const part = Buffer.alloc(4 + ((text.length + 4) & ~3))
      part.writeUInt32LE(text.length + 1)
      text.copy(part, 4)
      return part
    }
    const part = Buffer.alloc(4)
    part.writeUInt32LE(arg >>> 0)
    return part
  })
  const head = Buffer.alloc(8)
  head.writeUInt32LE(id)
  head.writeUInt16LE(opcode, 4)
  head.writeUInt16LE(8 + parts.reduce((sum, part) => sum + part.length, 0), 6)
  return Buffer.concat([head, ...parts])
}
