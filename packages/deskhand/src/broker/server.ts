import { chmodSync, rmSync } from 'node:fs'
import { createServer, type Server, type Socket } from 'node:net'
import { z } from 'zod'
import { Link } from '@deskhand/core/driver'
import { DeskhandError } from '@deskhand/core/errors'
import { type Approval, type Answer, type Principal } from '@deskhand/core/model'
import type { RulePolicy } from '@deskhand/core/policy'
import type { PauseSwitch } from '@deskhand/code/pyautogui'
import { dispatch } from '../desk.ts'
import { explainCall } from '../explain.ts'
import type { Station } from '../tools/tool.ts'
import { reissue } from '../replay.ts'
import { Clients, type Client } from './clients.ts'
import type { Door } from './door.ts'
import type { Place } from './place.ts'
import { Methods, SERVER } from './protocol.ts'

export interface BrokerOptions extends Station {
  place: Place
  policy: () => RulePolicy
  /** Under which scripts wait. */
  pauses: PauseSwitch
  /** Processes that no agent may touch; terminals in which operators answer come and go. */
  own: Set<number>
  /** Where agents of another user come in, and their group. */
  door?: { at: Door; gid: number }
}

/** Serves one session to clients on this machine. Who a client is, its token says; nothing else it claims counts. */
export class Broker {
  readonly #options: BrokerOptions
  readonly #servers: Server[] = []
  readonly #clients = new Clients()
  /** How many operators watch in each terminal. */
  readonly #watched = new Map<number, number>()
  readonly #ended: () => void

  /** Resolves when an operator asked for the end. */
  readonly ended: Promise<void>

  static async start(options: BrokerOptions): Promise<Broker> {
    const broker = new Broker(options)
    const { place, session, door } = options
    try {
      await broker.#listen(place.socket, 0o600, true)
      if (door !== undefined) {
        door.at.open(door.gid, place.token('agent'))
        await broker.#listen(door.at.socket, 0o660, false)
        door.at.give(door.at.socket, door.gid, 0o660)
      }
      place.setDoor(door && { dir: door.at.dir, gid: door.gid })
      const trust = door === undefined ? 'advisory' : 'enforced'
      const detail = {
        trust,
        uid: process.getuid?.(),
        door: door && { dir: door.at.dir, gid: door.gid },
        mode: session.mode,
        policy: session.policy.version,
      }
      await session.journal.append({ type: 'operator', what: 'up', by: { id: 'operator', role: 'operator' }, detail }, { durable: true })
      return broker
    } catch (thrown) {
      await broker.close()
      throw thrown
    }
  }

  private constructor(options: BrokerOptions) {
    this.#options = options
    let ended = (): void => {}
    this.ended = new Promise((resolve) => (ended = resolve))
    this.#ended = ended
    options.session.approvals.onChange = (approval, outcome) => this.#announce(approval, outcome)
    options.session.approvals.onPicture = (approval) => this.#announce(approval)
  }

  async close(): Promise<void> {
    for (const server of this.#servers) server.close()
    await this.#clients.close()
    rmSync(this.#options.place.socket, { force: true })
    this.#options.door?.at.close()
    this.#options.place.setDoor(undefined)
  }

  /** The socket is made in the same tick, so that the mask is nobody else's, and nobody meets it with other rights. */
  async #listen(path: string, mode: number, operators: boolean): Promise<void> {
    rmSync(path, { force: true })
    const server = createServer((socket) => this.#serve(socket, operators))
    this.#servers.push(server)
    const mask = process.umask(0o777 & ~mode)
    const listening = new Promise<void>((resolve, reject) => {
      server.once('error', reject).listen(path, resolve)
    })
    process.umask(mask)
    await listening
    chmodSync(path, mode)
  }

  #serve(socket: Socket, operators: boolean): void {
    const link = new Link(socket, SERVER)
    const client = this.#clients.add(link, socket)
    link.handle('auth', async (params) => {
      const { token } = read('auth', params)
      const who = this.#options.place.principal(token)
      if (who !== undefined && (operators || who.role !== 'operator')) return this.#clients.know(client, who)
      const message = who === undefined ? 'this token is not known here' : 'nobody is an operator behind this door'
      const error = await this.#options.session.reject(
        'auth',
        { id: who?.id ?? 'unknown', role: 'agent' },
        new DeskhandError('UNAUTHORIZED', message),
      )
      // One guess per connection.
      setImmediate(() => void link.close())
      throw error
    })
    this.#methods(link, client)
  }

