import { appWords, type Approval, type Grant, type PlannedStep, type Principal, type TargetFacts } from '../../model/index.ts'
import { bind } from './digest.ts'

/** How long an approved plan may take. */
export const PLAN_MS = 10 * 60_000

interface Approved {
  approval: Approval
  by: Principal
  until: number
  /** What is still to be done, in order. */
  left: PlannedStep[]
}

/** A call that is the next step of an approved plan. Only a step that the approval covers has a consent. */
export interface Planned {
  approval: string
  step: number
  by: Principal
  consent?: Approval
}

/**
 * Plans that a person agreed to, one for each principal. A plan is carried out in its order and as it was rehearsed: every step is good for
 * one call, and any other input by the same principal ends the plan, so that nothing can be slipped in between.
 */
export class Plans {
  readonly #now: () => number
  readonly #plans = new Map<string, Approved>()

  constructor(now: () => number) {
    this.#now = now
  }

  approve(approval: Approval, by: Principal): void {
    const left = (approval.steps ?? []).filter((s) => !s.reads)
    this.#plans.set(approval.principal.id, { approval, by, until: this.#now() + PLAN_MS, left })
  }

  /** The step that this call is. What is not the next step, or touches something else than was rehearsed, ends the plan. */
  next(tool: string, args: unknown, who: Principal, targets: readonly TargetFacts[], policy: string): Planned | undefined {
    this.#expire()
    const plan = this.#plans.get(who.id)
    if (plan === undefined) return undefined
    const step = plan.left.shift()
    const same =
      step !== undefined &&
      step.call === bind(tool, args, [], '') &&
      (step.state === 'unknown' || step.error !== undefined || step.digest === bind(tool, args, targets, policy))
    if (!same || plan.left.length === 0) this.#plans.delete(who.id)
    if (!same) return undefined
    const { id } = plan.approval
    const consent: Approval | undefined =
      step.needs === 'plan'
        ? {
            ...plan.approval,
            id: `${id}.${step.n}`,
            digest: step.digest,
            targets: step.targets,
            expiresAt: new Date(plan.until).toISOString(),
          }
        : undefined
    return { approval: id, step: step.n, by: plan.by, consent }
  }

  /** Each plan as the standing permission that it is. */
  grants(): Grant[] {
    this.#expire()
    return [...this.#plans.values()].map(({ approval, by, until, left }) => ({
      id: approval.id,
      principal: approval.principal.id,
      tools: [...new Set(left.map((s) => s.tool))],
      apps: appsOf(left),
      maxRisk: approval.risk.level,
      left: left.length,
      expiresAt: new Date(until).toISOString(),
      by,
    }))
  }

  revoke(id: string): Grant | undefined {
    const grant = this.grants().find((g) => g.id === id)
    if (grant !== undefined) this.#plans.delete(grant.principal)
    return grant
  }

  clear(): void {
    this.#plans.clear()
  }

  #expire(): void {
    const now = this.#now()
    for (const [who, { until }] of this.#plans) if (until <= now) this.#plans.delete(who)
  }
}

/** The applications that a plan is known to touch. */
export const appsOf = (steps: readonly { targets: readonly TargetFacts[] }[]): string[] => [
  ...new Set(steps.flatMap((s) => s.targets.flatMap((t) => (t.app === undefined ? [] : [appWords(t.app)])))),
]
