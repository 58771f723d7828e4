import type { ActionKind, AppIdentity, Principal, TargetFacts } from '../model/index.ts'
import type { RuleBook } from './book.ts'
import { Call } from './call.ts'
import { missed } from './match.ts'
import { ownTarget } from './own.ts'
import type { Setting, Subject } from './policy.ts'
import { assess } from './risk.ts'

/** A target is hidden when a rule that names such targets denies reading it, and no stronger rule lets it be read. */
export function sees(book: RuleBook, target: TargetFacts, principal: Principal, setting: Setting): boolean {
  if (principal.role === 'operator') return true
  if (ownTarget(target, setting)) return false
  const { level } = assess(reading('snapshot', target, principal), setting)
  return READING.every((kind) => {
    const call = new Call(reading(kind, target, principal), setting, level)
    const first = book
      .for(`ui.${kind}`, kind)
      .rules.find((r) => (r.onTarget.length > 0 || r.spec.decision !== 'deny') && missed(r, call) === undefined)
    return first?.spec.decision !== 'deny'
  })
}

const READING = ['snapshot', 'query', 'describe'] as const

function reading(kind: ActionKind, target: TargetFacts, principal: Principal): Subject {
  return { tool: `ui.${kind}`, kind, args: {}, principal, targets: [target], tainted: false }
}

export function appTarget(app: AppIdentity): TargetFacts {
  return { role: 'application', app, path: [], source: 'structure', confidence: 1, why: [] }
}

/** Rules that hang on arguments or targets say nothing about the tool as a whole, unless they let some of it through. */
export function offers(book: RuleBook, tool: string, kind: ActionKind, principal: Principal, setting: Setting): boolean {
  const call = new Call({ tool, kind, args: {}, principal, targets: [], tainted: false }, setting, undefined)
  const fixed = new Set(['expires', 'modes', 'interactive', 'subagent', 'toolAnnotations', 'desktop', 'driver'])
  for (const rule of book.for(tool, kind).rules) {
    if (rule.onCall.some((c) => fixed.has(c.key) && !c.test(call))) continue
    const whole = rule.onTarget.length === 0 && rule.onCall.every((c) => fixed.has(c.key))
    if (rule.spec.decision !== 'deny') return true
    if (whole) return false
  }
  return true
}
