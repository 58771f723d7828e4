import type { Obligations, Risk } from '../model/index.ts'
import { Call } from './call.ts'
import type { CompiledRule } from './match.ts'
import { as, meanings, timesOf } from './meaning.ts'
import type { Setting, Subject } from './policy.ts'
import { stricter, type RuleSet, type ToolRules } from './rule-set.ts'

/** What the rules say about a call. */
export interface Ruling {
  /** The call, or what it means, that these rules are about. */
  subject: Subject
  rule: CompiledRule
  /** The strongest that matches, and the strongest that names the risk, of the rules that decide. */
  winner: CompiledRule
  byRisk?: CompiledRule
  obligations: Obligations
  limits: { rule: CompiledRule; subject: Subject; times: number }[]
}

/** The rules for the call as it is, and for what it means as well: the stricter of both decides, so an allow for a meaning widens nothing. */
export function ruling(rules: RuleSet, subject: Subject, risk: Risk, setting: Setting): Ruling {
  const found = settle(rules, subject, risk, setting, timesOf(subject))
  const meant = meanings(subject)
  if (meant.length === 0) return found
  const heard = rules.for(subject.tool, subject.kind)
  for (const meaning of meant) {
    const other = settle(rules, as(subject, meaning), risk, setting, meaning.times, heard)
    if (!heard.all.has(other.rule) && stricter(found.rule, other.rule) === other.rule)
      Object.assign(found, { subject: other.subject, rule: other.rule, winner: other.winner, byRisk: other.byRisk })
    found.obligations = together(found.obligations, other.obligations)
    found.limits.push(...other.limits)
  }
  return found
}

function settle(rules: RuleSet, subject: Subject, risk: Risk, setting: Setting, times: number, heard?: ToolRules): Ruling {
  const { winner, byRisk, obligations, limits } = rules.consult(new Call(subject, setting, risk.level), heard)
  const rule = winner.risks?.has(risk.level) || !byRisk ? winner : stricter(winner, byRisk)
  return { subject, rule, winner, byRisk, obligations, limits: limits.map((limit) => ({ rule: limit, subject, times })) }
}

/** What either asks for; of two kinds of evidence the one that keeps more. */
function together(a: Obligations, b: Obligations): Obligations {
  const flags = (['redact', 'screenshot', 'verify'] as const).flatMap((key) =>
    a[key] === undefined && b[key] === undefined ? [] : [[key, a[key] === true || b[key] === true] as const],
  )
  const evidence = EVIDENCE.findLast((kind) => kind === a.evidence || kind === b.evidence)
  return { ...Object.fromEntries(flags), ...(evidence === undefined ? {} : { evidence }) }
}

const EVIDENCE = ['none', 'hash', 'encrypted'] as const
