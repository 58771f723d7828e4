import { KINDS, TRAITS, type ActionKind, type AppIdentity, type Principal, type TargetFacts } from '../model/index.ts'
import type { RuleSet } from './rule-set.ts'
import { Call } from './call.ts'
import { missed } from './match.ts'
import { protectedTarget } from './self-protection.ts'
import type { Setting, Subject } from './policy.ts'
import { assess } from './risk.ts'

/** Whether pictures may show a target: what must not be seen is not in them, and neither is what a rule denies pictures of, or asks about. */
export function pictured(rules: RuleSet, target: TargetFacts, principal: Principal, setting: Setting): boolean {
  if (!sees(rules, target, principal, setting)) return false
  const isLimited = rules.for('ui.capture', 'capture').rules.some((r) => r.onTarget.length > 0 && r.spec.decision !== 'allow')
  return !isLimited || isShownBy(rules, 'capture', target, principal, setting)
}

/** A target is hidden when a rule that names such targets denies reading it, and no stronger rule lets it be read. */
export function sees(rules: RuleSet, target: TargetFacts, principal: Principal, setting: Setting): boolean {
  if (principal.role === 'operator') return true
  if (protectedTarget(target, setting)) return false
  return rules.distinct(LOOKING).every((kind) => isShownBy(rules, kind, target, principal, setting))
}

function isShownBy(rules: RuleSet, kind: ActionKind, target: TargetFacts, principal: Principal, setting: Setting): boolean {
  const { level } = assess(reading(kind === 'capture' ? kind : 'snapshot', target, principal), setting)
  const call = new Call(reading(kind, target, principal), setting, level)
  const first = rules
    .for(`ui.${kind}`, kind)
    .rules.find((r) => (r.onTarget.length > 0 || r.spec.decision !== 'deny') && missed(r, call) === undefined)
  // A picture of everything is no question about this one thing.
  const isAsked = kind === 'capture' && first?.spec.decision === 'ask_user' && first.onTarget.length > 0
  return first?.spec.decision !== 'deny' && !isAsked
}

export const LOOKING: readonly ActionKind[] = KINDS.filter((kind) => TRAITS[kind].hides)

function reading(kind: ActionKind, target: TargetFacts, principal: Principal): Subject {
  return { tool: `ui.${kind}`, kind, args: {}, principal, targets: [target], tainted: false }
}

export function appTarget(app: AppIdentity): TargetFacts {
  return { role: 'application', app, path: [], source: 'structure', confidence: 1, why: [] }
}
