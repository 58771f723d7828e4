import { randomBytes } from 'node:crypto'
import { DeskhandError } from '../../errors.ts'
import {
  appWords,
  type Answer,
  type Approval,
  type Grant,
  type Offer,
  type PlannedStep,
  type Principal,
  type Rect,
  type Risk,
  type RiskLevel,
  type Scope,
  type TargetFacts,
} from '../../model/index.ts'
import { commandOf } from '../../policy/index.ts'
import { appsOf as appsOfSteps, PLAN_MS, Plans } from './plans.ts'

/** A picture of a target for the person who is asked about it, and the name under which the record keeps it. */
export interface Crop {
  png: Uint8Array
  /** What of the desktop it shows. */
  area: Rect
  id: string
}

/** What became of a question: it was asked, has its picture, is before a person, was answered, or is void because of an error. */
export type ApprovalNews =
  | { state: 'asked' | 'pictured' | 'shown'; approval: Approval }
  | { state: 'answered'; approval: Approval; answer: Answer }
  | { state: 'void'; approval: Approval; error: DeskhandError }

const RISKS: readonly RiskLevel[] = ['low', 'medium', 'high', 'prohibited']
/** A grant never covers more than this; high risk always asks. */
const GRANT_CEILING: RiskLevel = 'medium'
const GRANT_MS = { session: 8 * 3_600_000, app: 3_600_000 }
const GRANT_COUNT = 500
const LONGER = ['app', 'session'] as const
/** Questions one principal may have open: more than that wears a person out until they stop reading. */
const MOST_PENDING = 20

export interface ApprovalsOptions {
  /** Whether an operator can answer at all. */
  interactive: boolean
  expiryMs: number
  now(): number
  /** Hears of every question, and what it comes to. */
  tell(news: ApprovalNews): void
}

interface Pending {
  approval: Approval
  picture?: Uint8Array
  settle(answer: Answer | DeskhandError): void
  /** Starts its time anew. */
  restart(): void
}

/** A call that a grant may cover. */
interface Coverable {
  tool: string
  principal: Principal
  targets: readonly TargetFacts[]
  digest(): string
}

/** A grant for a program to be started holds for that program with those arguments alone, by the digest of its call. */
interface Standing {
  grant: Grant
  launch?: string
}

/** Questions that wait for a person, and standing grants. The first answer wins. */
export class Approvals {
  readonly #options: ApprovalsOptions
  readonly #pending = new Map<string, Pending>()
  readonly #grants = new Map<string, Standing>()
  readonly plans: Plans

  constructor(options: ApprovalsOptions) {
    this.#options = options
    this.plans = new Plans(options.now)
  }

  get interactive(): boolean {
    return this.#options.interactive
  }

