import { chmodSync, rmSync } from 'node:fs'
import { createServer, type Server, type Socket } from 'node:net'
import { z } from 'zod'
import { Link } from '@deskhand/core/driver'
import { DeskhandError } from '@deskhand/core/errors'
import { Answer, Principal, type Approval } from '@deskhand/core/model'
import type { Session } from '@deskhand/core/session'
import { dispatch } from '../desk.ts'
import { type Place } from './place.ts'
import { BROKER, Methods } from './protocol.ts'

/** Serves one session to clients on this machine. Who a client is, its token says; nothing else it claims counts. */
export class Broker {
  readonly #session: Session
  readonly #place: Place
  readonly #server: Server
  readonly #links = new Set<{ link: Link; who: () => Principal | undefined }>()
  readonly #ended: () => void

  /** Resolves when an operator asked for the end. */
  readonly ended: Promise<void>

  static async start(session: Session, place: Place): Promise<Broker> {
    const broker = new Broker(session, place)
    rmSync(place.socket, { force: true })
    await new Promise<void>((resolve, reject) => {
      broker.#server.once('error', reject).listen(place.socket, resolve)
    })
    chmodSync(place.socket, 0o600)
    return broker
  }

  private constructor(session: Session, place: Place) {
    this.#session = session
    this.#place = place
    let ended = (): void => {}
    this.ended = new Promise((resolve) => (ended = resolve))
    this.#ended = ended
    this.#server = createServer((socket) => this.#serve(socket))
    session.approvals.onChange = (approval, answer) => this.#announce(approval, answer)
  }

  async close(): Promise<void> {
    this.#server.close()
    await Promise.all([...this.#links].map(({ link }) => link.close()))
    rmSync(this.#place.socket, { force: true })
  }

  #serve(socket: Socket): void {
    const link = new Link(socket, BROKER)
    let who: Principal | undefined
    const client = { link, who: () => who }
    this.#links.add(client)
    void link.closed.then(() => this.#links.delete(client))
    link.handle('auth', async (params) => {
      const { token } = Methods.auth.parse(params)
      who = this.#place.principal(token)
      if (who !== undefined) return who
      await this.#reject('auth', { id: 'unknown', role: 'agent' }, 'UNAUTHORIZED', 'a wrong token')
      throw new DeskhandError('UNAUTHORIZED', 'this token is not known here')
    })
    const known = (): Principal => {
      if (who === undefined) throw new DeskhandError('UNAUTHORIZED', 'say who you are first, with auth')
      return who
    }
    const on = <M extends keyof typeof Methods>(method: M, work: (params: z.output<(typeof Methods)[M]>, who: Principal, signal: AbortSignal) => unknown): void => {
      link.handle(method, async (params, ctx) => work(read(method, params), known(), ctx.signal))
    }
    const operator = <M extends keyof typeof Methods>(method: M, work: (params: z.output<(typeof Methods)[M]>, who: Principal) => unknown): void => {
      on(method, async (params, principal) => {
        if (principal.role === 'operator') return work(params, principal)
        await this.#reject(method, principal, 'UNAUTHORIZED', 'needs the operator')
        throw new DeskhandError('UNAUTHORIZED', `${method} needs the operator's token; ${principal.id} is an agent`)
      })
    }
    const session = this.#session
    on('call', ({ tool, args, ...options }, principal, signal) => dispatch(session, principal, tool, args, { ...options, signal }))
    on('info', () => ({ ...session.info, stopped: session.stopped, mode: session.mode }))
    on('mode', ({ mode, grants }, by) => session.setMode(by, mode, grants))
    operator('stop', (_, by) => session.stop(by))
    operator('resume', (_, by) => session.resume(by))
    operator('approvals.list', () => session.approvals.list())
    operator('grants.list', () => session.approvals.grants())
    operator('grants.revoke', ({ id }) => session.approvals.revoke(id))
    operator('shutdown', () => this.#ended())
    on('approvals.answer', ({ id, ...answer }, by) => session.answer(id, { ...answer, by }))
  }

  #announce(approval: Approval, answer?: Answer): void {
    for (const { link, who } of this.#links) {
      if (who()?.role === 'operator') void link.notify('approval', { approval, answer }).catch(() => {})
    }
  }

  async #reject(tool: string, principal: Principal, code: string, message: string): Promise<void> {
    await this.#session.journal.append({ type: 'rejected', tool, principal, code, message })
  }
}

function read<M extends keyof typeof Methods>(method: M, params: unknown): z.output<(typeof Methods)[M]> {
  const parsed = Methods[method].safeParse(params ?? {})
  if (!parsed.success) throw new DeskhandError('BAD_ARGS', `${method}: ${parsed.error.issues.map((i) => `${i.path.join('.')}: ${i.message}`).join('; ')}`)
  return parsed.data as z.output<(typeof Methods)[M]>
}
