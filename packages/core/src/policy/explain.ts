import type { Explanation } from '../model/index.ts'
import { place, riskSentence, type RulePolicy } from './decide.ts'
import type { Setting, Subject } from './policy.ts'

/** Which rules a call meets, which one decides, and what the risk is made of. */
export function explain(policy: RulePolicy, subject: Subject, setting: Setting): Explanation {
  const risk = policy.assess(subject, setting)
  const decision = policy.decide(subject, risk, setting)
  const { rules, winner, byRisk, limit } = policy.trace(subject, risk, setting)
  const rows = rules.map(({ rule, missed, unknown = [], as }) => {
    const won = decision.rule !== undefined && rule.source === decision.rule
    const note =
      missed !== undefined
        ? `does not match: ${missed}`
        : won && rule === winner
          ? 'the strongest that matches'
          : won
            ? `names the ${risk.level} risk and is stricter than the strongest`
            : rule === winner
              ? 'the strongest that matches, but the risk asks for more'
              : rule === byRisk
                ? `what ${risk.level} risk means by itself`
                : 'matches, but a stronger rule decides'
    return {
      rule: rule.source,
      verdict: rule.spec.decision,
      matched: missed === undefined,
      won,
      note: `${place(rule)}${as === undefined ? '' : `, as ${as}`}: ${note}${unknown.length === 0 ? '' : `; holds as it is not known: ${unknown.join(', ')}`}`,
    }
  })
  if (limit) {
    const note = limit.refusal === undefined ? 'does not match: what it starts or closes may be' : 'denies whatever weaker rules allow'
    rows.unshift({
      rule: limit.rule.source,
      verdict: limit.rule.spec.decision,
      matched: limit.refusal !== undefined,
      won: decision.rule === limit.rule.source,
      note: `${place(limit.rule)}: ${note}`,
    })
  }
  const factors = risk.factors.map((f) => `  ${String(f.weight).padStart(4)}  ${f.id}: ${f.detail}`)
  const matched = rows.filter((r) => r.matched).map((r) => `  ${r.won ? '>' : ' '} ${r.verdict.padEnd(8)} ${r.note}`)
  const head = `${subject.tool}: ${decision.verdict}${decision.code ? ` (${decision.code})` : ''}. ${decision.reason}`
  const text = [head, `Score ${risk.score}: ${riskSentence(risk)}.`, ...factors, 'Rules that match, the strongest first:', ...matched].join(
    '\n',
  )
  return { decision, risk, rules: rows, text }
}
