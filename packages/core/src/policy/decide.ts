import { createHash } from 'node:crypto'
import { READS, type ActionKind, type Decision, type Principal, type Risk } from '../model/index.ts'
import { NO_RULE, RuleBook, stricter } from './book.ts'
import { Call } from './call.ts'
import { missed } from './match.ts'
import { modeRefusal } from './modes.ts'
import { reachesOwn } from './own.ts'
import type { Policy, Setting, Subject } from './policy.ts'
import { riskRules } from './presets.ts'
import { rateKeys } from './rates.ts'
import { assess } from './risk.ts'
import { FACTORS } from './risk-table.ts'
import { DEFAULT_SETTINGS, type LoadedRule, type Settings } from './rule.ts'
import { appTarget, offers, sees } from './sight.ts'

/** A policy with its rules at hand: what explains, checks and lists needs beside the session's seam. */
export interface RulePolicy extends Policy {
  readonly settings: Settings
  /** Whether a tool belongs into an agent's list; one that is denied whatever its arguments does not. */
  offers(tool: string, kind: ActionKind, principal: Principal, setting: Setting): boolean
  /** The rules for a call, the strongest first, each with the key it failed on. */
  trace(subject: Subject, risk: Risk, setting: Setting): Trace
}

export interface Trace {
  rules: readonly { rule: LoadedRule; missed?: string }[]
  winner?: LoadedRule
  /** The strongest matching rule that names the level of risk. */
  byRisk?: LoadedRule
}

/** Makes a policy of rules and settings. The order in which rules are given does not matter. */
export function createPolicy(options: { rules: readonly LoadedRule[]; settings?: Partial<Settings> }): RulePolicy {
  const settings = { ...DEFAULT_SETTINGS, ...options.settings }
  const book = new RuleBook([...options.rules, ...riskRules().rules], settings)
  return {
    version: versionOf(book.rules, settings),
    settings,
    assess,
    decide: (subject, risk, setting) => decide(book, subject, risk, setting),
    visible: (app, principal, setting) => sees(book, appTarget(app), principal, setting),
    sees: (target, principal, setting) => sees(book, target, principal, setting),
    offers: (tool, kind, principal, setting) => offers(book, tool, kind, principal, setting),
    trace: (subject, risk, setting) => trace(book, subject, risk, setting),
  }
}

function decide(book: RuleBook, subject: Subject, risk: Risk, setting: Setting): Decision {
  const own = reachesOwn(subject, setting)
  if (own) return { verdict: 'deny', reason: `Denied: ${FACTORS[own][1]}, which no agent may touch.`, obligations: {}, code: 'DENIED' }
  const found = book.consult(new Call(subject, setting, risk.level))
  const { winner, byRisk } = found
  const rule = winner.risks?.has(risk.level) || !byRisk ? winner : stricter(winner, byRisk)
  const decided = { rule: rule.source, obligations: found.obligations }
  if (rule.spec.decision === 'deny') return { verdict: 'deny', reason: denial(rule, subject), code: 'DENIED', ...decided }
  const refused = modeRefusal(subject, setting)
  if (refused !== undefined) return { verdict: 'deny', reason: refused, code: 'MODE_TOO_LOW', ...decided }
  const over = found.limits.find((limit) => exceeded(limit, subject, setting))
  if (over)
    return {
      verdict: 'deny',
      reason: `Too fast: ${rate(over)} allows no more calls right now.`,
      code: 'RATE_LIMITED',
      ...decided,
      rule: over.source,
    }
  const off = !book.settings.automation.enabled && !READS.has(subject.kind) && rule.source.tier === 'builtin'
  // A question is a person's to answer, whatever the rules allow.
  if (rule.spec.decision === 'allow' && !off && subject.kind !== 'ask')
    return { verdict: 'allow', reason: `Allowed by ${place(rule)}.`, ...decided }
  const why = subject.kind === 'ask' ? 'it is a question' : off ? 'automation is off' : `${place(rule)} asks`
  return ask(`${why}; ${riskSentence(risk)}`, decided, book.settings, subject, setting)
}

/** A question, or what becomes of it when the operator asks it themselves or nobody can answer. */
function ask(
  why: string,
  decided: Pick<Decision, 'rule' | 'obligations'>,
  settings: Settings,
  subject: Subject,
  setting: Setting,
): Decision {
  if (subject.principal.role === 'operator')
    return { verdict: 'allow', reason: `The operator does this themselves, where ${why}.`, ...decided }
  if (setting.interactive ?? true) return { verdict: 'ask_user', reason: `A person has to agree: ${why}.`, ...decided }
  switch (settings.nonInteractive) {
    case 'allow':
      return { verdict: 'allow', reason: `Allowed without a question, as nonInteractive = "allow" says, where ${why}.`, ...decided }
    case 'deny':
      return { verdict: 'deny', reason: `Denied, as nonInteractive = "deny" says, where ${why}.`, code: 'DENIED', ...decided }
    case 'fail':
      return { verdict: 'deny', reason: `A person has to agree and nobody can be asked: ${why}.`, code: 'APPROVAL_NEEDED', ...decided }
    default:
      return settings.nonInteractive satisfies never
  }
}

function trace(book: RuleBook, subject: Subject, risk: Risk, setting: Setting): Trace {
  const call = new Call(subject, setting, risk.level)
  const { winner, byRisk } = book.consult(call)
  const rules = book.for(subject.tool, subject.kind).rules.map((rule) => ({ rule, missed: missed(rule, call) }))
  return { rules, winner: winner === NO_RULE ? undefined : winner, byRisk }
}

function versionOf(rules: readonly LoadedRule[], settings: Settings): string {
  const text = JSON.stringify([rules.map((r) => JSON.stringify([r.source.tier, r.spec])).toSorted(), settings])
  return `policy-${createHash('sha256').update(text).digest('hex').slice(0, 16)}`
}

function exceeded(rule: LoadedRule, subject: Subject, setting: Setting): boolean {
  const limit = rule.spec.rateLimit
  if (!limit || !setting.rates) return false
  const { tool, apps } = rateKeys(subject)
  const since = setting.now - limit.seconds * 1000
  return (limit.per === 'app' ? apps : [tool]).some((key) => (setting.rates?.count(key, since) ?? 0) >= limit.max)
}

function rate(rule: LoadedRule): string {
  const limit = rule.spec.rateLimit
  return `${place(rule)} (${limit?.max ?? 0} in ${limit?.seconds ?? 0} s per ${limit?.per ?? 'tool'})`
}

export function place(rule: LoadedRule): string {
  const { name, file, line } = rule.source
  return `${name === undefined ? 'the rule' : `"${name}"`} (${file}:${line})`
}

function denial(rule: LoadedRule, subject: Subject): string {
  const message = rule.spec.denyMessage
  return `${place(rule)} denies ${subject.tool}${message === undefined ? '.' : `: ${message}`}`
}

export function riskSentence(risk: Risk): string {
  if (risk.factors.length === 0) return `the risk is ${risk.level}`
  return `the risk is ${risk.level} (${risk.factors.map((f) => f.detail).join('; ')})`
}
