import { DeskhandError } from '../../errors.ts'
import type { Act, Ctx, Guard, Lease, Sent, Step } from '../driver.ts'
import { Leases } from '../kit/leases.ts'
import { brokenElsewhere, splitGuard, type Elsewhere } from './guards.ts'
import type { MergedObserve } from './merged-observe.ts'
import type { Part, Parts } from './part.ts'

/** So many characters are typed before the guards that other drivers have to check are checked again. */
const CHUNK = 32

/** What one driver gave of the lease. `until` is no later than the driver's own. */
interface Taken {
  lease: Lease
  until: number
  held: string[]
}

/** Steps on a node go to its driver, all others to the first that can. The lease is one: all drivers give theirs, or none. */
export class MergedAct implements Act {
  readonly #parts: Parts
  readonly #observe: MergedObserve
  readonly #leases: Leases
  readonly #taken = new Map<Part, Taken>()
  #ttlMs = 0

  constructor(parts: Parts, observe: MergedObserve) {
    this.#parts = parts
    this.#observe = observe
    this.#leases = new Leases({ isHolding: () => this.#held().length > 0, release: () => this.#release() })
  }

  async take(ttlMs: number, ctx: Ctx): Promise<Lease> {
    const lease = await this.#leases.take(ttlMs, ctx)
    this.#ttlMs = ttlMs
    // A driver that hangs cannot give a lease, and one that is dead holds nothing; the others go on without them.
    const asked = this.#parts.all.filter((p) => p.down?.code !== 'TIMEOUT')
    const answers = await Promise.allSettled(asked.map((part) => this.#takeOn(part, ctx)))
    const refusals = answers.flatMap((a) => (a.status === 'rejected' ? [DeskhandError.from(a.reason)] : []))
    const refusal = refusals.find((e) => e.code !== 'DRIVER_DEAD') ?? (this.#taken.size === 0 ? refusals[0] : undefined)
    const isAlive = this.#leases.mayGoOn(lease, ctx, Infinity)
    if (refusal === undefined && isAlive) return lease
    await (isAlive ? this.#leases.drop(lease) : this.#release())
    throw refusal ?? new DeskhandError('LEASE_LOST', 'the lease was stopped while it was taken')
  }

  step(lease: Lease, step: Step, guard: Guard, ctx: Ctx): Promise<Sent> {
    return this.#leases.run(lease, ctx, () => this.#step(lease, step, guard, ctx))
  }

  async reply(id: string, result: unknown, ctx: Ctx): Promise<void> {
    const part = this.#parts.ownerOf(id)
    if (part === undefined) throw new DeskhandError('BAD_ARGS', `no driver of this desktop waits for an answer to ${id}`)
    await part.driver.act.reply(part.inner(id), result, ctx)
  }

  drop(lease: Lease): Promise<void> {
    return this.#leases.drop(lease)
  }

  async stop(): Promise<void> {
    await Promise.all([this.#leases.stop(), ...this.#parts.all.map((p) => unlessDead(p.driver.act.stop()))])
  }

  async #step(lease: Lease, step: Step, guard: Guard, ctx: Ctx): Promise<Sent> {
    const end = performance.now() + ctx.deadlineMs
    const part = 'key' in step ? this.#parts.mustOwn(step.key) : this.#parts.mustFind(`step:${step.do}`)
    const { own, elsewhere, unknown } = splitGuard(this.#parts, part, guard, this.#observe.humanPart())
    const total = { sent: 'none', units: 0, via: step.do, held: [] } as Sent
    if (unknown !== undefined) return { ...total, broken: unknown, held: this.#held() }
    for (const piece of elsewhere.length === 0 ? [inside(part, step)] : pieces(inside(part, step))) {
      const broken = await this.#brokenElsewhere(elsewhere, ctx)
      if (broken !== undefined || (total.units > 0 && !this.#leases.mayGoOn(lease, ctx, end)))
        return { ...total, sent: total.units > 0 ? 'partial' : 'none', broken, held: this.#held() }
      const sent = await this.#send(part, piece, own, ctx)
      Object.assign(total, sent, { units: total.units + sent.units })
      if (sent.sent !== 'all') return { ...total, sent: total.units > 0 ? 'partial' : 'none', held: this.#held() }
    }
    await this.#renewHolders(part, ctx)
    return { ...total, held: this.#held() }
  }

  async #send(part: Part, step: Step, guard: Guard, ctx: Ctx): Promise<Sent> {
    const taken = await this.#leaseOn(part, ctx)
    taken.until = performance.now() + this.#ttlMs
    const sent = await part.driver.act.step(taken.lease, step, guard, ctx)
    taken.held = sent.held
    return sent
  }

  /** While steps went to other drivers, the lease of this one may have run out. */
  async #leaseOn(part: Part, ctx: Ctx): Promise<Taken> {
    const taken = this.#taken.get(part)
    if (taken !== undefined && performance.now() < taken.until) return taken
    if (taken !== undefined) await part.driver.act.drop(taken.lease)
    return this.#takeOn(part, ctx)
  }

  async #takeOn(part: Part, ctx: Ctx): Promise<Taken> {
    const until = performance.now() + this.#ttlMs
    const taken: Taken = { lease: await part.driver.act.take(this.#ttlMs, ctx), until, held: [] }
    this.#taken.set(part, taken)
    return taken
  }

  /** Every step renews the lease, so keys that another driver holds stay down. */
  async #renewHolders(part: Part, ctx: Ctx): Promise<void> {
    const others = [...this.#taken].filter(([p, { held }]) => p !== part && held.length > 0)
    await Promise.all(others.map(([p]) => this.#send(p, { do: 'keys', events: [] }, {}, ctx)))
  }

  async #brokenElsewhere(elsewhere: readonly Elsewhere[], ctx: Ctx): Promise<keyof Guard | undefined> {
    for (const one of elsewhere) {
      const broken = await brokenElsewhere(
        one,
        this.#observe,
        (part, guard) => this.#send(part, { do: 'keys', events: [] }, guard, ctx),
        ctx,
      )
      if (broken !== undefined) return broken
    }
    return undefined
  }

  #held(): string[] {
    return [...this.#taken.values()].flatMap((t) => t.held)
  }

  async #release(): Promise<void> {
    const taken = [...this.#taken]
    this.#taken.clear()
    await Promise.all(taken.map(([part, { lease }]) => unlessDead(part.driver.act.drop(lease))))
  }
}

function inside(part: Part, step: Step): Step {
  return 'key' in step ? { ...step, key: part.inner(step.key) } : step
}

/** A long text in parts, between which guards can be checked. */
function* pieces(step: Step): Generator<Step> {
  const chars = step.do === 'text' ? [...step.text] : []
  if (step.do !== 'text' || chars.length <= CHUNK) return yield step
  for (let at = 0; at < chars.length; at += CHUNK) yield { do: 'text', text: chars.slice(at, at + CHUNK).join('') }
}

/** What a dead driver held was released when it ended. */
async function unlessDead(call: Promise<void>): Promise<void> {
  await call.catch((thrown: unknown) => {
    const error = DeskhandError.from(thrown)
    if (error.code !== 'DRIVER_DEAD') throw error
  })
}
