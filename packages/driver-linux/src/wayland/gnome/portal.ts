import { DeskhandError } from '@deskhand/core/errors'
import type { Rect } from '@deskhand/core/model'
import { type Bus, BusError, type Variant } from '../../dbus/index.ts'
import type { Env } from '../../display-server.ts'
import { keepToken, keptToken } from './token.ts'

const PORTAL = 'org.freedesktop.portal.Desktop'
const BACKEND = 'org.freedesktop.impl.portal.desktop.gnome'
const BACKEND_REMOTE = 'org.freedesktop.impl.portal.RemoteDesktop'
const PATH = '/org/freedesktop/portal/desktop'
const REMOTE = 'org.freedesktop.portal.RemoteDesktop'
const CAST = 'org.freedesktop.portal.ScreenCast'
/** How long a person has for the dialog, and the portal for anything else. */
const DIALOG_MS = 120_000
const ANSWER_MS = 20_000
const KEYBOARD_AND_POINTER = 3
const MONITOR = 1
const HIDDEN_CURSOR = 1
const UNTIL_REVOKED = 2
/** From this version on a portal lets a person's answer hold for the next time. */
const KEEPS = { [REMOTE]: 2 }

const text = (value: string): Variant => ({ type: 's', value })
const number = (value: number): Variant => ({ type: 'u', value })
const flag = (value: boolean): Variant => ({ type: 'b', value })

type Options = [string, Variant][]

/** The versions of the portals that input and pictures need; 0 where there is none. */
export async function portalVersions(bus: Bus): Promise<{ remote: number; cast: number }> {
  const version = (iface: string): Promise<number> =>
    bus.get(PORTAL, PATH, iface, 'version', 'u', { deadlineMs: ANSWER_MS }).catch((error: unknown) => {
      if (error instanceof BusError && error.reply === 'closed') throw error
      return 0
    })
  return { remote: await version(REMOTE), cast: await version(CAST) }
}

/** A screen that a person shares: its PipeWire node, and where it lies. */
export interface Stream {
  node: number
  bounds: Rect
}

let asked = 0

/** What a person allowed in the desktop's own dialog: pointer, keyboard and pictures of one screen. It ends with this connection, or when they end it. */
export class PortalSession {
  stream: Stream | undefined
  readonly #bus: Bus
  readonly #answers = new Map<string, (answer: [number, Map<string, Variant>]) => void>()
  #path = ''
  #isOver = false
  #told: () => void = () => {}
  #last: Promise<void> = Promise.resolve()
  #failure: unknown
  #sentAt = 0

  /** Asks the person, unless their last answer still holds. */
  static async open(bus: Bus, versions: { remote: number }, env: Env): Promise<PortalSession> {
    const session = new PortalSession(bus)
    await bus.match(`type='signal',sender='${PORTAL}',interface='org.freedesktop.portal.Request'`)
    await bus.match(`type='signal',sender='${PORTAL}',interface='org.freedesktop.portal.Session'`)
    await session.#ask(versions.remote >= KEEPS[REMOTE], env)
    return session
  }

