import { DeskhandError } from '../../errors.ts'
import {
  Button,
  enters,
  selectors,
  TRAITS,
  type Action,
  type AppIdentity,
  type Decision,
  type Risk,
  type Route,
  type TargetFacts,
} from '../../model/index.ts'
import { privateText, type PrivateText } from '../../redaction/index.ts'
import {
  tainted,
  UNKNOWN_SOURCE,
  type Held,
  type Policy,
  type RateCounter,
  type ScreenText,
  type Setting,
  type Subject,
} from '../../policy/index.ts'
import type { Call, InputLease } from '../call.ts'
import type { DriverState } from '../see/driver-state.ts'
import { pressTargets } from '../see/press-targets.ts'
import type { See } from '../see/see.ts'
import type { Resolved } from '../see/targets.ts'
import { beyondGrants, type Approvals } from './approvals.ts'
import { Carried } from './carried.ts'
import { copies, pastes, pastesSelection, type Clipboard } from './clipboard.ts'
import type { Consent } from './consent.ts'
import { bind } from './digest.ts'
import type { Planned } from './plans.ts'
import { routesOf } from './routes.ts'

/** The risk of a call, the decision on it, and what a person agreed to beforehand that covers it. */
export interface Verdict {
  risk: Risk
  decision: Decision
  /** The way that was judged, and those that may be judged where it cannot be taken. */
  routes: readonly Route[]
  /** Where the text that it enters came from. */
  carried?: Subject['carried']
  held?: Held
  /** What was counted against rates and for rules about what came before. */
  counted?: Subject
  consent?: Consent
}

export interface DeciderNeeds {
  policy(): Policy
  setting(): Setting
  see: See
  driver: DriverState
  shown: ScreenText
  clipboard: Clipboard
  rates: RateCounter
  approvals: Approvals
}

/** A decision that was taken, and what about. */
interface Taken extends Pick<Verdict, 'decision' | 'routes' | 'counted'> {
  call: Call
  action: Action
}

/** Whether the same rule says the same for the same reason. */
export const sameRule = (a: Decision, b: Decision): boolean => a.reason === b.reason && a.rule?.name === b.rule?.name

interface Judged {
  targets: readonly Resolved[]
  routes: readonly Route[]
  planned?: Planned
  /** It uses up nothing of what was allowed beforehand. */
  isFree?: boolean
}

const BUTTONS: ReadonlySet<string> = new Set(Button.options)
const UNKNOWN_PRESSED: TargetFacts = { role: 'unknown', path: [], source: 'none', confidence: 0, why: ['it was pressed before'] }

/** What is still pressed when these events are over. */
function leftPressed(action: Action, targets: readonly Resolved[]): TargetFacts | undefined {
  if (action.do !== 'pointer') return undefined
  const down = new Map<string, TargetFacts | undefined>()
  const touches = pressTargets(action.events)
  let presses = 0
  for (const [i, event] of action.events.entries()) {
    if (event.type === 'down') down.set(event.button, targets[presses]?.facts)
    if (event.type === 'up') down.delete(event.button)
    if (touches[i] === 'press') presses++
  }
  return [...down.values()].at(-1)
}

/** Puts calls to the policy, with what they would really touch. */
export class Decider {
  readonly #on: DeciderNeeds
  readonly #carried: Carried
  /** What the holder of a lease pressed last without letting go. */
  readonly #pressed = new WeakMap<InputLease, TargetFacts>()
  /** What a call was seen to paste; nothing where that is not known. */
  readonly #copied = new WeakMap<Call, string>()

  constructor(needs: DeciderNeeds) {
    this.#on = needs
    this.#carried = new Carried(needs.shown, needs.clipboard)
  }

