import { setTimeout as sleep } from 'node:timers/promises'
import {
  type Act,
  CAPS,
  type Cap,
  type CapName,
  checkStep,
  type Ctx,
  type DriverInfo,
  type DriverPart,
  type KnownDriver,
  type Lease,
  mustBeCapable,
  mustGoOn,
  type Observe,
  PROTOCOL,
  type Sent,
  type Step,
  within,
} from '@deskhand/core/driver'
import { DeskhandError, type ErrorCode } from '@deskhand/core/errors'
import type { RiskLevel } from '@deskhand/core/model'
import type { Channel } from './channel.ts'
import { type McpDriver, openMcpDriver } from './mcp-driver.ts'
import { OwnTree } from './own-tree.ts'
import { Rate } from './rate.ts'

export interface AddedOptions {
  name: string
  prefixes: readonly string[]
  /** The least risk of acting on what it tells of. */
  risk: RiskLevel
  open: () => Channel
  /** How long it may take to shake hands. */
  readyMs?: number
  /** How long it may take to answer, beside what it was told to wait. */
  answerMs?: number
}

const READY_MS = 20_000
/** Shorter than a composite waits, so that a driver that hangs is ended and not only left out. */
const ANSWER_MS = 4000
/** A look at a driver holds up every caller that looks at the desktop: a second is free, and this much more in a minute. */
const FREE_MS = 1000
const MOST_WAITING_MS = 10_000
/** How soon it is started again; each time in a row takes twice as long. */
const FIRST_RETRY_MS = 500
const LONGEST_RETRY_MS = 60_000
/** A driver that ran for so long starts with a clean slate. */
const HEALTHY_MS = 60_000
const LONGEST_WORDS = 300
const WRONG_ANSWER = 'Take a snapshot to see how far it came. The driver has to be corrected: deskhand driver check names what is wrong.'

/** What an added driver may be able to do. Screen, pointer, keyboard and clipboard are the desktop's own driver's. */
const OFFERED: ReadonlySet<CapName> = new Set<CapName>([
  'tree',
  'push',
  'step:press',
  'step:expand',
  'step:collapse',
  'step:select',
  'step:reveal',
  'step:setText',
  'step:setValue',
])
const NOT_OFFERED: Cap = { ok: false, reason: "an added driver acts on its own elements only; this is the desktop's own driver's" }

/** What a driver may fail with; anything else would speak for the session. */
const CODES: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  ...(['NOT_CAPABLE', 'NOT_ACTIONABLE', 'STALE_REF', 'TIMEOUT', 'CANCELLED', 'LEASE_LOST'] as const),
  ...(['BAD_ARGS', 'APP_HUNG', 'DRIVER_FAILED', 'DRIVER_DEAD', 'PROTOCOL'] as const),
])

/** An MCP server that an operator added to a desktop. It is not trusted; when it dies, hangs or answers nonsense it is started again. */
export class AddedDriver implements KnownDriver {
  readonly part: DriverPart
  readonly observe: Observe
  readonly act: Act
  readonly #options: Required<AddedOptions>
  readonly #closing = new AbortController()
  #tree: OwnTree
  #current: McpDriver | undefined
  #down = new DeskhandError('DRIVER_DEAD', 'it has not been started yet')
  #lives = 0
  #retryMs = FIRST_RETRY_MS
  #lease: { id: Lease; ttlMs: number; own?: { of: McpDriver; lease: Lease } } | undefined
  #leases = 0
  #isProbing = false
  #waiting = waitingRate()

