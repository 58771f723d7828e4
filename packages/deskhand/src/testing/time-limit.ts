import type { Result } from '@deskhand/core/model'
import type { CallOptions } from '../sdk/desk.ts'
import { Locator, type LocatorOptions } from '../sdk/locator.ts'
import type { Opened } from '../wiring/open.ts'
import type { RunnerContext } from './attach.ts'

/** How much of its time a test keeps for its end: pictures, and taking its desktops down. */
const KEPT_MS = 1_000
const KEPT_SHARE = 0.2
/** How long `ui.wait` waits when its caller does not say. */
const WAIT_MS = 10_000

/** The time that a runner gives a test. A wait that would outlast it ends before, so that the failure is what was waited for. */
export class TimeLimit {
  readonly #limitMs: number
  readonly #endsAt: number
  readonly #running = new Set<string>()

  /** `context` is what vitest hands to a test; without a limit in it, as in node:test, waits are as long as they say. */
  constructor({ task }: RunnerContext) {
    const limitMs = task?.timeout ?? 0
    this.#limitMs = limitMs > 0 ? limitMs : Infinity
    this.#endsAt = performance.now() + this.#limitMs - Math.min(KEPT_MS, this.#limitMs * KEPT_SHARE)
  }

  /** The calls that the test waits for. */
  get running(): string | undefined {
    return this.#running.size === 0 ? undefined : `it waited for ${[...this.#running].join(', ')}`
  }

  /** The desktop, with waits that end in time. */
  bound(desk: Opened): Opened {
    const bounded: Opened = {
      ...desk,
      get: (selector: string, options?: LocatorOptions) => new Locator(bounded, selector, options),
      call: async (tool, args = {}, options) => {
        const call = `${tool}${aimOf(args)}`
        this.#running.add(call)
        try {
          return await this.#inTime(desk, tool, args, options)
        } finally {
          this.#running.delete(call)
        }
      },
    }
    return bounded
  }

  async #inTime(desk: Opened, tool: string, args: unknown, options?: CallOptions): Promise<Result> {
    const wanted = waitOf(tool, args)
    const left = Math.max(0, Math.floor(this.#endsAt - performance.now()))
    if (wanted <= left) return desk.call(tool, args, options)
    const result = await desk.call(tool, { ...Object(args), timeoutMs: left }, options)
    const { error } = result
    if (error === undefined) return result
    const why = `waited ${left} ms instead of ${wanted}, as the test has a limit of ${this.#limitMs} ms`
    return { ...result, error: { ...error, message: `${error.message} (${why})` } }
  }
}

function waitOf(tool: string, args: unknown): number {
  const wanted: unknown = Object(args)['timeoutMs']
  return typeof wanted === 'number' ? wanted : tool === 'ui.wait' ? WAIT_MS : 0
}

/** What a call is about; a text that it types stays out. */
function aimOf(args: unknown): string {
  const { target, selector = target, until } = Object(args) as Record<string, unknown>
  if (typeof selector === 'string') return ` ${selector}`
  return until === undefined ? '' : ` ${JSON.stringify(until)}`
}