  /** Finds out what is on the clipboard, where the call puts something there or enters what is there; whether it is what it was before for this call. */
  async lookAtClipboard(call: Call, action: Action, targets: readonly Resolved[], signal: AbortSignal): Promise<boolean> {
    const facts = targets.map((t) => t.facts)
    const held = call.lease?.held
    const isRead = pastes(action, facts, held) && !copies(action, facts, held) && !pastesSelection(action, facts, held)
    if (action.do !== 'clipboard_write' && !copies(action, facts, held) && !pastes(action, facts, held)) return true
    const text = await this.#on.clipboard.look(signal)
    const before = this.#copied.get(call)
    if (!isRead || text === undefined) this.#copied.delete(call)
    else this.#copied.set(call, text)
    return before === this.#copied.get(call)
  }

  /** Decides a call that is to be carried out: it counts against rates, grants and the plan it may belong to. */
  decide(call: Call, action: Action, targets: readonly Resolved[], routes = routesOf(action, targets, this.#on.driver)): Verdict {
    const subject = this.subject(call, action, targets, routes[0])
    const verdict = this.#judge(subject, call, { targets, routes, planned: this.#plannedStep(call, action, targets) })
    if (verdict.decision.verdict === 'deny' || call.dryRun) return verdict
    this.#on.rates.record(subject, this.#on.setting().now)
    const pressed = call.lease && leftPressed(action, targets)
    if (pressed !== undefined) this.#pressed.set(call.lease!, pressed)
    return { ...verdict, counted: subject }
  }

  /** The verdict alone; it counts against no rate and no grant, and belongs to no plan. */
  judge(call: Call, action: Action, targets: readonly Resolved[], routes = routesOf(action, targets, this.#on.driver)): Verdict {
    return this.#judge(this.subject(call, action, targets, routes[0]), call, { targets, routes, isFree: true })
  }

  /** What the policy is asked about. */
  subject(call: Call, action: Action, targets: readonly Resolved[], route = routesOf(action, targets, this.#on.driver)[0]): Subject {
    const { shown } = this.#on
    const facts = targets.map((t) => t.facts)
    const held = this.heldBy(call)
    return {
      tool: call.tool,
      kind: action.do,
      // An entry that is acted upon by its own action may open, as by a double click.
      args: route?.by === 'opening' ? { ...Object(call.args), clickCount: 2 } : call.args,
      principal: call.principal,
      targets: facts,
      intent: call.intent,
      playbook: call.playbook,
      route,
      held,
      carried: this.#carriedBy(call, action, facts, held),
      pasted: pastes(action, facts, held?.keys) ? { text: this.#copied.get(call) } : undefined,
      tainted: [...enters(action), ...selectors(action)].some((text) => tainted(text, shown)),
    }
  }

  /**
   * Throws when a decision that was taken a while ago would not let the call through now, as its targets are by now. `isAnswered`: a person
   * agreed to it; what changed of what they saw is looked for elsewhere.
   */
  mustStillHold({ call, action, routes, decision, counted }: Taken, targets: readonly Resolved[], isAnswered: boolean): void {
    const { rates } = this.#on
    const subject = this.subject(call, action, targets, routes[0])
    const setting = { ...this.#on.setting(), rates: counted === undefined ? undefined : rates.besides(counted) }
    const policy = this.#on.policy()
    const risk = policy.assess(subject, setting)
    const now = policy.decide(subject, risk, setting)
    if (now.verdict === 'deny') throw new DeskhandError(now.code ?? 'DENIED', now.reason)
    if (now.verdict === 'allow' || isAnswered || sameRule(now, decision)) return
    const isCovered = decision.verdict === 'ask_user' && !beyondGrants(risk.level)
    if (isCovered && this.#consent(call, subject, risk, { isFree: true }) !== undefined) return
    throw new DeskhandError('TARGET_CHANGED', `what this touches has changed since it was decided, and asks now: ${now.reason}`, {
      next: 'Take a new snapshot; if it is still wanted, call again.',
    })
  }

  /** Why a picture inside another call is refused. It is judged as a capture under the name of `tool`, and counts as one where it is `taken`. */
  captureRefusal(by: Pick<Call, 'principal'>, tool: string, taken = false): string | undefined {
    return this.captureTerms(by, tool, taken).refused
  }

  /** The same, and whether what looks private has to be hidden in such pictures. */
  captureTerms({ principal }: Pick<Call, 'principal'>, tool: string, taken = false): { refused?: string; redact: boolean } {
    const call: Call = { tool, kind: 'capture', args: {}, principal, dryRun: !taken }
    const action: Action = { do: 'capture', format: 'png' }
    const { decision } = taken ? this.decide(call, action, []) : this.judge(call, action, [])
    return { redact: decision.obligations.redact === true, ...(decision.verdict !== 'allow' && { refused: decision.reason }) }
  }

  /** Masks what looks private, where a rule asks for that. */
  get privateText(): PrivateText {
    return privateText(this.#on.policy().private)
  }

  #judge(subject: Subject, call: Call, { targets, routes, planned, isFree = call.dryRun }: Judged): Verdict {
    const setting = this.#on.setting()
    const policy = this.#on.policy()
    const risk = policy.assess(subject, setting)
    const decision = this.#unseen(call, targets) ?? policy.decide(subject, risk, setting)
    const mayCover = decision.verdict === 'ask_user' && !beyondGrants(risk.level)
    return {
      risk,
      decision,
      routes,
      carried: subject.carried,
      held: subject.held,
      consent: mayCover ? this.#consent(call, subject, risk, { planned, isFree }) : undefined,
    }
  }

  /** Of a place that the caller may not know of, only that there is one. */
  #carriedBy({ principal }: Call, action: Action, facts: readonly TargetFacts[], held: Held | undefined): Subject['carried'] {
    const found = this.#carried.from(action, facts, held)
    if (found.length === 0) return undefined
    const isKnown = (app: AppIdentity): boolean =>
      principal.role === 'operator' || this.#on.policy().visible(app, principal, this.#on.setting())
    return found.map((source) => (source.app === undefined || isKnown(source.app) ? source : UNKNOWN_SOURCE))
  }

  /** What the caller holds down already. */
  heldBy({ lease }: Call): Held | undefined {
    if (lease === undefined || lease.held.length === 0) return undefined
    const isPressing = lease.held.some((key) => BUTTONS.has(key))
    return { keys: lease.held, ...(isPressing && { from: this.#pressed.get(lease) ?? UNKNOWN_PRESSED }) }
  }

  /** The step of an approved plan that this call is; a call that is not the next one ends the plan. Looking is free. */
  #plannedStep(call: Call, action: Action, targets: readonly Resolved[]): Planned | undefined {
    if (call.dryRun || TRAITS[action.do].reads) return undefined
    const facts = targets.map((t) => t.facts)
    return this.#on.approvals.plans.next(call.tool, call.args, call.principal, facts, this.#on.policy().version)
  }

  #consent(call: Call, subject: Subject, risk: Risk, { planned, isFree }: Pick<Judged, 'planned' | 'isFree'>): Consent | undefined {
    if (planned?.consent !== undefined) return { by: 'plan', planned }
    const { tool, principal, targets } = subject
    const digest = (): string => bind(tool, call.args, targets, this.#on.policy().version)
    const grant = this.#on.approvals.covering({ tool, principal, targets, digest }, risk, isFree)
    return grant && { by: 'grant', grant }
  }

  /** A caller may not touch what it may not know of, whichever way it was reached. */
  #unseen(call: Call, targets: readonly Resolved[]): Decision | undefined {
    const seen = this.#on.see(call.principal)
    if (targets.every(({ facts: { key } }) => key === undefined || seen.see(key) !== undefined)) return undefined
    return { verdict: 'deny', reason: 'What this would touch is not yours to know of.', code: 'DENIED', obligations: {} }
  }
}
