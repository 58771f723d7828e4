import { stringify } from 'smol-toml'
import { DeskhandError } from '../errors.ts'
import { RiskLevel, type AppIdentity, type TargetFacts, type Verdict } from '../model/index.ts'
import { literal } from './glob.ts'
import type { DecidedCall } from './replay.ts'
import type { LoadedRule, RuleSpec, When } from './rule.ts'
import { urlParts } from './url.ts'

/** Outranks every built-in rule and leaves room on both sides. */
const USUAL_PRIORITY = 500
const HIGHEST_PRIORITY = 999

/** A rule for calls like a recorded one, as the TOML that a policy file has. It outranks the rule that decided the call, unless that is an administrator's. */
export function proposeRule(call: DecidedCall, decision: Verdict, rules: readonly LoadedRule[]): string {
  const { level } = call.risk
  if (decision === 'allow' && level === 'prohibited')
    throw new DeskhandError('BAD_ARGS', 'a prohibited call is not made a rule of', {
      next: 'Write such a rule by hand, if it is really meant.',
    })
  const spec: RuleSpec = {
    name: nameOf(call, decision),
    toolName: call.tool,
    decision,
    priority: priorityOver(call, rules),
    when: whenOf(call.targets[0], decision === 'allow' ? RiskLevel.options.slice(0, RiskLevel.options.indexOf(level) + 1) : undefined),
  }
  return stringify({ rule: [spec] })
}

function nameOf({ tool, targets: [target] }: DecidedCall, decision: Verdict): string {
  const what = target?.name === undefined || target.name === '' ? target?.role : `"${target.name}"`
  const where = target?.app === undefined ? '' : ` in ${target.app.name}`
  return `${decision === 'ask_user' ? 'ask about' : decision} ${tool}${what === undefined ? '' : ` on ${what}`}${where}`
}

function priorityOver({ decision: { rule } }: DecidedCall, rules: readonly LoadedRule[]): number {
  if (rule?.tier !== 'user') return USUAL_PRIORITY
  const decided = rules.find(({ source }) => source.file === rule.file && source.line === rule.line)
  return Math.min(HIGHEST_PRIORITY, Math.max(USUAL_PRIORITY, (decided?.spec.priority ?? 0) + 1))
}

/** The same element: its application, page, role and name. */
function whenOf(target: TargetFacts | undefined, risk: RiskLevel[] | undefined): When {
  const { app, role, name } = target ?? {}
  const host = target?.url === undefined ? undefined : urlParts(target.url)?.host
  return {
    ...(app === undefined ? {} : ofApp(app)),
    ...(app?.runs === undefined ? {} : { runs: literal(app.runs) }),
    ...(host === undefined || host === '' ? {} : { url: literal(host) }),
    ...(role === undefined ? {} : { role }),
    ...(name === undefined || name === '' ? {} : { name: wholeName(name) }),
    ...(risk === undefined ? {} : { risk }),
  }
}

/** What an application cannot claim for itself, where that is known. */
function ofApp({ added, executable, name }: AppIdentity): When {
  if (added !== undefined) return { app: literal(`driver:${added.driver}`) }
  return executable === undefined ? { app: literal(name) } : { process: literal(executable) }
}

/** A name between slashes would be taken for a regex. */
const wholeName = (name: string): string => literal(name).replace(/^\//, '\\/')
