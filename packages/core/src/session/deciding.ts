import { DeskhandError } from '../errors.ts'
import { READS, type Action, type Decision, type Risk } from '../model/index.ts'
import { tainted, type Subject } from '../policy/index.ts'
import { beyond } from './approvals.ts'
import type { Cover } from './cover.ts'
import type { Planned } from './plans.ts'
import type { Call } from './ports.ts'
import type { Resolved } from './resolve.ts'
import type { Session } from './session.ts'
import { wordsOf } from './words.ts'

/** What the policy is asked about. */
export function subjectOf(s: Session, call: Call, action: Action, targets: readonly Resolved[]): Subject {
  const facts = targets.map((t) => t.facts)
  return {
    tool: call.tool,
    kind: action.do,
    args: call.args,
    principal: call.principal,
    targets: facts,
    tainted: wordsOf(action).some((text) => tainted(text, s.shown)),
    driftPx: Math.max(0, ...facts.map((f) => s.refs.drift(f.key, f.bounds, call.principal))),
  }
}

/** The risk of a call, the decision on it, and what a person agreed to beforehand that covers it. */
export function judge(
  s: Session,
  call: Call,
  action: Action,
  targets: readonly Resolved[],
  planned?: Planned,
): { risk: Risk; decision: Decision; cover?: Cover } {
  const subject = subjectOf(s, call, action, targets)
  const setting = s.setting()
  const risk = s.policy.assess(subject, setting)
  const decision = sightless(s, call, targets) ?? s.policy.decide(subject, risk, setting)
  const cover = decision.verdict === 'ask_user' && !beyond(risk.level) ? coverOf(s, call, subject, risk, planned) : undefined
  if (decision.verdict !== 'deny' && !call.dryRun) s.rates.record(subject, setting.now)
  return { risk, decision, cover }
}

/** The step of an approved plan that this call is; a call that is not the next one ends the plan. Looking is free. */
export function plannedStep(s: Session, call: Call, action: Action, targets: readonly Resolved[]): Planned | undefined {
  if (call.dryRun || READS.has(action.do)) return undefined
  const facts = targets.map((t) => t.facts)
  return s.approvals.plans.next(call.tool, call.args, call.principal, facts, s.policy.version)
}

/** Throws when a decision that was taken a while ago would be a denial now. */
export function stillLet(s: Session, call: Call, action: Action, targets: readonly Resolved[]): void {
  const subject = subjectOf(s, call, action, targets)
  const setting = s.setting()
  const decision = s.policy.decide(subject, s.policy.assess(subject, setting), setting)
  if (decision.verdict === 'deny' && decision.code !== 'RATE_LIMITED') throw new DeskhandError(decision.code ?? 'DENIED', decision.reason)
}

/** True, or why a screenshot is denied: captures inside other tools are decided as captures. */
export function mayCapture(s: Session, call: Call): true | string {
  const { decision } = judge(s, { ...call, tool: 'ui.capture', kind: 'capture', args: {} }, { do: 'capture', format: 'png' }, [])
  return decision.verdict === 'allow' ? true : decision.reason
}

function coverOf(s: Session, call: Call, subject: Subject, risk: Risk, planned?: Planned): Cover | undefined {
  if (planned?.consent !== undefined) return { by: 'plan', planned }
  const grant = s.approvals.covering(call.tool, call.principal, subject.targets, risk, call.dryRun)
  return grant && { by: 'grant', grant }
}

/** What the caller may not even know of, it may not touch either, whichever way it was reached. */
function sightless(s: Session, call: Call, targets: readonly Resolved[]): Decision | undefined {
  const seen = s.seen(call)
  if (targets.every(({ facts: { key } }) => key === undefined || seen.see(key) !== undefined)) return undefined
  return { verdict: 'deny', reason: 'What this would touch is not yours to know of.', code: 'DENIED', obligations: {} }
}
