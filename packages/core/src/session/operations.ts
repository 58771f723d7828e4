import { randomBytes } from 'node:crypto'
import { DeskhandError } from '../errors.ts'
import { ending, type OperationStatus, type Principal, type Result } from '../model/index.ts'
import type { RecalledCall } from '../journal/index.ts'
import type { Call, Waiting } from './call.ts'

const KEEP_MS = 10 * 60_000
const KEEP_MAX = 1_000
/** Calls with a callId that are over and known by what was sent alone; a few hundred bytes each. */
export const KNOWN_MAX = 20_000
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
  /** Resolves when a person is first asked; never, where none is. */
  asked: Promise<void>
  startedAt: string
  endedAt?: number
}

interface Tracked extends Operation {
  /** Gone when it has ended, and with it all that listened for an end. */
  abort?: AbortController
  /** Tells whether another call came under the same callId. */
  digest: string
  /** The caller and its callId. */
  name?: string
  /** Its result, once it has ended. */
  ended?: Result
}

/** Carries a call out; `waiting` is told when it waits for a person. */
type Run = (op: string, signal: AbortSignal, waiting: Waiting) => Promise<Result>

/** Calls under way and just ended. An agent sees its own; viewers and operators see all. */
export class Operations {
  readonly #byId = new Map<string, Tracked>()
  readonly #byCall = new Map<string, Tracked>()
  /** Tells the operations of this session from those of every other one in the same journal. */
  readonly #life = randomBytes(5).toString('hex')
  readonly #tell: (status: OperationStatus) => void
  readonly #digest: (call: Call) => string
  /** Calls of long ago, or of an earlier life of this desktop, that sent something, or may have: they are answered and never carried out again. */
  readonly #recalled = new Map<string, RecalledCall>()
  #count = 0

  constructor(digest: (call: Call) => string, tell: (status: OperationStatus) => void) {
    this.#digest = digest
    this.#tell = tell
  }

  /** Takes in what the journal tells of calls from before a crash or a restart. One that sent nothing may be carried out. */
  recall(calls: readonly RecalledCall[]): void {
    for (const call of calls) {
      const sent = call.known.state === 'sent_unknown' || (call.known.state === 'done' && call.known.sent !== 'none')
      if (sent && !call.dryRun) this.#recalled.set(`${call.principal}\n${call.callId}`, call)
    }
  }

  start(call: Call, run: Run): Operation {
    const name = call.callId === undefined ? undefined : `${call.principal.id}\n${call.callId}`
    const digest = name === undefined ? '' : this.#digest(call)
    const known = name === undefined ? undefined : (this.#byCall.get(name) ?? this.#fromRecord(name, call.principal))
    if (known !== undefined) {
      // Entries of version 0.1.0 have no digest.
      if (known.digest !== '' && known.digest !== digest)
        throw new DeskhandError('BAD_ARGS', `callId ${call.callId} was used for another call`)
      return known
    }
    const abort = new AbortController()
    let tellAsked = (): void => {}
    const asked = new Promise<void>((resolve) => (tellAsked = resolve))
    const op: Tracked = {
      id: `op${this.#life}${(++this.#count).toString(36)}`,
      tool: call.tool,
      principal: call.principal,
      state: 'running',
      startedAt: new Date().toISOString(),
      abort,
      digest,
      name,
      asked,
      result: Promise.resolve(undefined as never),
    }
    this.#byId.set(op.id, op)
    if (name !== undefined) this.#byCall.set(name, op)
    const { signal } = call
    const pass = (): void => abort.abort(signal?.reason)
    if (signal?.aborted) pass()
    signal?.addEventListener('abort', pass)
    this.#tell(statusOf(op))
    const waiting: Waiting = (approval) => {
      op.state = approval === undefined ? 'running' : 'waiting'
      op.approval = approval
      if (approval !== undefined) tellAsked()
      this.#tell(statusOf(op))
    }
    op.result = this.#ending(op, run(op.id, abort.signal, waiting), () => signal?.removeEventListener('abort', pass))
    return op
  }

  async #ending(op: Tracked, result: Promise<Result>, end: () => void): Promise<Result> {
    try {
      return (op.ended = await result)
    } finally {
      end()
      op.state = 'done'
      op.endedAt = Date.now()
      op.abort = undefined
      this.#prune()
      this.#tell(statusOf(op))
    }
  }

  get(id: string, who: Principal): Operation {
    const op = this.#byId.get(id)
    if (op === undefined || (who.role === 'agent' && op.principal.id !== who.id))
      throw new DeskhandError('UNKNOWN_OP', `no operation ${id}`)
    return op
  }

  status(id: string, who: Principal): OperationStatus {
    return statusOf(this.get(id, who))
  }

  wait(id: string, who: Principal, waitMs: number): Promise<Result> {
    return outcomeOf(this.get(id, who), waitMs)
  }

