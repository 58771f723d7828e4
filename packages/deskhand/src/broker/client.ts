import { randomUUID } from 'node:crypto'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { DriverInfo, Link } from '@deskhand/core/driver'
import { DeskhandError } from '@deskhand/core/errors'
import { Approval, Decision, Grant, HumanState, Mode, Principal, Result, Risk, RuleSource, Verdict, type Scope } from '@deskhand/core/model'
import type { Explanation, InputGrant } from '@deskhand/core/policy'
import { refusal, type CallOptions, type Desk } from '../desk.ts'
import type { Reissue } from '../replay.ts'
import type { Door } from './door.ts'
import type { Place } from './place.ts'
import { CLIENT } from './protocol.ts'

const QUICK_MS = 10_000
const TRIES = 10
const BETWEEN_TRIES_MS = 20
const GONE: ReadonlySet<unknown> = new Set(['ENOENT', 'ECONNREFUSED', 'EACCES'])
/** A call may wait for a person; the broker ends it, not the link. */
const CALL_MS = 24 * 3_600_000

/** A desktop behind a broker, as the principal whose token was read. */
export class BrokerClient implements Desk {
  readonly who: Principal
  /** Called for every approval that is asked, and again when it is answered or void; operators only. */
  onApproval: (approval: Approval, open: boolean) => void = () => {}
  readonly #link: Link
  readonly #listening = new Map<string, (note: unknown) => void>()

  static connect(place: Place, as: string, token = place.token(as)): Promise<BrokerClient> {
    place.checkSocket()
    return BrokerClient.#open(place.socket, token)
  }

  /** As an agent that another user runs. */
  static through(door: Door): Promise<BrokerClient> {
    return BrokerClient.#open(door.socket, door.token())
  }

  /** A broker that is flooded may lose a newcomer before it has said who it is; it tries again a few times. */
  static async #open(path: string, token: string): Promise<BrokerClient> {
    for (let tries = 1; ; tries++) {
      try {
        return await BrokerClient.#knock(path, token)
      } catch (thrown) {
        const error = DeskhandError.from(thrown)
        const gone = error.cause instanceof Error && 'code' in error.cause && GONE.has(error.cause.code)
        if (error.code !== 'NO_BROKER' || gone || tries === TRIES) throw error
        await sleep(BETWEEN_TRIES_MS * tries)
      }
    }
  }

  static async #knock(path: string, token: string): Promise<BrokerClient> {
    const socket = connect(path)
    await new Promise<void>((resolve, reject) => {
      socket
        .once('connect', resolve)
        .once('error', (cause) => reject(new DeskhandError('NO_BROKER', `no broker answers on ${path}`, { cause })))
    })
    let client: BrokerClient | undefined
    const link = new Link(socket, CLIENT)
    link.handle('approval', (params) => {
      const { approval, outcome } = z.object({ approval: Approval, outcome: z.unknown().optional() }).parse(params)
      client?.onApproval(approval, outcome === undefined)
    })
    link.handle('progress', (params) => {
      const { progress, note } = z.object({ progress: z.string(), note: z.unknown() }).parse(params)
      client?.heard(progress, note)
    })
    client = new BrokerClient(link, Principal.parse(await link.call('auth', { token }, { deadlineMs: QUICK_MS })))
    return client
  }

  private constructor(link: Link, who: Principal) {
    this.#link = link
    this.who = who
  }

  get closed(): Promise<DeskhandError | undefined> {
    return this.#link.closed
  }

  async call(tool: string, args: unknown = {}, { signal, onProgress, ...options }: CallOptions = {}): Promise<Result> {
    const progress = onProgress === undefined ? undefined : randomUUID()
    if (progress !== undefined && onProgress !== undefined) this.#listening.set(progress, onProgress)
    try {
      return Result.parse(await this.#link.call('call', { tool, args, progress, ...options }, { deadlineMs: CALL_MS, signal }))
    } catch (thrown) {
      return refusal(DeskhandError.from(thrown))
    } finally {
      if (progress !== undefined) this.#listening.delete(progress)
    }
  }

  /** How far a call of this client's is. */
  private heard(progress: string, note: unknown): void {
    this.#listening.get(progress)?.(note)
  }

  async info(): Promise<DriverInfo & { stopped: boolean; paused: boolean; mode: Mode; human: HumanState }> {
    return DriverInfo.extend({ stopped: z.boolean(), paused: z.boolean().default(false), mode: Mode, human: HumanState }).parse(
      await this.#ask('info'),
    )
  }

  async stop(): Promise<void> {
    await this.#ask('stop')
  }

  async pause(): Promise<void> {
    await this.#ask('pause')
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

  async answer(id: string, allow: boolean, options: { scope?: Scope; reason?: string; text?: string } = {}): Promise<Approval> {
    return Approval.parse(await this.#ask('approvals.answer', { id, allow, ...options }))
  }

  /** What the element in question looks like, where that may be shown. */
  async picture(id: string): Promise<Uint8Array | undefined> {
    return Picture.parse(await this.#ask('approvals.picture', { id })).png
  }

  /** Keeps agents away from these processes for as long as this client is connected. */
  async watch(pids: readonly number[]): Promise<void> {
    await this.#ask('approvals.watch', { pids })
  }

  async grants(): Promise<Grant[]> {
    return z.array(Grant).parse(await this.#ask('grants.list'))
  }

  async revoke(id: string): Promise<Grant> {
    return Grant.parse(await this.#ask('grants.revoke', { id }))
  }

  async replay(call: Reissue): Promise<Result> {
    return Result.parse(await this.#link.call('replay', call, { deadlineMs: CALL_MS }))
  }

  async explain(tool: string, args: unknown, as: string): Promise<Explanation> {
    return Explained.parse(await this.#ask('policy.explain', { tool, args, as }))
  }

  async close(): Promise<void> {
    await this.#link.close()
  }

  #ask(method: string, params: unknown = {}): Promise<unknown> {
    return this.#link.call(method, params, { deadlineMs: QUICK_MS })
  }
}

const Picture = z.object({ png: z.custom<Uint8Array>((v) => v instanceof Uint8Array).optional() })

const Explained = z.object({
  decision: Decision,
  risk: Risk,
  rules: z.array(z.object({ rule: RuleSource, verdict: Verdict, matched: z.boolean(), won: z.boolean(), note: z.string() })),
  text: z.string(),
})
