import { existsSync } from 'node:fs'
import { DeskhandError } from '@deskhand/core/errors'
import type { Point } from '@deskhand/core/model'
import x11, { type Geometry, type Reply, type XClient, type XDisplay, type XEvent } from 'x11'
import type { Env } from '../display-server.ts'
import { cookieFor, localDisplay } from './authority.ts'

const DEADLINE_MS = 3000
const STRUCTURE_NOTIFY = 0x20000

/** A connection to a local X server. */
export class Display {
  readonly name: string
  readonly client: XClient
  readonly root: number
  /** Of the root window as it is by now. */
  width: number
  height: number
  readonly depth: number
  readonly minKeycode: number
  readonly maxKeycode: number
  readonly closed: Promise<void>
  readonly #pending = new Set<(error: DeskhandError) => void>()
  readonly #atoms = new Map<string, Promise<number>>()
  #open = true
  #holds = 0

  /** `shm` makes the connection able to pass memory to the server, which only capturing needs. */
  static async open(env: Env, options: { shm?: boolean } = {}): Promise<Display> {
    const name = env.DISPLAY
    const number = localDisplay(name)
    if (name === undefined || number === undefined)
      throw new DeskhandError('NO_DESKTOP', `"${name ?? ''}" names no X display of this machine`)
    if (!existsSync(`/tmp/.X11-unix/X${number}`)) throw new DeskhandError('NO_DESKTOP', `no X server listens on display ${name}`)
    const auth = await cookieFor(number, env)
    const display = await connect(name, { display: `:${number}`, auth, shm: options.shm === true, bufferRequests: true })
    const opened = new Display(name, display)
    try {
      await opened.#measure()
    } catch (error) {
      opened.close()
      throw error
    }
    return opened
  }

  private constructor(name: string, display: XDisplay) {
    const screen = display.screen[0]
    if (screen === undefined) throw new DeskhandError('NO_DESKTOP', `display ${name} has no screen`)
    this.name = name
    this.client = display.client
    this.root = screen.root
    this.width = screen.pixel_width
    this.height = screen.pixel_height
    this.depth = screen.root_depth
    this.minKeycode = display.min_keycode
    this.maxKeycode = display.max_keycode
    // The package shares one table of atoms between all servers, although each server numbers its own.
    this.client.atoms = { ...this.client.atoms }
    this.client.atom_names = { ...this.client.atom_names }
    this.closed = new Promise((done) => this.client.stream.once('close', () => done()))
    // Errors of requests without an answer (a window that is gone by now) are expected.
    this.client.on('error', () => {})
    void this.closed.then(() => this.#end())
    this.onEvent(({ name, wid1, width, height }) => {
      if (name !== 'ConfigureNotify' || wid1 !== this.root || typeof width !== 'number' || typeof height !== 'number') return
      this.width = width
      this.height = height
    })
  }

  /** From here on the size is followed. */
  async #measure(): Promise<void> {
    this.client.ChangeWindowAttributes(this.root, { eventMask: STRUCTURE_NOTIFY })
    const { width, height } = await this.ask<Geometry>((reply) => this.client.GetGeometry(this.root, reply))
    this.width = width
    this.height = height
  }

  get isOpen(): boolean {
    return this.#open
  }

  /** One request with its answer, within a deadline. */
  ask<T>(send: (reply: Reply<T>) => void, deadlineMs = DEADLINE_MS): Promise<T> {
    return new Promise((done, fail) => {
      if (!this.#open) return fail(this.#gone())
      const abandon = (error: DeskhandError): void => {
        clearTimeout(timer)
        this.#pending.delete(abandon)
        fail(error)
      }
      const timer = setTimeout(
        () => abandon(new DeskhandError('TIMEOUT', `the X server ${this.name} did not answer within ${deadlineMs} ms`)),
        deadlineMs,
      )
      this.#pending.add(abandon)
      send((error, value) => {
        clearTimeout(timer)
        this.#pending.delete(abandon)
        if (error) fail(error)
        else done(value)
        return true
      })
    })
  }

  /** The server does nothing for other clients until `letGo` has been called as often. */
  hold(): void {
    if (this.#holds++ === 0) this.client.GrabServer()
  }

  letGo(): void {
    if (--this.#holds === 0 && this.#open) this.client.UngrabServer()
  }

  /** Everything sent so far has been done when this returns. */
  async sync(): Promise<void> {
    await this.ask<{ focus: number }>((reply) => this.client.GetInputFocus(reply))
  }

  /** Where the pointer is, when everything sent so far has been done. */
  async pointer(deadlineMs?: number): Promise<Point> {
    const ask = (reply: Reply<{ rootX: number; rootY: number }>): void => this.client.QueryPointer(this.root, reply)
    const { rootX, rootY } = await this.ask(ask, deadlineMs)
    return { x: rootX, y: rootY }
  }

  atom(name: string): Promise<number> {
    let atom = this.#atoms.get(name)
    if (atom === undefined) this.#atoms.set(name, (atom = this.ask<number>((reply) => this.client.InternAtom(false, name, reply))))
    return atom
  }

  onEvent(listener: (event: XEvent) => void): void {
    this.client.on('event', listener)
  }

  close(): void {
    if (!this.#open) return
    this.client.terminate()
    this.#end()
  }

  #end(): void {
    this.#open = false
    for (const abandon of [...this.#pending]) abandon(this.#gone())
  }

  #gone(): DeskhandError {
    return new DeskhandError('NO_DESKTOP', `the X server ${this.name} is gone`)
  }
}

function connect(name: string, options: object): Promise<XDisplay> {
  return new Promise((done, fail) => {
    const refuse = (why: string): void => fail(new DeskhandError('NO_DESKTOP', `display ${name} cannot be opened: ${why}`))
    const timer = setTimeout(() => {
      refuse(`no answer within ${DEADLINE_MS} ms`)
      client.stream.destroy()
    }, DEADLINE_MS)
    const client = x11.createClient(options, (error, display) => {
      clearTimeout(timer)
      if (error) refuse(error.message)
      else done(display)
    })
    client.on('error', (error) => {
      clearTimeout(timer)
      refuse(error.message)
    })
  })
}