  list(): Approval[] {
    return [...this.#pending.values()].map((p) => p.approval)
  }

  /** What the element of a question and its surroundings look like; nothing where that may not be shown. */
  picture(id: string): Uint8Array | undefined {
    return this.#pending.get(id)?.picture
  }

  /** Adds its picture to a question; false when it waits no more. */
  show(id: string, { png, area, id: crop }: Crop): boolean {
    const pending = this.#pending.get(id)
    if (pending === undefined) return false
    pending.picture = png
    pending.approval.crop = crop
    pending.approval.cropArea = area
    this.#options.tell({ state: 'pictured', approval: pending.approval })
    return true
  }

  /** A person has it before them; the first time that happens its time starts anew. */
  shown(id: string): Approval {
    const { approval, restart } = this.#waiting(id)
    if (approval.shownAt !== undefined) return approval
    const now = this.#options.now()
    approval.shownAt = new Date(now).toISOString()
    approval.expiresAt = new Date(now + this.#options.expiryMs).toISOString()
    restart()
    this.#options.tell({ state: 'shown', approval })
    return approval
  }

  grants(): Grant[] {
    this.#expireGrants()
    return [...[...this.#grants.values()].map(({ grant }) => grant), ...this.plans.grants()]
  }

  revoke(id: string): Grant {
    const grant = this.#grants.get(id)?.grant ?? this.plans.revoke(id)
    if (grant === undefined) throw new DeskhandError('UNKNOWN_OP', `no grant ${id} holds; it was revoked, used up or has expired`)
    this.#grants.delete(id)
    return grant
  }

  /** Asks, and waits for the answer, the end of patience, or the caller's. */
  ask(question: Omit<Approval, 'id' | 'askedAt' | 'expiresAt'>, signal: AbortSignal): { approval: Approval; answer: Promise<Answer> } {
    if (!this.#options.interactive) throw new DeskhandError('APPROVAL_NEEDED', `${question.summary}: ${question.decision.reason}`)
    const open = this.list().filter((a) => a.principal.id === question.principal.id).length
    if (open >= MOST_PENDING)
      throw new DeskhandError('RATE_LIMITED', `${open} questions of ${question.principal.id} wait for a person already`)
    const asked = this.#options.now()
    const approval: Approval = {
      ...question,
      id: `a${randomBytes(6).toString('hex')}`,
      askedAt: new Date(asked).toISOString(),
      expiresAt: new Date(asked + this.#options.expiryMs).toISOString(),
    }
    const offers = LONGER.filter((scope) => grantable(approval, scope)).map((scope) => offerOf(approval, scope))
    if (offers.length > 0) approval.offers = offers
    const answer = new Promise<Answer>((resolve, reject) => {
      const settle = (outcome: Answer | DeskhandError): void => {
        clearTimeout(timer)
        signal.removeEventListener('abort', aborted)
        this.#pending.delete(approval.id)
        if (outcome instanceof DeskhandError) {
          reject(outcome)
          this.#options.tell({ state: 'void', approval, error: outcome })
        } else {
          resolve(outcome)
          // What a person typed is for the script that asked.
          this.#options.tell({ state: 'answered', approval, answer: { ...outcome, text: undefined } })
        }
      }
      const aborted = (): void => settle(DeskhandError.from(signal.reason))
      let timer: NodeJS.Timeout | undefined
      const restart = (): void => {
        clearTimeout(timer)
        // A longer patience than a timer can hold is checked when the answer comes.
        timer = setTimeout(() => settle(expired(approval)), Math.min(this.#options.expiryMs, 2 ** 31 - 1)).unref()
      }
      restart()
      this.#pending.set(approval.id, { approval, settle, restart })
      if (signal.aborted) aborted()
      else signal.addEventListener('abort', aborted, { once: true })
    })
    if (this.#pending.has(approval.id)) this.#options.tell({ state: 'asked', approval })
    return { approval, answer }
  }

  /** Ends a question that is not what the person saw any more; nothing where it waits no more. */
  void(id: string, error: DeskhandError): void {
    this.#pending.get(id)?.settle(error)
  }

  /** Takes the first answer to a question. Who may answer is settled by the operator API. */
  answer(id: string, answer: Answer): Approval {
    const pending = this.#waiting(id)
    const { approval } = pending
    if (this.#options.now() >= Date.parse(approval.expiresAt)) {
      pending.settle(expired(approval))
      throw expired(approval)
    }
    const { buttons } = approval.question ?? {}
    if (answer.allow && answer.text !== undefined && buttons !== undefined && !buttons.includes(answer.text))
      throw new DeskhandError('BAD_ARGS', `${id} is answered with one of: ${buttons.join(', ')}`, {
        next: 'Use one of these words, exactly.',
      })
    const scope = answer.allow && grantable(approval, answer.scope) ? answer.scope : 'once'
    if (scope !== 'once') this.#grant(approval, scope, answer.by)
    pending.settle({ ...answer, scope })
    return approval
  }

  /** The grant that covers this call; unless it is only a rehearsal, it is used up by one. */
  covering({ tool, principal, targets, digest }: Coverable, risk: Risk, rehearsal = false): Grant | undefined {
    this.#expireGrants()
    for (const { grant, launch } of this.#grants.values()) {
      const apps = targets.map((t) => (t.app === undefined ? '' : appWords(t.app)))
      const isWithin = grant.apps.length === 0 || (apps.length > 0 && apps.every((a) => grant.apps.includes(a)))
      const covers =
        grant.principal === principal.id &&
        grant.tools.includes(tool) &&
        RISKS.indexOf(risk.level) <= RISKS.indexOf(grant.maxRisk) &&
        (isLaunch(targets) ? launch === digest() : launch === undefined && isWithin)
      if (!covers) continue
      if (!rehearsal) grant.left--
      return grant
    }
    return undefined
  }

  #grant(approval: Approval, scope: Offer['scope'], by: Principal): void {
    const id = `g${randomBytes(6).toString('hex')}`
    const { tools, apps, maxRisk, count, seconds } = offerOf(approval, scope)
    const expiresAt = new Date(this.#options.now() + seconds * 1_000).toISOString()
    const grant = { id, principal: approval.principal.id, tools, apps, maxRisk, left: count, expiresAt, by }
    this.#grants.set(id, { grant, launch: isLaunch(approval.targets) ? approval.digest : undefined })
  }

  #waiting(id: string): Pending {
    const pending = this.#pending.get(id)
    if (pending === undefined) throw new DeskhandError('UNKNOWN_OP', `no approval ${id} is waiting; it was answered, expired or cancelled`)
    return pending
  }

  #expireGrants(): void {
    const now = this.#options.now()
    for (const { grant: g } of this.#grants.values()) if (g.left <= 0 || Date.parse(g.expiresAt) <= now) this.#grants.delete(g.id)
  }
}

/** Whether an answer can hold beyond its call: high risk is asked every time, and an application scope needs an application. */
export function grantable(approval: Approval, scope: Scope): boolean {
  if (scope === 'once' || approval.question !== undefined) return false
  if (approval.steps === undefined ? beyondGrants(approval.risk.level) : openSteps(approval).length === 0) return false
  return scope === 'session' || appsOf(approval).length > 0
}

/** What a grant from this answer is good for: more calls like this one, or the steps of a plan that cannot be known yet. */
function offerOf(approval: Approval, scope: Offer['scope']): Offer {
  const apps = isLaunch(approval.targets) ? [commandOf('launch', approval.args) ?? ''] : scope === 'app' ? appsOf(approval) : []
  if (approval.steps === undefined)
    return { scope, apps, tools: [approval.tool], maxRisk: approval.risk.level, count: GRANT_COUNT, seconds: GRANT_MS[scope] / 1_000 }
  const open = openSteps(approval)
  const tools = [...new Set(open.map((s) => s.tool))]
  return { scope, apps, tools, maxRisk: GRANT_CEILING, count: open.length, seconds: PLAN_MS / 1_000 }
}

/** What is started is no application yet, and has no more than its name. */
const isLaunch = (targets: readonly TargetFacts[]): boolean => targets.some((t) => t.role === 'application' && t.source === 'none')

const openSteps = ({ steps = [] }: Approval): PlannedStep[] => steps.filter((s) => s.needs === 'grant' && !s.reads)
const appsOf = (approval: Approval): string[] => appsOfSteps(approval.steps ?? [approval])

/** Whether a risk is beyond what grants and plans cover: it is asked about every time. */
export const beyondGrants = (level: RiskLevel): boolean => RISKS.indexOf(level) > RISKS.indexOf(GRANT_CEILING)

/** A question that no person was shown was not asked. */
const expired = ({ id, shownAt }: Approval): DeskhandError =>
  shownAt === undefined
    ? new DeskhandError('NOT_ASKED', `${id} was never shown to a person, so it was not asked`)
    : new DeskhandError('APPROVAL_EXPIRED', `${id} was shown to a person, who did not answer in time`)

/** Whether a target still lies where it was within its window, give or take the tolerance. */
export function samePlace(then: TargetFacts, now: TargetFacts, tolerancePx: number): boolean {
  const a = placeInWindow(then)
  const b = placeInWindow(now)
  if (a === undefined || b === undefined) return a === b
  return Math.abs(a.x - b.x) <= tolerancePx && Math.abs(a.y - b.y) <= tolerancePx
}

function placeInWindow(t: TargetFacts): { x: number; y: number } | undefined {
  const r: Rect | undefined = t.bounds
  if (r === undefined) return t.at
  const w = t.window?.bounds ?? { x: 0, y: 0 }
  return { x: r.x - w.x, y: r.y - w.y }
}
