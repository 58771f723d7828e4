import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { Link } from '@deskhand/core/driver/wire'
import { DeskhandError } from '@deskhand/core/errors'
import type { DesktopEvent, MethodInput, MethodName, MethodResult, Principal, Result } from '@deskhand/core/model'
import { connect, hasCode } from '@deskhand/core/platform'
import { refusal, type CallOptions, type HoldingDesk } from '../sdk/desk.ts'
import { Locator, type LocatingDesk, type LocatorOptions } from '../sdk/locator.ts'
import type { AgentSocket } from './agent-socket.ts'
import type { DesktopState } from './desktop-state.ts'
import { CLIENT } from './protocol.ts'

const QUICK_MS = 10_000
const TRIES = 10
const NEXT_CLOSED = 'Where it is a door, ask the operator to add you to its group, and log in again.'
const BETWEEN_TRIES_MS = 20
const GONE: ReadonlySet<unknown> = new Set(['ENOENT', 'ECONNREFUSED'])
/** A call may wait for a person; the broker ends it, not the link. */
const CALL_MS = 24 * 3_600_000
/** These take as long as the call that they make, or as a person takes for the desktop's own prompt. */
const LASTING: ReadonlySet<MethodName> = new Set<MethodName>(['call', 'hold', 'replay', 'consent.give', 'consent.withdraw'])

/**
 * A desktop behind a broker, as one of the principals that its socket lets in. The broker is trusted and speaks the same version of the protocol: what
 * it answers is taken as it is, so that a client need not load any schema.
 */
export class BrokerClient implements HoldingDesk, LocatingDesk {
  readonly who: Principal
  readonly #link: Link
  readonly #listening = new Map<string, (note: unknown) => void>()
  readonly #subscribed = new Map<string, (event: DesktopEvent) => void>()

  static connect(place: DesktopState, as: string): Promise<BrokerClient> {
    place.checkSocket()
    return BrokerClient.#open(place.socket, as)
  }

  /** As an agent that another user runs. */
  static through(door: AgentSocket): Promise<BrokerClient> {
    return BrokerClient.#open(door.socket, 'agent')
  }

  /** A broker that is flooded may lose a new connection before it has said who it is; the client tries again a few times. */
  static async #open(path: string, as: string): Promise<BrokerClient> {
    for (let tries = 1; ; tries++) {
      try {
        return await BrokerClient.#try(path, as)
      } catch (thrown) {
        const error = DeskhandError.from(thrown)
        const gone = error.cause instanceof Error && 'code' in error.cause && GONE.has(error.cause.code)
        if (error.code !== 'NO_BROKER' || gone || tries === TRIES) throw error
        await sleep(BETWEEN_TRIES_MS * tries)
      }
    }
  }

  static async #try(path: string, as: string): Promise<BrokerClient> {
    const socket = await connect(path).catch((cause: unknown) => {
      if (hasCode(cause, 'EACCES')) throw new DeskhandError('UNAUTHORIZED', `${path} does not let you in`, { cause, next: NEXT_CLOSED })
      throw new DeskhandError('NO_BROKER', `no broker answers on ${path}`, { cause })
    })
    const link = new Link(socket, CLIENT)
    return new BrokerClient(link, (await link.call('auth', { as }, { deadlineMs: QUICK_MS })) as Principal)
  }

  private constructor(link: Link, who: Principal) {
    this.#link = link
    this.who = who
    link.handle('progress', (params) => {
      const { progress, note } = params as { progress: string; note: unknown }
      this.#listening.get(progress)?.(note)
    })
    link.handle('event', (params) => {
      const { name, event } = params as { name: string; event: DesktopEvent }
      this.#subscribed.get(name)?.(event)
    })
  }

  get closed(): Promise<DeskhandError | undefined> {
    return this.#link.closed
  }

  async call(tool: string, args: unknown = {}, { signal, onProgress, ...options }: CallOptions = {}): Promise<Result> {
    const progress = onProgress === undefined ? undefined : randomUUID()
    if (progress !== undefined && onProgress !== undefined) this.#listening.set(progress, onProgress)
    try {
      return await this.invoke('call', { tool, args, progress, ...options }, signal)
    } catch (thrown) {
      return refusal(DeskhandError.from(thrown))
    } finally {
      if (progress !== undefined) this.#listening.delete(progress)
    }
  }

  get(selector: string, options?: LocatorOptions): Locator {
    return new Locator(this, selector, options)
  }

  hold(): Promise<string> {
    return this.invoke('hold', {})
  }

  async release(hold: string): Promise<void> {
    await this.invoke('release', { hold })
  }

  async relay(id: string, allow: boolean, reason?: string): Promise<void> {
    await this.invoke('approvals.relay', { id, allow, reason })
  }

  /** Asks for something of the table of methods. */
  async invoke<M extends MethodName>(method: M, params: MethodInput<M>, signal?: AbortSignal): Promise<MethodResult<M>> {
    const deadlineMs = LASTING.has(method) ? CALL_MS : QUICK_MS
    return (await this.#link.call(method, params, { deadlineMs, signal })) as MethodResult<M>
  }

  /** Hears every event after the one with this id, or from now on, until the client closes. */
  async onEvent(hear: (event: DesktopEvent) => void, after?: string): Promise<void> {
    const name = randomUUID()
    this.#subscribed.set(name, hear)
    await this.invoke('events.subscribe', { name, after })
  }

  async close(): Promise<void> {
    await this.#link.close()
  }
}
