import { createHash } from 'node:crypto'
import { READS, type ActionKind, type Decision, type Obligations, type Principal, type Risk } from '../model/index.ts'
import { NO_RULE, RuleBook, stricter, type ToolRules } from './book.ts'
import { Call } from './call.ts'
import { missed, type CompiledRule } from './match.ts'
import { meanings, type Meaning } from './meaning.ts'
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
  /** `as`: a rule about what the call means, not about the call as it is. */
  rules: readonly { rule: LoadedRule; missed?: string; as?: string }[]
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
  const { subject: judged, rule, obligations, limits } = ruling(book, subject, risk, setting)
  const decided = { rule: rule.source, obligations }
  if (rule.spec.decision === 'deny') return { verdict: 'deny', reason: denial(rule, subject, judged), code: 'DENIED', ...decided }
  const refused = modeRefusal(subject, setting)
  if (refused !== undefined) return { verdict: 'deny', reason: refused, code: 'MODE_TOO_LOW', ...decided }
  const over = limits.find((limit) => exceeded(limit, setting))
  if (over)
    return {
      verdict: 'deny',
      reason: `Too fast: ${rate(over.rule)} allows no more calls right now.`,
      code: 'RATE_LIMITED',
      ...decided,
      rule: over.rule.source,
    }
  const off = !book.settings.automation.enabled && !READS.has(subject.kind) && rule.source.tier === 'builtin'
  // A question is a person's to answer, whatever the rules allow.
  if (rule.spec.decision === 'allow' && !off && subject.kind !== 'ask')
    return { verdict: 'allow', reason: `Allowed by ${place(rule)}.`, ...decided }
  const why = subject.kind === 'ask' ? 'it is a question' : off ? 'automation is off' : `${place(rule)} asks`
  return ask(`${why}; ${riskSentence(risk)}`, decided, book.settings, subject, setting)
}

interface Ruling {
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
function ruling(book: RuleBook, subject: Subject, risk: Risk, setting: Setting): Ruling {
  const found = settle(book, subject, risk, setting, 1)
  const meant = meanings(subject)
  if (meant.length === 0) return found
  const heard = book.for(subject.tool, subject.kind)
  for (const meaning of meant) {
    const other = settle(book, as(subject, meaning), risk, setting, meaning.times, heard)
    if (!heard.all.has(other.rule) && stricter(found.rule, other.rule) === other.rule)
      Object.assign(found, { subject: other.subject, rule: other.rule, winner: other.winner, byRisk: other.byRisk })
    found.obligations = together(found.obligations, other.obligations)
    found.limits.push(...other.limits)
  }
  return found
}

const as = (subject: Subject, { kind, args }: Meaning): Subject => ({ ...subject, tool: `ui.${kind}`, kind, args })

function settle(book: RuleBook, subject: Subject, risk: Risk, setting: Setting, times: number, heard?: ToolRules): Ruling {
  const { winner, byRisk, obligations, limits } = book.consult(new Call(subject, setting, risk.level), heard)
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
  const { subject: judged, winner, byRisk } = ruling(book, subject, risk, setting)
  const heard = new Set<LoadedRule>()
  const faces = [judged, subject, ...meanings(subject).map((m) => as(subject, m))]
  const rules = faces.flatMap((face) => {
    const call = new Call(face, setting, risk.level)
    const found = book.for(face.tool, face.kind).rules.filter((rule) => !heard.has(rule))
    return found.map(
      (rule) => (heard.add(rule), { rule, missed: missed(rule, call), as: face.kind === subject.kind ? undefined : face.tool }),
    )
  })
  return { rules, winner: winner === NO_RULE ? undefined : winner, byRisk }
}

function versionOf(rules: readonly LoadedRule[], settings: Settings): string {
  const text = JSON.stringify([rules.map((r) => JSON.stringify([r.source.tier, r.spec])).toSorted(), settings])
  return `policy-${createHash('sha256').update(text).digest('hex').slice(0, 16)}`
}

function exceeded({ rule, subject, times }: Ruling['limits'][number], setting: Setting): boolean {
  const limit = rule.spec.rateLimit
  if (!limit || !setting.rates) return false
  const { tool, apps } = rateKeys(subject)
  const since = setting.now - limit.seconds * 1000
  return (limit.per === 'app' ? apps : [tool]).some((key) => (setting.rates?.count(key, since) ?? 0) + times > limit.max)
}

function rate(rule: LoadedRule): string {
  const limit = rule.spec.rateLimit
  return `${place(rule)} (${limit?.max ?? 0} in ${limit?.seconds ?? 0} s per ${limit?.per ?? 'tool'})`
}

export function place(rule: LoadedRule): string {
  const { name, file, line } = rule.source
  return `${name === undefined ? 'the rule' : `"${name}"`} (${file}:${line})`
}

function denial(rule: LoadedRule, subject: Subject, judged: Subject): string {
  const message = rule.spec.denyMessage
  const what = judged.kind === subject.kind ? subject.tool : `${judged.tool}, which ${subject.tool} comes down to here`
  return `${place(rule)} denies ${what}${message === undefined ? '.' : `: ${message}`}`
}

export function riskSentence(risk: Risk): string {
  if (risk.factors.length === 0) return `the risk is ${risk.level}`
  return `the risk is ${risk.level} (${risk.factors.map((f) => f.detail).join('; ')})`
}