  /** What became of a caller's own call, by the callId that it gave it. */
  resultOf(callId: string, who: Principal, waitMs: number): Promise<Result> {
    const name = `${who.id}\n${callId}`
    const op = this.#byCall.get(name) ?? this.#fromRecord(name, who)
    if (op !== undefined) return outcomeOf(op, waitMs)
    const next = 'Send the call again with the same callId: what was done is not done twice.'
    throw new DeskhandError('UNKNOWN_OP', `no call ${callId} of ${who.id} is known`, { next })
  }

  cancel(id: string, who: Principal): OperationStatus {
    this.get(id, who)
    if (who.role === 'viewer') throw new DeskhandError('UNAUTHORIZED', `${who.id} is a viewer and cancels nothing`)
    this.#byId.get(id)?.abort?.abort(new DeskhandError('CANCELLED', `${who.id} cancelled ${id}`))
    return this.status(id, who)
  }

  /** Resolves when nothing runs any more. */
  async ended(): Promise<void> {
    await Promise.allSettled([...this.#byId.values()].map((op) => op.result))
  }

  abortAll(reason: DeskhandError): void {
    for (const op of this.#byId.values()) op.abort?.abort(reason)
  }

  list(who: Principal): OperationStatus[] {
    return [...this.#byId.values()].filter((op) => who.role !== 'agent' || op.principal.id === who.id).map(statusOf)
  }

  /** A call that the record knows, as an operation that has ended. */
  #fromRecord(name: string, principal: Principal): Tracked | undefined {
    const call = this.#recalled.get(name)
    if (call === undefined) return undefined
    const { op: id, tool, time, call: digest = '' } = call
    const ended: Tracked = {
      id,
      tool,
      principal,
      state: 'done',
      startedAt: time,
      endedAt: Date.now(),
      digest,
      asked: new Promise(() => {}),
      result: Promise.resolve(resultFromRecord(call)),
    }
    this.#byId.set(id, ended)
    return ended
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
      if (op.name === undefined || this.#byCall.get(op.name) !== op) continue
      this.#byCall.delete(op.name)
      this.#shorten(op, op.name)
    }
  }

  /** Of an outcome that goes, what is needed to answer the same call once more without carrying it out. */
  #shorten({ id, tool, principal, startedAt: time, digest, ended }: Tracked, name: string): void {
    if (ended?.sent === 'none') return
    const [, callId = ''] = name.split('\n')
    const { status = 'error', sent = 'unknown', effect = 'unverified', via, verification, error } = ended ?? {}
    const known = { state: 'done', status, sent, effect, via, verification, code: error?.code } as const
    this.#recalled.set(name, { op: id, callId, call: digest, tool, kind: tool, dryRun: false, principal: principal.id, time, known })
    const [oldest] = this.#recalled.keys()
    if (this.#recalled.size > KNOWN_MAX && oldest !== undefined) this.#recalled.delete(oldest)
  }
}

/** What the record says of a call. Its data and its text were not kept. */
function resultFromRecord({ op, tool, known }: RecalledCall): Result {
  if (known.state !== 'done') {
    const error = new DeskhandError('INTERRUPTED', `Deskhand ended while ${tool} was carried out; it is not known what was sent`)
    return ending({ status: 'error', op, sent: 'unknown', effect: 'unverified', error: error.toJSON() })
  }
  const { status, code, sent, effect, via, verification } = known
  const error = code === undefined ? undefined : DeskhandError.revive({ code, message: `${tool} ended so, by the record` }).toJSON()
  return ending({ status, op, sent, effect, via, verification, error })
}

const statusOf = ({ id, tool, principal, state, approval, startedAt }: Operation): OperationStatus => ({
  op: id,
  tool,
  principal,
  state,
  approval,
  startedAt,
})

/** An operation's result, or what it waits for when that takes longer than `waitMs`. */
export async function outcomeOf(op: Operation, waitMs: number): Promise<Result> {
  return waitMs === Infinity ? await op.result : ((await endOf(op, waitMs)) ?? unfinished(op))
}

/** An operation's result, however long it runs; what it waits for when a person takes longer than `answerMs`. */
export async function outcomeUnlessAsked(op: Operation, answerMs: number): Promise<Result> {
  await Promise.race([op.result, op.asked])
  const result = await endOf(op, answerMs)
  return result ?? (op.state === 'waiting' ? unfinished(op) : op.result)
}

async function endOf(op: Operation, waitMs: number): Promise<Result | undefined> {
  const patience = Math.min(Math.max(waitMs, LEAST_WAIT_MS), LONGEST_WAIT_MS)
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<undefined>((r) => (timer = setTimeout(() => r(undefined), patience)))
  const result = await Promise.race([op.result, late])
  clearTimeout(timer)
  return result
}

function unfinished({ id, tool, state, approval }: Operation): Result {
  if (state === 'waiting') {
    const error = new DeskhandError('APPROVAL_PENDING', `${tool} waits for approval ${approval}`, { details: { op: id, approval } })
    return ending({ status: 'error', op: id, sent: 'none', effect: 'refused', error: error.toJSON() })
  }
  const error = new DeskhandError('RUNNING', `${tool} is still running`, { details: { op: id } })
  return ending({ status: 'error', op: id, sent: 'unknown', effect: 'unverified', error: error.toJSON() })
}
