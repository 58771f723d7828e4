import { randomBytes } from 'node:crypto'
import { DeskhandError } from '../errors.ts'
import type { Principal, Result } from '../model/index.ts'

const KEEP_MS = 10 * 60_000
const KEEP_MAX = 1_000
const LEAST_WAIT_MS = 50
/** The longest that a timer of Node's can wait. */
const LONGEST_WAIT_MS = 2 ** 31 - 1

export interface Operation {
  id: string
  tool: string
  principal: Principal
  state: 'running' | 'waiting' | 'done'
  /** The approval it waits for. */
  approval?: string
  result: Promise<Result>
  startedAt: number
  endedAt?: number
}

export interface OperationStatus {
  op: string
  tool: string
  state: Operation['state']
  approval?: string
  startedAt: string
}

interface Tracked extends Operation {
  abort: AbortController
  fingerprint: string
}

/** Calls under way and just ended. A principal sees its own; the operator sees all. */
export class Operations {
  readonly #byId = new Map<string, Tracked>()
  readonly #byCall = new Map<string, Tracked>()
  /** Tells the operations of this session from those of every other one in the same journal. */
  readonly #life = randomBytes(5).toString('hex')
  #count = 0

  start(
    call: { tool: string; args: unknown; principal: Principal; callId?: string; dryRun?: boolean; signal?: AbortSignal },
    run: (op: Tracked, signal: AbortSignal) => Promise<Result>,
  ): Operation {
    const name = call.callId === undefined ? undefined : `${call.principal.id}\n${call.callId}`
    const fingerprint = name === undefined ? '' : JSON.stringify([call.tool, call.args, call.dryRun])
    const known = name === undefined ? undefined : this.#byCall.get(name)
    if (known !== undefined) {
      if (known.fingerprint !== fingerprint) throw new DeskhandError('BAD_ARGS', `callId ${call.callId} was used for another call`)
      return known
    }
    const abort = new AbortController()
    const op: Tracked = {
      id: `op${this.#life}${(++this.#count).toString(36)}`,
      tool: call.tool,
      principal: call.principal,
      state: 'running',
      startedAt: Date.now(),
      abort,
      fingerprint,
      result: Promise.resolve(undefined as never),
    }
    this.#byId.set(op.id, op)
    if (name !== undefined) this.#byCall.set(name, op)
    const { signal } = call
    const pass = (): void => abort.abort(signal?.reason)
    if (signal?.aborted) pass()
    signal?.addEventListener('abort', pass)
    op.result = run(op, abort.signal).finally(() => {
      signal?.removeEventListener('abort', pass)
      op.state = 'done'
      op.endedAt = Date.now()
      this.#prune()
    })
    return op
  }

  get(id: string, who: Principal): Operation {
    const op = this.#byId.get(id)
    if (op === undefined || (who.role !== 'operator' && op.principal.id !== who.id))
      throw new DeskhandError('UNKNOWN_OP', `no operation ${id}`)
    return op
  }

  status(id: string, who: Principal): OperationStatus {
    const op = this.get(id, who)
    return { op: op.id, tool: op.tool, state: op.state, approval: op.approval, startedAt: new Date(op.startedAt).toISOString() }
  }

  wait(id: string, who: Principal, waitMs: number): Promise<Result> {
    return outcomeOf(this.get(id, who), waitMs)
  }

  cancel(id: string, who: Principal): OperationStatus {
    this.get(id, who)
    this.#byId.get(id)?.abort.abort(new DeskhandError('CANCELLED', `${who.id} cancelled ${id}`))
    return this.status(id, who)
  }

  abortAll(reason: DeskhandError): void {
    for (const op of this.#byId.values()) if (op.state !== 'done') op.abort.abort(reason)
  }

  list(who: Principal): OperationStatus[] {
    return [...this.#byId.values()]
      .filter((op) => who.role === 'operator' || op.principal.id === who.id)
      .map((op) => this.status(op.id, who))
  }

  /** Old outcomes go, oldest first; what still runs stays. */
  #prune(): void {
    const oldest = Date.now() - KEEP_MS
    let surplus = this.#byId.size - KEEP_MAX
    for (const op of this.#byId.values()) {
      if (op.endedAt === undefined) continue
      if (surplus <= 0 && op.endedAt > oldest) break
      this.#byId.delete(op.id)
      surplus--
      for (const [name, o] of this.#byCall) if (o === op) this.#byCall.delete(name)
    }
  }
}

/** An operation's result, or what it waits for when that takes longer than `waitMs`. */
export async function outcomeOf(op: Operation, waitMs: number): Promise<Result> {
  if (waitMs === Infinity) return op.result
  const patience = Math.min(Math.max(waitMs, LEAST_WAIT_MS), LONGEST_WAIT_MS)
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<undefined>((r) => (timer = setTimeout(() => r(undefined), patience)))
  const result = await Promise.race([op.result, late])
  clearTimeout(timer)
  return result ?? unfinished(op)
}

function unfinished({ id, tool, state, approval }: Operation): Result {
  if (state === 'waiting') {
    const error = new DeskhandError('APPROVAL_PENDING', `${tool} waits for approval ${approval}`, { details: { op: id, approval } })
    return { status: 'error', op: id, sent: 'none', effect: 'refused', error: error.toJSON() }
  }
  const error = new DeskhandError('RUNNING', `${tool} is still running`, { details: { op: id } })
  return { status: 'error', op: id, sent: 'unknown', effect: 'unverified', error: error.toJSON() }
}