  #methods(link: Link, client: Client): void {
    const { session, policy, own, pauses } = this.#options
    const on = <M extends keyof typeof Methods>(
      method: M,
      work: (params: z.output<(typeof Methods)[M]>, who: Principal, signal: AbortSignal) => unknown,
    ): void => {
      link.handle(method, async (params, ctx) => {
        if (client.who === undefined) throw new DeskhandError('UNAUTHORIZED', 'say who you are first, with auth')
        return work(read(method, params), client.who, ctx.signal)
      })
    }
    const operator = <M extends keyof typeof Methods>(
      method: M,
      work: (params: z.output<(typeof Methods)[M]>, who: Principal) => unknown,
    ): void => {
      on(method, async (params, who) => {
        if (who.role === 'operator') return work(params, who)
        throw await session.reject(
          method,
          who,
          new DeskhandError('UNAUTHORIZED', `${method} needs the operator's token; ${who.id} is an agent`),
        )
      })
    }
    on('call', ({ tool, args, progress, ...options }, who, signal) => {
      const onProgress =
        progress === undefined ? undefined : (note: unknown) => void link.notify('progress', { progress, note }).catch(() => {})
      return dispatch(this.#options, who, tool, args, { ...options, signal, onProgress })
    })
    on('info', () => ({ ...session.info, stopped: session.stopped, paused: pauses.paused, mode: session.mode, human: session.human.state }))
    on('mode', ({ mode, grants }, by) => session.setMode(by, mode, grants))
    on('approvals.answer', ({ id, ...answer }, by) => session.answer(id, { ...answer, by }))
    on('grants.revoke', ({ id }, by) => session.revoke(by, id))
    operator('stop', (_, by) => session.stop(by))
    operator('pause', async (_, by) => {
      await session.journal.append({ type: 'operator', what: 'pause', by }, { durable: true })
      pauses.pause()
    })
    operator('resume', async (_, by) => {
      await session.resume(by)
      pauses.resume()
    })
    operator('approvals.list', () => session.approvals.list())
    operator('approvals.picture', ({ id }) => ({ png: session.approvals.picture(id) }))
    operator('approvals.watch', ({ pids }) => {
      // Two operators may watch in one terminal; it stays protected until the last has gone.
      const added = pids.filter((pid) => !own.has(pid) || this.#watched.has(pid))
      for (const pid of added) {
        own.add(pid)
        this.#watched.set(pid, (this.#watched.get(pid) ?? 0) + 1)
      }
      void link.closed.then(() => added.forEach((pid) => this.#unwatch(pid)))
    })
    operator('grants.list', () => session.approvals.grants())
    operator('policy.explain', ({ tool, args, as }) => explainCall(this.#options, policy(), tool, args, as))
    operator('replay', (call, by) => reissue(session, by, call))
    operator('shutdown', () => void setImmediate(this.#ended))
  }

  #unwatch(pid: number): void {
    const left = (this.#watched.get(pid) ?? 1) - 1
    if (left > 0) return void this.#watched.set(pid, left)
    this.#watched.delete(pid)
    this.#options.own.delete(pid)
  }

  #announce(approval: Approval, outcome?: Answer | DeskhandError): void {
    for (const { link } of this.#clients.operators()) void link.notify('approval', { approval, outcome }).catch(() => {})
  }
}

function read<M extends keyof typeof Methods>(method: M, params: unknown): z.output<(typeof Methods)[M]> {
  const parsed = Methods[method].safeParse(params ?? {})
  if (!parsed.success)
    throw new DeskhandError('BAD_ARGS', `${method}: ${parsed.error.issues.map((i) => `${i.path.join('.')}: ${i.message}`).join('; ')}`)
  return parsed.data as z.output<(typeof Methods)[M]>
}
