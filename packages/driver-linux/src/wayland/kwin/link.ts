import { readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DeskhandError } from '@deskhand/core/errors'
import { type Rect, Rect as AnyRect } from '@deskhand/core/model'
import { z } from 'zod'
import { Bus, type Message } from '../../dbus/index.ts'
import type { Env } from '../../display-server.ts'
import { type Order, State, type WindowLink } from '../window-link.ts'
import { ANSWERS, scriptFor } from './script.ts'

const KWIN = 'org.kde.KWin'
const SCRIPTING = 'org.kde.kwin.Scripting'
const DEADLINE_MS = 3000
/** KWin gives up on a call that is not answered for longer than 25 s. */
const IDLE_MS = 10_000
const PREFIX = 'deskhand-'

const Failure = z.object({ error: z.string() })

interface Waiting {
  order: Order
  done: (state: State) => void
  fail: (error: DeskhandError) => void
}

let opened = 0

/** Speaks with a script of ours inside of KWin, which alone knows where windows are. It goes with this connection. */
export class KwinLink implements WindowLink {
  onChanged: () => void = () => {}
  onDrawn: (areas: Rect[]) => void = () => {}
  readonly #bus: Bus
  readonly #owner: string
  readonly #name: string
  readonly #file: string
  readonly #queue: Waiting[] = []
  #current: Waiting | undefined
  #reply: ((order: string) => void) | undefined
  #idle: NodeJS.Timeout | undefined

  /** Undefined where no KWin is on the session bus. */
  static async open(env: Env): Promise<KwinLink | undefined> {
    const address = env.DBUS_SESSION_BUS_ADDRESS
    const folder = env.XDG_RUNTIME_DIR
    if (address === undefined || folder === undefined) return undefined
    const bus = await Bus.connect(address)
    try {
      const [isThere] = await bus.daemon('NameHasOwner', 's', [KWIN], 'b')
      if (!isThere) {
        bus.close()
        return undefined
      }
      const [owner] = await bus.daemon('GetNameOwner', 's', [KWIN], 's')
      const link = new KwinLink(bus, owner, folder)
      await link.#load(folder)
      await link.ask({})
      return link
    } catch (error) {
      bus.close()
      throw error
    }
  }

  private constructor(bus: Bus, owner: string, folder: string) {
    this.#bus = bus
    this.#owner = owner
    this.#name = `${PREFIX}${process.pid}-${++opened}`
    this.#file = join(folder, `${this.#name}.js`)
    bus.onCall = (call) => this.#hear(call)
    void bus.closed.then(() => {
      clearTimeout(this.#idle)
      for (const { fail } of [...(this.#current ? [this.#current] : []), ...this.#queue.splice(0)]) fail(gone())
    })
  }

  get isOpen(): boolean {
    return this.#bus.isOpen
  }

  /** Does as it is told, one after the other, and says how everything is then. */
  ask(order: Order): Promise<State> {
    return new Promise((resolve, reject) => {
      if (!this.isOpen) return reject(gone())
      const timer = setTimeout(() => {
        waiting.fail(new DeskhandError('TIMEOUT', `KWin did not answer within ${DEADLINE_MS} ms`))
        this.close()
      }, DEADLINE_MS)
      const waiting: Waiting = {
        order,
        done: (state) => {
          clearTimeout(timer)
          resolve(state)
        },
        fail: (error) => {
          clearTimeout(timer)
          reject(error)
        },
      }
      this.#queue.push(waiting)
      this.#pump()
    })
  }

  close(): void {
    if (!this.isOpen) return
    rmSync(this.#file, { force: true })
    const unloaded = this.#bus.call(KWIN, '/Scripting', SCRIPTING, 'unloadScript', 's', [this.#name], 'b')
    void unloaded.catch(() => {}).finally(() => this.#bus.close())
  }

  async #load(folder: string): Promise<void> {
    const call = (member: 'loadScript' | 'unloadScript', ...args: string[]) =>
      this.#bus.ask(KWIN, '/Scripting', SCRIPTING, member, 's'.repeat(args.length), args)
    // What a driver left that was killed.
    for (const file of readdirSync(folder)) {
      const [, name, pid] = /^(deskhand-(\d+)-\d+)\.js$/.exec(file) ?? []
      if (name === undefined || isRunning(Number(pid))) continue
      await call('unloadScript', name)
      rmSync(join(folder, file), { force: true })
    }
    writeFileSync(this.#file, scriptFor(this.#bus.name), { mode: 0o600 })
    const [id] = (await call('loadScript', this.#file, this.#name)).read('i') ?? [-1]
    if (id < 0) throw new DeskhandError('DRIVER_FAILED', 'KWin does not take scripts')
    // Where a script is run is named differently in versions 5 and 6.
    const run = (path: string) => this.#bus.call(KWIN, path, 'org.kde.kwin.Script', 'run', '', [], '')
    await run(`/${id}`).catch(() => run(`/Scripting/Script${id}`))
  }

  /** Any program on the bus can call; only KWin is heard. */
  #hear(call: Message): Promise<string> | undefined {
    if (call.sender !== this.#owner || call.iface !== ANSWERS) return undefined
    const [text] = call.read('s') ?? ['']
    if (call.member === 'Next') return this.#next(text)
    if (call.member === 'Changed') this.onChanged()
    else if (call.member === 'Drawn') this.onDrawn(z.array(AnyRect).parse(JSON.parse(text)))
    return Promise.resolve('')
  }

  #next(answer: string): Promise<string> {
    const waiting = this.#current
    this.#current = undefined
    if (waiting !== undefined) settle(waiting, answer)
    return new Promise((reply) => {
      this.#reply = reply
      this.#idle = setTimeout(() => this.#send(''), IDLE_MS)
      this.#pump()
    })
  }

  #pump(): void {
    if (this.#reply === undefined || this.#current !== undefined) return
    this.#current = this.#queue.shift()
    if (this.#current !== undefined) this.#send(JSON.stringify(this.#current.order))
  }

  #send(order: string): void {
    clearTimeout(this.#idle)
    this.#reply?.(order)
    this.#reply = undefined
  }
}

function settle({ done, fail }: Waiting, answer: string): void {
  try {
    const told: unknown = JSON.parse(answer)
    const failed = Failure.safeParse(told)
    if (failed.success) fail(new DeskhandError('DRIVER_FAILED', `KWin refused: ${failed.data.error}`))
    else done(State.parse(told))
  } catch (error) {
    fail(DeskhandError.from(error))
  }
}

const gone = (): DeskhandError => new DeskhandError('NO_DESKTOP', 'KWin is gone')

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
