import { createHash } from 'node:crypto'
import { normalize } from 'node:path/posix'
import { DeskhandError } from '@deskhand/core/errors'
import type { AppIdentity, Decision, DesktopKind } from '@deskhand/core/model'
import { glob, type RulePolicy, type Subject } from '@deskhand/core/policy'

/**
 * A policy under which agents start and close only the applications of a list. Without a list a sandbox is free, and nothing starts on a
 * person's desktop unless a rule of the operator's or the administrator's says so. What passes is still judged by the rules.
 */
export function limitApps(policy: RulePolicy, apps: readonly string[] | undefined): RulePolicy {
  const listed = apps?.map(matcher)
  const version = `policy-${createHash('sha256')
    .update(JSON.stringify([policy.version, apps]))
    .digest('hex')
    .slice(0, 16)}`
  return {
    ...policy,
    version: apps === undefined ? policy.version : version,
    decide: (subject, risk, setting) => {
      const decision = policy.decide(subject, risk, setting)
      if (subject.principal.role === 'operator' || decision.verdict === 'deny') return decision
      const refused = listed === undefined ? unruled(subject, decision, setting.desktop) : unlisted(subject, listed, setting.desktop)
      return refused === undefined ? decision : { verdict: 'deny', reason: refused, code: 'DENIED', obligations: {} }
    },
  }
}

type Matcher = (app: string) => boolean

/** A pattern with a slash is for whole paths. Any other is for programs that are found by their bare name, as a path could lead to anything that is called so. */
function matcher(pattern: string): Matcher {
  try {
    const test = glob(pattern, { path: true })
    return (app) => app.includes('/') === pattern.includes('/') && normalize(app) === app && test(app)
  } catch (thrown) {
    throw new DeskhandError(
      'BAD_CONFIG',
      `desktop.apps: ${JSON.stringify(pattern)}: ${thrown instanceof Error ? thrown.message : 'is no glob'}`,
    )
  }
}

function unlisted(subject: Subject, listed: readonly Matcher[], desktop: DesktopKind): string | undefined {
  const outside = touched(subject, desktop).find((names) => !names.some((name) => listed.some((test) => test(name))))
  return outside === undefined ? undefined : `desktop.apps in the configuration does not list ${outside[0] ?? 'this program'}.`
}

function unruled(subject: Subject, { rule }: Decision, desktop: DesktopKind): string | undefined {
  if (desktop !== 'host' || subject.kind !== 'launch' || (rule !== undefined && rule.tier !== 'builtin')) return undefined
  return "Nothing is started on a person's desktop unless desktop.apps lists it or a rule allows it."
}

/** What would be started or closed: per program the names that may be listed. What is started has only the name it is asked for by. */
function touched({ kind, args, targets }: Subject, desktop: DesktopKind): string[][] {
  if (kind === 'launch')
    return [typeof args === 'object' && args !== null && 'app' in args && typeof args.app === 'string' ? [args.app] : []]
  return kind === 'close' ? targets.map(({ app }) => namesOf(app, desktop)) : []
}

/** An application is what its executable says; a simulated one has nothing but its name. */
function namesOf(app: AppIdentity | undefined, desktop: DesktopKind): string[] {
  const path = app?.executable
  if (path !== undefined) return [path.slice(path.lastIndexOf('/') + 1), path]
  return app !== undefined && desktop === 'virtual' ? [app.name] : []
}
