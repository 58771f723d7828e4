import { DeskhandError } from '../../errors.ts'
import type { Ctx, Lease } from '../driver.ts'
import { mustGoOn } from './calls.ts'

/** How long a stop waits for the running step, which ends before its next event. */
const STOP_MS = 500

/** The keys and buttons of a desktop, as a lease needs them. */
export interface Controls {
  isHolding(): boolean
  /** Lets go of every key and button that is down. */
  release(): void | Promise<void>
}

/** The one lease on a desktop. Steps run one after the other and renew it; every end of it releases what is held. */
export class Leases {
  readonly #controls: Controls
  #lease: { id: Lease; ttlMs: number; until: number } | undefined
  #count = 0
  #running: Promise<unknown> | undefined
  #expiry: NodeJS.Timeout | undefined

  constructor(controls: Controls) {
    this.#controls = controls
  }

  async take(ttlMs: number, ctx: Ctx): Promise<Lease> {
    mustGoOn(ctx)
    if (this.#lease !== undefined && performance.now() < this.#lease.until) throw lost('another lease on this desktop is still alive')
    const lease = (this.#lease = { id: `lease-${++this.#count}`, ttlMs, until: performance.now() + ttlMs })
    try {
      await this.#release()
    } catch (error) {
      if (this.#lease === lease) this.#lease = undefined
      throw error
    }
    if (this.#lease !== lease) throw lost('the lease was stopped while it was taken')
    lease.until = performance.now() + ttlMs
    return lease.id
  }

  /** Runs a step when those before it have ended. A step that needs no waiting may give its result at once. */
  async run<T>(id: Lease, ctx: Ctx, step: () => T | Promise<T>): Promise<T> {
    while (this.#running !== undefined) await this.#running
    mustGoOn(ctx)
    if (!this.#renew(id)) throw lost('this lease has ended')
    try {
      const result = step()
      if (!(result instanceof Promise)) return result
      this.#running = result.catch(() => {})
      return await result
    } finally {
      this.#running = undefined
      this.#expireHeld()
    }
  }

  /** For a running step, between two events: false when its lease, its caller or its time is gone. */
  mayGoOn(id: Lease, ctx: Ctx, end: number): boolean {
    if (this.#lease?.id !== id || ctx.signal.aborted || performance.now() > end) return false
    this.#lease.until = performance.now() + this.#lease.ttlMs
    return true
  }

  async drop(id: Lease): Promise<void> {
    if (this.#lease?.id === id) await this.stop()
  }

  async stop(): Promise<void> {
    this.#lease = undefined
    await this.#release()
    if (this.#running === undefined) return
    await within(STOP_MS, this.#running)
    await this.#release()
  }

  #renew(id: Lease): boolean {
    const now = performance.now()
    if (this.#lease?.id !== id || now >= this.#lease.until) return false
    this.#lease.until = now + this.#lease.ttlMs
    return true
  }

  /** Nothing stays down longer than the lease that pressed it. */
  #expireHeld(): void {
    clearTimeout(this.#expiry)
    const lease = this.#lease
    if (lease === undefined || !this.#controls.isHolding()) return
    const expire = (): void => {
      if (this.#lease !== undefined && performance.now() < this.#lease.until) return this.#expireHeld()
      this.#lease = undefined
      // A desktop that is gone holds nothing any more.
      this.#release().catch(() => {})
    }
    this.#expiry = setTimeout(expire, Math.max(0, lease.until - performance.now())).unref()
  }

  async #release(): Promise<void> {
    clearTimeout(this.#expiry)
    await this.#controls.release()
  }
}

const lost = (why: string): DeskhandError => new DeskhandError('LEASE_LOST', why)

async function within(ms: number, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  await Promise.race([work, new Promise((resolve) => (timer = setTimeout(resolve, ms)))])
  clearTimeout(timer)
}
