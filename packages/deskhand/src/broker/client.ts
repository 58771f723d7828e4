import { connect } from 'node:net'
import { z } from 'zod'
import { DriverInfo, Link } from '@deskhand/core/driver'
import { DeskhandError } from '@deskhand/core/errors'
import { Approval, Grant, Mode, Principal, Result, type Scope } from '@deskhand/core/model'
import type { InputGrant } from '@deskhand/core/policy'
import { refusal, type CallOptions, type Desk } from '../desk.ts'
import type { Place } from './place.ts'
import { BROKER } from './protocol.ts'

const QUICK_MS = 10_000
/** A call may wait for a person; the broker ends it, not the link. */
const CALL_MS = 24 * 3_600_000

/** A desktop behind a broker, as the principal whose token was read. */
export class BrokerClient implements Desk {
  readonly who: Principal
  /** Called for every approval that is asked or answered; operators only. */
  onApproval: (approval: Approval, answered: boolean) => void = () => {}
  readonly #link: Link

  static async connect(place: Place, as: string, token = place.token(as)): Promise<BrokerClient> {
    const socket = connect(place.socket)
    await new Promise<void>((resolve, reject) => {
      socket.once('connect', resolve).once('error', (cause) => reject(new DeskhandError('NO_BROKER', `no broker answers for the desktop ${place.name}`, { cause })))
    })
    let client: BrokerClient | undefined
    const link = new Link(socket, BROKER)
    link.handle('approval', (params) => {
      const { approval, answer } = z.object({ approval: Approval, answer: z.unknown() }).parse(params)
      client?.onApproval(approval, answer !== undefined)
    })
    client = new BrokerClient(link, Principal.parse(await link.call('auth', { token }, { deadlineMs: QUICK_MS })))
    return client
  }

  private constructor(link: Link, who: Principal) {
    this.#link = link
    this.who = who
  }

  get closed(): Promise<unknown> {
    return this.#link.closed
  }

  async call(tool: string, args: unknown = {}, { signal, ...options }: CallOptions = {}): Promise<Result> {
    try {
      return Result.parse(await this.#link.call('call', { tool, args, ...options }, { deadlineMs: CALL_MS, signal }))
    } catch (thrown) {
      return refusal(DeskhandError.from(thrown))
    }
  }

  async info(): Promise<DriverInfo & { stopped: boolean; mode: Mode }> {
    return DriverInfo.extend({ stopped: z.boolean(), mode: Mode }).parse(await this.#ask('info'))
  }

  async stop(): Promise<void> {
    await this.#ask('stop')
  }

  async resume(): Promise<void> {
    await this.#ask('resume')
  }

  async setMode(mode: Mode, grants: readonly InputGrant[] = []): Promise<void> {
    await this.#ask('mode', { mode, grants })
  }

  async shutdown(): Promise<void> {
    await this.#ask('shutdown')
  }

  async approvals(): Promise<Approval[]> {
    return z.array(Approval).parse(await this.#ask('approvals.list'))
  }

  async answer(id: string, allow: boolean, options: { scope?: Scope; reason?: string } = {}): Promise<Approval> {
    return Approval.parse(await this.#ask('approvals.answer', { id, allow, ...options }))
  }

  async grants(): Promise<Grant[]> {
    return z.array(Grant).parse(await this.#ask('grants.list'))
  }

  async close(): Promise<void> {
    await this.#link.close()
  }

  #ask(method: string, params: unknown = {}): Promise<unknown> {
    return this.#link.call(method, params, { deadlineMs: QUICK_MS })
  }
}
