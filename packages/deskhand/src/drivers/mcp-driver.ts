import { setTimeout as sleep } from 'node:timers/promises'
import {
  type Activity,
  type AskOptions,
  type CapName,
  type Changes,
  type Ctx,
  type Driver,
  type DriverInfo,
  driverOver,
  type DriverMethod,
  mustBeCapable,
  within,
} from '@deskhand/core/driver'
import { DeskhandError } from '@deskhand/core/errors'
import type { Channel } from './channel.ts'
import { McpClient, nonsense } from './mcp-client.ts'
import { DEADLINE_META, toolName } from './tools.ts'

/** How soon a server that answers before there is anything to tell is asked again. */
const POLL_MS = 100

/** Tools without which there is no driver. */
const NEEDED: readonly DriverMethod[] = ['info', 'screens', 'read', 'changes', 'check', 'take', 'step', 'drop', 'stop']

/** What a method needs the driver to be capable of; a server may leave out the tools of its gaps. */
const NEEDS: Partial<Record<DriverMethod, CapName>> = {
  hit: 'hit',
  capture: 'capture',
  render: 'capture',
  readClipboard: 'clipboard',
  pointer: 'step:pointer',
  canLaunch: 'step:launch',
}

/** An MCP server as a driver, and what it said of itself first. */
export interface McpDriver extends Driver {
  info: DriverInfo
  ended: Promise<DeskhandError>
}

/** Shakes hands with the server behind a channel. A failure ends the channel. */
export async function openMcpDriver(channel: Channel, readyMs: number): Promise<McpDriver> {
  const client = new McpClient(channel)
  try {
    const end = performance.now() + readyMs
    const tools = await client.start(readyMs)
    const missing = NEEDED.map(toolName).filter((tool) => !tools.has(tool))
    if (missing.length > 0) throw nonsense(`The server is no driver: it has no ${missing.join(', ')}.`)
    let info: DriverInfo | undefined
    const send = async (method: DriverMethod, params: unknown, options: AskOptions): Promise<unknown> => {
      const cap = NEEDS[method]
      if (!tools.has(toolName(method))) refuse(method, cap, info)
      const { deadlineMs, signal } = options
      const meta = { [DEADLINE_META]: Math.max(1, Math.round(deadlineMs)) }
      const answer = await client.call(toolName(method), params ?? {}, { deadlineMs, signal, meta })
      return method === 'render' ? fromBase64(answer) : answer
    }
    const { observe, act } = driverOver(send)
    info = await observe.info(within(Math.max(1, end - performance.now())))
    return {
      info,
      ended: channel.ended,
      observe: {
        ...observe,
        changes: (since, waitMs, ctx) =>
          polled(
            waitMs,
            ctx,
            (wait, c) => observe.changes(since, wait, c),
            hasNews,
            () => client.nextChange,
          ),
        watch: (of, since, waitMs, ctx) =>
          polled(
            waitMs,
            ctx,
            (wait, c) => observe.watch(of, since, wait, c),
            (a: Activity) => a.cursor !== since,
          ),
      },
      act,
      close: () => client.close(),
    }
  } catch (thrown) {
    const error = DeskhandError.from(thrown)
    await client.close(error)
    throw error
  }
}

/** Asks again until there is something to tell, so that servers need not wait themselves: when they say so, where they do, or time and again. */
async function polled<T>(
  waitMs: number,
  ctx: Ctx,
  ask: (waitMs: number, ctx: Ctx) => Promise<T>,
  isNews: (answer: T) => boolean,
  nextNews: () => AbortSignal | undefined = () => undefined,
): Promise<T> {
  const start = performance.now()
  for (;;) {
    const spent = performance.now() - start
    const left = ctx.deadlineMs - spent
    if (left <= 0) throw new DeskhandError('TIMEOUT', `nothing changed within ${ctx.deadlineMs} ms`)
    // Taken before the question, so that news on the way to its answer is not missed.
    const news = nextNews()
    const answer = await ask(Math.max(0, Math.round(waitMs - spent)), { signal: ctx.signal, deadlineMs: left })
    const over = performance.now() - start
    if (isNews(answer) || over >= waitMs) return answer
    const signal = news === undefined ? ctx.signal : AbortSignal.any([ctx.signal, news])
    const pause = Math.min(news === undefined ? POLL_MS : waitMs - over, waitMs - over, Math.max(1, ctx.deadlineMs - over))
    await sleep(pause, undefined, { signal }).catch(() => {})
  }
}

const hasNews = (answer: Changes): boolean => 'reset' in answer || answer.changes.length > 0 || answer.more === true

function refuse(method: DriverMethod, cap: CapName | undefined, info: DriverInfo | undefined): never {
  if (cap !== undefined && info !== undefined) mustBeCapable(info.can, cap)
  throw new DeskhandError('NOT_CAPABLE', `the driver has no ${toolName(method)}`)
}

function fromBase64(answer: unknown): Uint8Array {
  if (typeof answer !== 'string') throw nonsense('render was answered with something else than base64')
  const { buffer, byteOffset, length } = Buffer.from(answer, 'base64')
  return new Uint8Array(buffer, byteOffset, length)
}
