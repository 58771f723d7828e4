import { createHash } from 'node:crypto'
import { TRAITS, type Decision, type PrivateSpec, type Risk } from '../model/index.ts'
import { AppLimit } from './app-limit.ts'
import { NO_RULE, RuleSet } from './rule-set.ts'
import { ruling, type Ruling } from './ruling.ts'
import { Call } from './call.ts'
import { lexiconOf } from './lexicon.ts'
import { compileMask } from './mask.ts'
import { missed, unknownKeys } from './match.ts'
import { as, meanings } from './meaning.ts'
import { modeRefusal } from './modes.ts'
import { protectedPart } from './self-protection.ts'
import type { Policy, Setting, Subject } from './policy.ts'
import { riskRules } from './presets.ts'
import { isCounted, rateKeys } from './rates.ts'
import { assess } from './risk.ts'
import { FACTORS } from './risk-table.ts'
import { DEFAULT_SETTINGS, type AddedTerms, type LoadedRule, type MaskSpec, type Settings } from './rule.ts'
import { appTarget, pictured, sees } from './visibility.ts'

/** A policy with its rules at hand: what explains, checks and lists needs beside the session's seam. */
export interface RulePolicy extends Policy {
  readonly settings: Settings
  readonly rules: readonly LoadedRule[]
  /** The rules for a call, the strongest first, each with the key it failed on. */
  trace(subject: Subject, risk: Risk, setting: Setting): Trace
}

export interface Trace {
  /** `unknown`: what holds only because it is not known. `as`: a rule about what the call means, not about the call as it is. */
  rules: readonly { rule: LoadedRule; missed?: string; unknown?: readonly string[]; as?: string }[]
  winner?: LoadedRule
  /** The strongest matching rule that names the level of risk. */
  byRisk?: LoadedRule
  /** The rule `desktop.apps`, where it can concern the call, and why it denies it. */
  limit?: { rule: LoadedRule; refusal?: string }
}

interface PolicyParts {
  rules: readonly LoadedRule[]
  settings?: Partial<Settings>
  /** What agents may start and close; without it that is for the rules alone. */
  apps?: AppLimit
  /** Words and programs that files add to the lists behind the risk. */
  terms?: readonly AddedTerms[]
  /** Elements whose contents no principal sees. */
  masks?: readonly MaskSpec[]
  /** What counts as private; every kind that is known where this is absent. */
  private?: PrivateSpec
}

/** Makes a policy of its parts. The order in which rules are given does not matter. */
export function createPolicy(options: PolicyParts): RulePolicy {
  const settings = { ...DEFAULT_SETTINGS, ...options.settings }
  const { apps, terms = [], masks = [], private: isPrivate = { own: {} } } = options
  const masked = masks.map(compileMask)
  const lexicon = lexiconOf(terms)
  const rules = new RuleSet([...options.rules, ...riskRules().rules], settings)
  return {
    version: versionOf(rules.rules, settings, apps, [...terms, ...masks, ...(options.private === undefined ? [] : [options.private])]),
    settings,
    rules: rules.rules,
    assess: (subject, setting) => assess(subject, setting, lexicon),
    decide: (subject, risk, setting) => decide(rules, apps, subject, risk, setting),
    visible: (app, principal, setting) => sees(rules, appTarget(app), principal, setting),
    sees: (target, principal, setting) => sees(rules, target, principal, setting),
    pictured: (target, principal, setting) => pictured(rules, target, principal, setting),
    masked: (node, app, desktop) => masked.some((test) => test(node, app, desktop)),
    private: isPrivate,
    trace: (subject, risk, setting) => trace(rules, apps, subject, risk, setting),
  }
}