  constructor(options: AddedOptions) {
    this.#options = { readyMs: READY_MS, answerMs: ANSWER_MS, ...options }
    const { name, prefixes, risk } = options
    this.part = { kind: name, name, version: '', prefixes: [...prefixes] }
    this.#tree = new OwnTree(name, risk)
    this.observe = this.#observing()
    this.act = {
      take: async (ttlMs) => (this.#lease = { id: `${name}-${++this.#leases}`, ttlMs }).id,
      step: (lease, step, guard, ctx) => this.#step(lease, step, (of, own, c) => of.act.step(own, step, guard, c), ctx),
      reply: async () => {
        throw new DeskhandError('BAD_ARGS', 'an added driver asks for no answer')
      },
      drop: async (lease) => {
        if (this.#lease?.id === lease) await this.#release()
      },
      stop: () => this.#release(),
    }
  }

  /** Starts the server, and again whenever it ends. Resolves when it answered for the first time, or failed to. */
  async start(): Promise<void> {
    await this.#start()
  }

  async close(): Promise<void> {
    this.#closing.abort()
    await this.#current?.close()
  }

  async #start(): Promise<void> {
    const { name, risk, open, readyMs } = this.#options
    const startedAt = performance.now()
    try {
      const driver = await openMcpDriver(open(), readyMs)
      if (this.#closing.signal.aborted) return await driver.close()
      this.#lives++
      this.#tree = new OwnTree(name, risk)
      this.#waiting = waitingRate()
      this.#current = driver
      void driver.ended.then((why) => this.#ended(driver, why, startedAt))
    } catch (thrown) {
      this.#startLater(DeskhandError.from(thrown))
    }
  }

  #ended(driver: McpDriver, why: DeskhandError, startedAt: number): void {
    if (this.#current !== driver) return
    this.#current = undefined
    if (performance.now() - startedAt > HEALTHY_MS) this.#retryMs = FIRST_RETRY_MS
    this.#startLater(why)
  }

  #startLater(why: DeskhandError, after: Promise<void> = Promise.resolve()): void {
    this.#down = why
    const { signal } = this.#closing
    const wait = this.#retryMs
    this.#retryMs = Math.min(2 * wait, LONGEST_RETRY_MS)
    void Promise.all([sleep(wait, undefined, { signal, ref: false }), after]).then(
      () => this.#start(),
      () => {},
    )
  }

  #observing(): Observe {
    const no = async (): Promise<never> => {
      mustBeCapable({ ...this.#info().can }, 'hit')
      throw new DeskhandError('NOT_CAPABLE', 'an added driver has no screen')
    }
    return {
      info: async (ctx) => {
        mustGoOn(ctx)
        return this.#info()
      },
      screens: async () => [],
      read: (scope, ctx) => this.#look(0, ctx, async (d, c) => this.#tree.read(await d.observe.read(scope, c), scope.root)),
      changes: (since, waitMs, ctx) =>
        this.#look(waitMs, ctx, async (d, c) => this.#news(d, this.#tree.changes(await d.observe.changes(since, waitMs, c)), c)),
      check: (keys, ctx) => this.#look(0, ctx, async (d, c) => this.#tree.check(keys, await d.observe.check(keys, c))),
      watch: no,
      hit: no,
      capture: no,
      render: no,
      readClipboard: no,
      pointer: no,
      canLaunch: no,
    }
  }

  /** A driver that says that it can do something else now is asked what. */
  async #news<T extends Awaited<ReturnType<Observe['changes']>>>(driver: McpDriver, news: T, ctx: Ctx): Promise<T> {
    if ('changes' in news && news.changes.some((c) => c.type === 'can')) driver.info = await driver.observe.info(ctx)
    return news
  }

  #info(): DriverInfo {
    const { version, epoch, can } = this.#mustBeUp().info
    const offered = CAPS.map((cap): [CapName, Cap] => [cap, OFFERED.has(cap) ? brief(can[cap]) : NOT_OFFERED])
    return {
      ...this.part,
      protocol: PROTOCOL,
      version: version.slice(0, 40),
      desktop: '',
      epoch: `${this.#lives}.${epoch.slice(0, 200)}`,
      can: Object.fromEntries(offered) as DriverInfo['can'],
    }
  }

  async #step(lease: Lease, step: Step, send: (of: McpDriver, own: Lease, ctx: Ctx) => Promise<Sent>, ctx: Ctx): Promise<Sent> {
    checkStep(step)
    mustBeCapable(this.#info().can, `step:${step.do}`)
    const sent = await this.#ask(0, ctx, async (driver, c) => {
      const held = this.#lease
      if (held?.id !== lease) throw new DeskhandError('LEASE_LOST', 'the lease ended')
      if (held.own?.of !== driver) held.own = { of: driver, lease: await driver.act.take(held.ttlMs, c) }
      return send(driver, held.own.lease, c)
    })
    return { sent: sent.sent, units: Math.max(0, Math.round(sent.units)), via: sent.via.slice(0, 40), broken: sent.broken, held: [] }
  }

  /** A driver that does not let go is ended, which lets go of everything. */
  async #release(): Promise<void> {
    const own = this.#lease?.own
    this.#lease = undefined
    if (own === undefined || own.of !== this.#current) return
    const stop = new AbortController()
    const late = sleep(this.#options.answerMs, undefined, { signal: stop.signal, ref: false }).then(() => {
      throw new DeskhandError('TIMEOUT', 'the driver does not let go of its lease')
    })
    await Promise.race([own.of.act.drop(own.lease), late]).catch((thrown: unknown) => this.#end(own.of, DeskhandError.from(thrown)))
    stop.abort()
    late.catch(() => {})
  }

  #look<T>(waitMs: number, ctx: Ctx, run: (driver: McpDriver, ctx: Ctx) => Promise<T>): Promise<T> {
    return this.#ask(waitMs, ctx, async (driver, c) => {
      const start = performance.now()
      const answer = await run(driver, c)
      this.#waiting.mustCount(Math.max(0, performance.now() - start - waitMs - FREE_MS))
      return answer
    })
  }

  /** One call, bounded. A driver that hangs or answers nonsense is ended. */
  async #ask<T>(waitMs: number, ctx: Ctx, run: (driver: McpDriver, ctx: Ctx) => Promise<T>): Promise<T> {
    mustGoOn(ctx)
    const driver = this.#mustBeUp()
    const longest = waitMs + this.#options.answerMs
    const isOurs = longest < ctx.deadlineMs
    try {
      return await run(driver, { signal: ctx.signal, deadlineMs: Math.min(ctx.deadlineMs, longest) })
    } catch (thrown) {
      const error = DeskhandError.from(thrown)
      const hangs = error.code === 'TIMEOUT' && isOurs
      if (hangs || error.code === 'PROTOCOL' || error.code === 'INTERNAL') this.#end(driver, error)
      else if (error.code === 'TIMEOUT') void this.#probe(driver)
      throw this.#told(error, hangs ? 'DRIVER_DEAD' : error.code)
    }
  }

  /** A caller with little time gave up: the driver may be slow, or hang. */
  async #probe(driver: McpDriver): Promise<void> {
    if (this.#isProbing || this.#current !== driver) return
    this.#isProbing = true
    await driver.observe.info(within(this.#options.answerMs)).catch((thrown: unknown) => this.#end(driver, DeskhandError.from(thrown)))
    this.#isProbing = false
  }

  #end(driver: McpDriver, why: DeskhandError): void {
    const closed = driver.close()
    if (this.#current !== driver) return
    this.#current = undefined
    this.#startLater(why, closed)
  }

  /** What a driver fails with is its own word: it may say neither what the session would say nor what to do next. */
  #told(error: DeskhandError, code: ErrorCode): DeskhandError {
    return new DeskhandError(
      CODES.has(code) ? code : 'DRIVER_FAILED',
      `the driver ${this.part.name}: ${error.message.slice(0, LONGEST_WORDS)}`,
      { cause: error, ...(code === 'PROTOCOL' && { next: WRONG_ANSWER }) },
    )
  }

  #mustBeUp(): McpDriver {
    if (this.#current !== undefined) return this.#current
    throw new DeskhandError('DRIVER_DEAD', `the driver ${this.part.name} is down: ${this.#down.message.slice(0, LONGEST_WORDS)}`)
  }
}

const waitingRate = (): Rate => new Rate(60_000, MOST_WAITING_MS, 'ms in a minute by which its answers are late')

const brief = (cap: Cap): Cap => (cap.ok ? cap : { ok: false, reason: cap.reason.slice(0, LONGEST_WORDS) })