  private constructor(bus: Bus) {
    this.#bus = bus
    bus.onSignal((signal) => {
      if (signal.member === 'Response') {
        const answer = signal.read('ua{sv}')
        if (answer !== undefined) this.#answers.get(signal.path)?.(answer)
      } else if (signal.member === 'Closed' && signal.path === this.#path) this.#end()
    })
    void bus.closed.then(() => this.#end())
  }

  get isOpen(): boolean {
    return this.#path !== '' && !this.#isOver
  }

  /** Calls back when the person or the desktop ends it, at once where they did already. */
  whenEnded(told: () => void): void {
    this.#told = told
    if (this.#isOver) told()
  }

  /** One event of pointer or keyboard; they arrive in the order of the calls. */
  notify<S extends 'dd' | 'ii' | 'ui' | 'iu' | 'udd'>(member: string, signature: S, args: number[]): void {
    this.#last = this.#last.then(async () => {
      if (!this.isOpen || this.#failure !== undefined) return
      try {
        this.#sentAt = performance.now()
        await this.#bus.ask(PORTAL, PATH, REMOTE, member, `oa{sv}${signature}`, [this.#path, new Map(), ...args] as never)
      } catch (error) {
        this.#failure = error
      }
    })
  }

  /** Everything that was sent lies with the shell when this returns; tells when the last of it was sent. */
  async passedOn(): Promise<number> {
    await this.#last
    const failure = this.#failure
    this.#failure = undefined
    if (!this.isOpen) throw ended()
    if (failure !== undefined) throw DeskhandError.from(failure)
    const sentAt = this.#sentAt
    // The backend answers in turn: what it was told before, it has passed on by then.
    await this.#bus.get(BACKEND, PATH, BACKEND_REMOTE, 'version', 'u').catch(() => {})
    return sentAt
  }

  close(): void {
    if (!this.isOpen) return
    this.#isOver = true
    void this.#bus.call(PORTAL, this.#path, 'org.freedesktop.portal.Session', 'Close', '', [], '').catch(() => {})
  }

  async #ask(keeps: boolean, env: Env): Promise<void> {
    const made = await this.#request('CreateSession', REMOTE, 'a{sv}', [], [['session_handle_token', text(`deskhand${process.pid}`)]])
    const handle = made.get('session_handle')?.value
    this.#path = typeof handle === 'string' ? handle : ''
    const token = keeps ? keptToken(env) : undefined
    const keeping: Options = keeps
      ? [['persist_mode', number(UNTIL_REVOKED)], ...(token === undefined ? [] : [['restore_token', text(token)] as [string, Variant]])]
      : []
    await this.#request('SelectDevices', REMOTE, 'oa{sv}', [this.#path], [['types', number(KEYBOARD_AND_POINTER)], ...keeping])
    const sources: Options = [
      ['types', number(MONITOR)],
      ['multiple', flag(false)],
      ['cursor_mode', number(HIDDEN_CURSOR)],
    ]
    await this.#request('SelectSources', CAST, 'oa{sv}', [this.#path], sources)
    const given = await this.#request('Start', REMOTE, 'osa{sv}', [this.#path, ''], [], DIALOG_MS)
    const devices = Number(given.get('devices')?.value ?? 0)
    if ((devices & KEYBOARD_AND_POINTER) !== KEYBOARD_AND_POINTER)
      throw new DeskhandError('NOT_CAPABLE', 'the person shares the screen, and lets no pointer and keyboard be used')
    const restore = given.get('restore_token')?.value
    if (keeps && typeof restore === 'string') keepToken(env, restore)
    const [first] = (given.get('streams')?.value ?? []) as [number, Map<string, Variant>][]
    if (first === undefined) throw new DeskhandError('NOT_CAPABLE', 'the person shares no screen')
    const [node, about] = first
    const [x, y] = (about.get('position')?.value ?? [0, 0]) as [number, number]
    const [w, h] = (about.get('size')?.value ?? [0, 0]) as [number, number]
    this.stream = { node, bounds: { x, y, w, h } }
  }

  async #request(
    member: string,
    iface: string,
    signature: 'a{sv}' | 'oa{sv}' | 'osa{sv}',
    args: string[],
    options: Options,
    ms = ANSWER_MS,
  ): Promise<Map<string, Variant>> {
    const token = `deskhand${process.pid}_${++asked}`
    const handle = `${PATH}/request/${this.#bus.name.slice(1).replaceAll('.', '_')}/${token}`
    let timer: NodeJS.Timeout | undefined
    const answered = new Promise<[number, Map<string, Variant>]>((done, fail) => {
      this.#answers.set(handle, done)
      timer = setTimeout(
        () => fail(new DeskhandError('TIMEOUT', `the desktop's portal did not answer ${member} within ${ms / 1000} s`)),
        ms,
      )
      void this.#bus.closed.then(() => fail(new DeskhandError('NO_DESKTOP', 'the session bus is gone')))
    })
    answered.catch(() => {})
    try {
      const all = new Map([...options, ['handle_token', text(token)] as [string, Variant]])
      await this.#bus.call(PORTAL, PATH, iface, member, signature, [...args, all] as never, 'o', { deadlineMs: ANSWER_MS })
      const [code, results] = await answered
      if (code === 0) return results
      throw new DeskhandError('NOT_CAPABLE', `the person refused input and pictures in the desktop's own dialog (${member})`)
    } finally {
      clearTimeout(timer)
      this.#answers.delete(handle)
    }
  }

  #end(): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#told()
  }
}

const ended = (): DeskhandError =>
  new DeskhandError('NOT_CAPABLE', 'the person ended the sharing of their screen, pointer and keyboard', {
    next: 'Ask the operator to run: deskhand consent give --minutes 60',
  })
