import { randomUUID } from 'node:crypto'
import {
  MissingRequiredClientCapabilityError,
  ProtocolError,
  ProtocolErrorCode,
  type CallToolResult,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server'
import { z } from 'zod'
import type { Result } from '@deskhand/core/model'
import type { CallOptions, Desk } from '../sdk/desk.ts'
import { declaredIn } from './declared.ts'

/** The extension of MCP by which a call that lasts becomes a task that its client asks about. */
export const TASKS_EXTENSION = 'io.modelcontextprotocol/tasks'

/** A call that ends sooner is answered as usual. */
const SOON_MS = 2_000
const POLL_MS = 1_000
const KEEP_MS = 10 * 60_000
/** Tasks of one owner that run; past it calls are answered as to clients without tasks. */
const MOST_RUNNING = 64
/** Outcomes may hold pictures: past it the oldest go. */
const MOST_KEPT = 200
const LONGEST_WAIT_MS = 600_000

interface Task {
  id: string
  owner: string
  createdAt: number
  updatedAt: number
  message?: string
  cancel(): void
  endedAt?: number
  /** What the call came to; absent where it was cancelled. */
  result?: CallToolResult
}

export interface LongCall {
  tool: string
  args: unknown
  options: Omit<CallOptions, 'onProgress'>
  /** How long a step of it may wait for a person; `SOON_MS` where the call is one step that goes on by itself. */
  isComposed: boolean
  signal: AbortSignal
  answer(result: Result): CallToolResult
}

/** The calls of MCP clients that outlast their request. Each belongs to its owner: a principal on a desktop. */
export class Tasks {
  readonly #all = new Map<string, Task>()

  /** Makes a call. One that does not end soon becomes a task, and no longer ends with the request. */
  async call(desk: Desk, owner: string, { tool, args, options, isComposed, signal, answer }: LongCall): Promise<CallToolResult> {
    const end = new AbortController()
    const giveUp = (): void => end.abort(signal.reason)
    signal.addEventListener('abort', giveUp, { once: true })
    let message: string | undefined
    let running: Task | undefined
    const tell = (text: string): void => {
      message = text
      if (running !== undefined) Object.assign(running, { message, updatedAt: Date.now() })
    }
    const onProgress = (note: unknown): void => tell(typeof note === 'string' ? note : 'running')
    const waitMs = isComposed ? options.waitMs : SOON_MS
    const call = desk.call(tool, args, { ...options, waitMs, signal: end.signal, onProgress })
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<undefined>((done) => (timer = setTimeout(() => done(undefined), SOON_MS * 1.5)))
    const soon = await Promise.race([call, late])
    clearTimeout(timer)
    if (soon !== undefined && operationOf(soon) === undefined) return answer(soon)
    if (!this.#mayRun(owner)) return answer(soon ?? (await call))
    signal.removeEventListener('abort', giveUp)
    const now = Date.now()
    const task: Task = { id: randomUUID(), owner, createdAt: now, updatedAt: now, message, cancel: () => end.abort() }
    running = task
    this.#all.set(task.id, task)
    void outcome(desk, call, end.signal, tell).then((result) => {
      task.endedAt = task.updatedAt = Date.now()
      task.message = undefined
      if (result.error?.code !== 'CANCELLED') task.result = { resultType: 'complete', ...answer(result) }
    })
    return { resultType: 'task', ...stateOf(task), content: [] }
  }

  get(id: string, owner: string): Task {
    const task = this.#all.get(id)
    if (task === undefined || task.owner !== owner) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `there is no task ${id}`)
    return task
  }

  /** Takes back every call that still runs. */
  close(): void {
    for (const task of this.#all.values()) if (task.endedAt === undefined) task.cancel()
  }

  #mayRun(owner: string): boolean {
    const oldest = Date.now() - KEEP_MS
    for (const task of this.#all.values())
      if (task.endedAt !== undefined && (task.endedAt < oldest || this.#all.size >= MOST_KEPT)) this.#all.delete(task.id)
    return [...this.#all.values()].filter((t) => t.owner === owner && t.endedAt === undefined).length < MOST_RUNNING
  }
}

/** Whether the client said with this request that it knows tasks; one of the 2025 revision cannot. */
export const knowsTasks = (ctx: ServerContext): boolean => declaredIn(ctx)?.extensions?.[TASKS_EXTENSION] !== undefined

const Named = { params: z.looseObject({ taskId: z.string().max(200) }) }

/** Answers what a client asks about its tasks. Nothing is ever asked of a client, whose answer would not be a person's: an update changes nothing. */
export function serveTasks(server: Server, tasks: Tasks, owner: string): void {
  const mine = (id: string, ctx: ServerContext): Task => {
    if (ctx.mcpReq.envelope === undefined) throw new ProtocolError(ProtocolErrorCode.MethodNotFound, 'Method not found')
    if (!knowsTasks(ctx))
      throw new MissingRequiredClientCapabilityError({ requiredCapabilities: { extensions: { [TASKS_EXTENSION]: {} } } })
    return tasks.get(id, owner)
  }
  server.setRequestHandler('tasks/get', Named, ({ taskId }, ctx) => stateOf(mine(taskId, ctx)))
  server.setRequestHandler('tasks/update', Named, ({ taskId }, ctx) => (mine(taskId, ctx), {}))
  server.setRequestHandler('tasks/cancel', Named, ({ taskId }, ctx) => {
    mine(taskId, ctx).cancel()
    return {}
  })
}

function stateOf({ id, createdAt, updatedAt, endedAt, message, result }: Task) {
  return {
    taskId: id,
    status: endedAt === undefined ? 'working' : result === undefined ? 'cancelled' : 'completed',
    statusMessage: message,
    createdAt: new Date(createdAt).toISOString(),
    lastUpdatedAt: new Date(updatedAt).toISOString(),
    ttlMs: endedAt === undefined ? null : endedAt + KEEP_MS - createdAt,
    pollIntervalMs: POLL_MS,
    result,
  }
}

/** Follows a call through every wait; a task that is cancelled takes its operation back. */
async function outcome(desk: Desk, call: Promise<Result>, signal: AbortSignal, tell: (text: string) => void): Promise<Result> {
  let result = await call
  for (let op = operationOf(result); op !== undefined; op = operationOf(result)) {
    tell(result.error?.message ?? '')
    result = await desk.call('op.wait', { op, timeoutMs: LONGEST_WAIT_MS }, { signal })
    if (signal.aborted) await desk.call('op.cancel', { op })
  }
  return result
}

/** The operation under which a call goes on that has not ended. */
function operationOf({ op, error }: Result): string | undefined {
  return error?.code === 'APPROVAL_PENDING' || error?.code === 'RUNNING' ? op : undefined
}