function decide(rules: RuleSet, apps: AppLimit | undefined, subject: Subject, risk: Risk, setting: Setting): Decision {
  if (subject.principal.role === 'viewer' && !TRAITS[subject.kind].reads)
    return { verdict: 'deny', reason: 'A viewer only looks and cannot act.', obligations: {}, code: 'UNAUTHORIZED' }
  const reached = protectedPart(subject, setting)
  if (reached)
    return { verdict: 'deny', reason: `Denied: ${FACTORS[reached][1]}, which no agent may touch.`, obligations: {}, code: 'DENIED' }
  const { subject: judged, rule, obligations, limits } = ruling(rules, subject, risk, setting)
  const decided = { rule: rule.source, obligations }
  if (rule.spec.decision === 'deny')
    return {
      verdict: 'deny',
      reason: denial(rule, subject, judged, unknownKeys(rule, new Call(judged, setting, risk.level))),
      code: 'DENIED',
      ...decided,
    }
  const unlisted = apps?.refusal(subject, rule, setting)
  if (apps && unlisted !== undefined) {
    const reason = `${place(apps.rule)} denies ${subject.tool}: ${unlisted}`
    return { verdict: 'deny', reason, code: 'DENIED', rule: apps.rule.source, obligations: {} }
  }
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
  const off = !rules.settings.automation.enabled && !TRAITS[subject.kind].reads && rule.source.tier === 'builtin'
  // A question is a person's to answer, whatever the rules allow.
  if (rule.spec.decision === 'allow' && !off && subject.kind !== 'ask')
    return { verdict: 'allow', reason: `Allowed by ${place(rule)}.`, ...decided }
  const why = subject.kind === 'ask' ? 'it is a question' : off ? 'automation is off' : `${place(rule)} asks`
  return ask(`${why}; ${riskSentence(risk)}`, decided, rules.settings, subject, setting)
}

/** A question, or what becomes of it when the operator makes the call or no person can be asked. */
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
      return { verdict: 'deny', reason: `A person has to agree and none can be asked: ${why}.`, code: 'APPROVAL_NEEDED', ...decided }
    default:
      return settings.nonInteractive satisfies never
  }
}

function trace(rules: RuleSet, apps: AppLimit | undefined, subject: Subject, risk: Risk, setting: Setting): Trace {
  const { subject: judged, rule: decides, winner, byRisk } = ruling(rules, subject, risk, setting)
  const heard = new Set<LoadedRule>()
  const faces = [judged, subject, ...meanings(subject).map((m) => as(subject, m))]
  const traced = faces.flatMap((face) => {
    const call = new Call(face, setting, risk.level)
    const found = rules.for(face.tool, face.kind).rules.filter((rule) => !heard.has(rule))
    return found.map((rule) => {
      heard.add(rule)
      const miss = missed(rule, call)
      const unknown = miss === undefined ? unknownKeys(rule, call) : []
      return { rule, missed: miss, unknown, as: face.kind === subject.kind ? undefined : face.tool }
    })
  })
  const limit = apps && concerns(apps, subject) ? { rule: apps.rule, refusal: apps.refusal(subject, decides, setting) } : undefined
  return { rules: traced, winner: winner === NO_RULE ? undefined : winner, byRisk, limit }
}

const concerns = ({ rule }: AppLimit, { kind }: Subject): boolean => [rule.spec.toolName].flat().includes(`ui.${kind}`)

function versionOf(rules: readonly LoadedRule[], settings: Settings, apps: AppLimit | undefined, added: readonly unknown[]): string {
  const text = JSON.stringify([
    rules.map((r) => JSON.stringify([r.source.tier, r.spec])).toSorted(),
    settings,
    ...(apps?.apps ? [apps.apps] : []),
    ...added,
  ])
  return `policy-${createHash('sha256').update(text).digest('hex').slice(0, 16)}`
}

function exceeded({ rule, subject, times }: Ruling['limits'][number], setting: Setting): boolean {
  const limit = rule.spec.rateLimit
  if (!limit || !setting.rates || !isCounted(subject)) return false
  const { tool, apps } = rateKeys(subject, limit.shared)
  const since = setting.now - limit.seconds * 1000
  return (limit.per === 'app' ? apps : [tool]).some((key) => (setting.rates?.count(key, since) ?? 0) + times > limit.max)
}

function rate(rule: LoadedRule): string {
  const limit = rule.spec.rateLimit
  return `${place(rule)} (${limit?.max ?? 0} in ${limit?.seconds ?? 0} s per ${limit?.per ?? 'tool'}${limit?.shared ? ', all agents together' : ''})`
}

export function place(rule: LoadedRule): string {
  const { name, file, line } = rule.source
  return `${name === undefined ? 'the rule' : `"${name}"`} (${file}:${line})`
}

function denial(rule: LoadedRule, subject: Subject, judged: Subject, unknown: readonly string[]): string {
  const message = rule.spec.denyMessage
  const because = unknown.length === 0 ? '' : ` where the ${unknown.join(' and the ')} is not known`
  const what = judged.kind === subject.kind ? subject.tool : `${judged.tool}, which ${subject.tool} comes down to here`
  return `${place(rule)} denies ${what}${because}${message === undefined ? '.' : `: ${message}`}`
}

export function riskSentence(risk: Risk): string {
  if (risk.factors.length === 0) return `the risk is ${risk.level}`
  return `the risk is ${risk.level} (${risk.factors.map((f) => f.detail).join('; ')})`
}
