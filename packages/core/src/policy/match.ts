import { deliveryOf, playbookNames, toRole, TRAITS, type ActionKind, type RiskLevel, type TextSource } from '../model/index.ts'
import { argsPattern, commandOf, commandPrefix, commandRegex } from './args.ts'
import { SeenTarget, type Call } from './call.ts'
import { foldGlob, type Spelling } from './fold.ts'
import { appNames } from './identity.ts'
import { glob, linear, type Test } from './glob.ts'
import { pathGlob } from './path-glob.ts'
import type { Subject } from './policy.ts'
import type { LoadedRule, RuleSpec, When } from './rule.ts'
import { urlTest } from './url.ts'

/** Whether a condition holds; undefined when the fact that it is about is not known. */
type Holds = boolean | undefined

/** A condition of a rule, named by its key so that a miss can be explained. */
interface Condition<T> {
  key: string
  test(on: T): Holds
}

export interface CompiledRule extends LoadedRule {
  tools: readonly Test[]
  onCall: readonly Condition<Call>[]
  onTarget: readonly Condition<SeenTarget>[]
  risks: ReadonlySet<RiskLevel> | undefined
}

/**
 * The first key that does not hold; undefined when the rule matches. An allow must hold for every target, anything else for one. What is not
 * known holds for a deny and for a question, and never for an allow.
 */
export function missed(rule: CompiledRule, call: Call): string | undefined {
  const lets = rule.spec.decision === 'allow'
  const onCall = firstMiss(rule.onCall, call, lets)
  if (onCall !== undefined) return onCall
  if (rule.onTarget.length === 0) return undefined
  if (call.targets.length === 0) return call.touchesUnknown && !lets ? undefined : rule.onTarget[0]?.key
  let miss: string | undefined
  for (const target of call.targets) {
    const found = firstMiss(rule.onTarget, target, lets)
    if (lets ? found !== undefined : found === undefined) return found
    miss ??= found
  }
  return miss
}

/** The keys of a matching rule that hold only because what they are about is not known. */
export function unknownKeys(rule: CompiledRule, call: Call): string[] {
  const ofCall = rule.onCall.filter((c) => c.test(call) === undefined).map((c) => c.key)
  if (call.targets.length === 0) return call.touchesUnknown ? [...ofCall, ...rule.onTarget.map((c) => c.key)] : ofCall
  const held = call.targets.find((t) => firstMiss(rule.onTarget, t, false) === undefined)
  return held === undefined ? ofCall : [...ofCall, ...rule.onTarget.filter((c) => c.test(held) === undefined).map((c) => c.key)]
}

function firstMiss<T>(conditions: readonly Condition<T>[], on: T, lets: boolean): string | undefined {
  for (const condition of conditions) if (!(condition.test(on) ?? !lets)) return condition.key
  return undefined
}

/** The names a call answers to: its tool's, its action's `ui.*` name, and both as an MCP client writes them. */
export function toolNames(tool: string, kind: ActionKind, mcpNames: readonly string[]): string[] {
  const names = [tool, `ui.${kind}`].flatMap((n) => [n, n.replaceAll('.', '_')])
  return [...new Set([...names, ...mcpNames.flatMap((s) => names.flatMap((n) => [`mcp_${s}_${n}`, `${s}__${n}`]))])]
}

/** Makes a rule ready to be asked. Throws a SyntaxError whose `cause` is the path of the bad key. */
export function compileRule(rule: LoadedRule): CompiledRule {
  const { spec } = rule
  const named = spec.toolName ?? ((spec.commandPrefix ?? spec.commandRegex) ? 'run_shell_command' : '*')
  const tools = at(['toolName'], () => list(named).map((name) => glob(name)))
  const onTarget = targetConditions(spec.when ?? {}, spec.decision === 'allow')
  return { ...rule, tools, onCall: callConditions(spec), onTarget, risks: spec.when?.risk && new Set(list(spec.when.risk)) }
}

function callConditions(spec: RuleSpec): Condition<Call>[] {
  const found: Condition<Call>[] = []
  const add = <V>(key: string, value: V | undefined, make: (value: V) => (call: Call) => Holds): void => {
    if (value !== undefined) found.push({ key, test: at([...(key in (spec.when ?? {}) ? ['when'] : []), key], () => make(value)) })
  }
  const when = spec.when ?? {}
  add('expires', spec.expires, (until) => (c) => c.setting.now < until)
  add('modes', spec.modes?.length ? spec.modes : undefined, (modes) => (c) => modes.includes('default') || modes.includes(c.setting.mode))
  add('interactive', spec.interactive, (wanted) => (c) => (c.setting.interactive ?? true) === wanted)
  add('subagent', spec.subagent, (id) => (c) => c.subject.principal.id === id)
  add('toolAnnotations', spec.toolAnnotations, (wanted) => (c) => holds(wanted, c.subject))
  add('desktop', when.desktop, (kinds) => (c) => list(kinds).includes(c.setting.desktop))
  add('risk', when.risk, (levels) => (c) => c.level !== undefined && list(levels).includes(c.level))
  add('tainted', when.tainted, (wanted) => (c) => c.subject.tainted === wanted)
  add('carriedFrom', when.carriedFrom, (globs) => {
    const lets = spec.decision === 'allow'
    const tests = list(globs).map((g) => glob(lets ? g.toLowerCase() : foldGlob(g)))
    const isFrom = ({ app }: TextSource, { setting }: Call): Holds => {
      if (app === undefined) return undefined
      const { sure, claimed } = appNames(app, setting.desktop)
      return (lets ? sure : claimed).some((name) => tests.some((test) => test(name)))
    }
    // An allow has to name every place that the text came from.
    return (c) => {
      const from = (c.subject.carried ?? []).map((source) => isFrom(source, c))
      if (from.length === 0) return false
      if (lets) return from.every((holds) => holds === true)
      return from.includes(true) || (from.includes(undefined) ? undefined : false)
    }
  })
  add('delivery', when.delivery, (wanted) => (c) => deliveryOf(c.subject.kind, c.subject.args, c.subject.route) === wanted)
  add('after', when.after, (after) => {
    const lets = spec.decision === 'allow'
    const tools = after.tool === undefined ? undefined : list(after.tool).map((name) => glob(name))
    const onTarget = targetConditions({ app: after.app, name: after.name }, lets)
    return ({ subject, setting }) => {
      const past = setting.rates?.past?.(after.shared ? undefined : subject.principal.id, setting.now - after.within * 1000) ?? []
      const matches = (one: Subject): boolean => {
        if (tools && !toolNames(one.tool, one.kind, []).some((name) => tools.some((test) => test(name)))) return false
        if (onTarget.length === 0) return true
        // A look at everything was a look at this, too.
        if (one.targets.length === 0) return !lets
        return one.targets.some((t) => firstMiss(onTarget, new SeenTarget(t, setting, false), lets) === undefined)
      }
      const timesIn = (was: readonly Subject[]): number => Math.max(0, ...was.filter(matches).map(({ times }) => times ?? 1))
      // What a call meant lets nothing through, as it does not for itself; what it does more than once counts with what was before.
      const before = past.reduce((sum, was) => sum + (lets ? Math.min(1, timesIn(was.slice(0, 1))) : timesIn(was)), 0)
      return before + (lets ? 0 : Math.max(0, timesIn([subject]) - 1)) >= after.times
    }
  })
  add(
    'playbook',
    when.playbook,
    (wanted) =>
      ({ subject: { playbook } }) =>
        playbook !== undefined && playbookNames(playbook).some((name) => list(wanted).includes(name)),
  )
  add('driver', when.driver, (globs) =>
    any(
      list(globs).map((g) => glob(g.toLowerCase())),
      (c) => c.setting.driver.toLowerCase(),
    ),
  )
  add('text', when.text, (globs) => {
    const lets = spec.decision === 'allow'
    const tests = list(globs).map((g) => freeText(g, lets))
    const isIn = ({ text }: Call): boolean => text.exact !== '' && tests.some((test) => test(text))
    // Of a paste that cannot be read nothing is known but that there is one.
    return (c) => (c.entersUnknown && (lets || !isIn(c)) ? undefined : isIn(c))
  })
  add('argsPattern', spec.argsPattern, (pattern) => {
    const test = argsPattern(pattern)
    return (c) => c.args !== undefined && test(c.args)
  })
  add('commandPrefix', spec.commandPrefix, (prefixes) => onCommand(commandPrefix(list(prefixes))))
  add('commandRegex', spec.commandRegex, (pattern) => onCommand(commandRegex(pattern)))
  return found
}

function targetConditions(when: When, letsThrough: boolean): Condition<SeenTarget>[] {
  const found: Condition<SeenTarget>[] = []
  const add = <V>(key: string, value: V | undefined, make: (value: V) => (target: SeenTarget) => Holds): void => {
    if (value !== undefined) found.push({ key, test: at(['when', key], () => make(value)) })
  }
  add('app', when.app, (globs) => {
    const tests = list(globs).map((g) => glob(letsThrough ? g.toLowerCase() : foldGlob(g)))
    return (t) =>
      t.facts.app === undefined ? undefined : (letsThrough ? t.app.sure : t.app.claimed).some((name) => tests.some((test) => test(name)))
  })
  add('process', when.process, (globs) => {
    const tests = list(globs).map(pathGlob)
    return ({ facts: { app } }) => (app?.executable === undefined ? undefined : tests.some((test) => test(app.executable ?? '')))
  })
  add('runs', when.runs, (globs) => {
    const tests = list(globs).map((g) => glob(g, { path: true }))
    // A program that is no interpreter runs nothing but itself.
    return ({ facts: { app } }) =>
      app?.executable === undefined ? undefined : app.runs !== undefined && tests.some((test) => test(app.runs ?? ''))
  })
  add('role', when.role, (globs) => {
    const tests = list(globs).map((g) => glob(toRole(g) ?? g.toLowerCase()))
    return (t) => tests.some((test) => test(t.role)) || (t.isActedOn && NO_ROLES.has(t.role) ? undefined : false)
  })
  add('source', when.source, (sources) => (t) => list(sources).includes(t.facts.source))
  add(
    'confidence',
    when.confidence,
    (c) => (t) => t.facts.confidence < (c.below ?? Infinity) && t.facts.confidence >= (c.atLeast ?? -Infinity),
  )
  add(
    'state',
    when.state,
    (states) => (t) =>
      t.facts.states === undefined
        ? t.isActedOn
          ? undefined
          : false
        : Object.entries(states).every(([k, v]) => Object.entries(t.facts.states ?? {}).some(([s, is]) => s === k && is === v)),
  )
  add('name', when.name, (globs) => {
    const tests = list(globs).map((g) => freeText(g, letsThrough))
    // Only its name lets something through; what else stands on it can hold it back.
    return (t) => {
      const texts = letsThrough ? [t.name] : t.says
      if (texts.some((text) => text.exact !== '' && tests.some((test) => test(text)))) return true
      return t.says.length === 0 && t.isActedOn ? undefined : false
    }
  })
  add('window', when.window, (globs) => {
    const tests = list(globs).map((g) => freeText(g, letsThrough))
    return ({ window, isActedOn }) => (window.folded === '' ? (isActedOn ? undefined : false) : tests.some((test) => test(window)))
  })
  add('url', when.url, (globs) => {
    const tests = list(globs).map((g) => urlTest(g, letsThrough))
    // What lies in a frame is a part of every page around it; only its own page lets something through.
    return ({ url, urlsAround, mayHaveUrl }) => {
      if (!letsThrough && urlsAround.some((page) => tests.some((test) => test(page)))) return true
      return url === undefined ? (mayHaveUrl ? undefined : false) : tests.some((test) => test(url))
    }
  })
  return found
}

/** What is known by its pixels alone, or not at all, may be anything. */
const NO_ROLES: ReadonlySet<string> = new Set(['region', 'desktop', 'unknown'])

export const list = <T extends string>(value: T | readonly T[]): readonly T[] => (typeof value === 'string' ? [value] : value)

function any<T>(tests: readonly Test[], text: (on: T) => string | undefined): (on: T) => boolean {
  return (on) => {
    const value = text(on)
    return value !== undefined && value !== '' && tests.some((test) => test(value))
  }
}

/**
 * Free text is a glob, or a regex between slashes; case does not matter. An allow compares the text as it is, a deny and a question also what a
 * person reads.
 */
export function freeText(pattern: string, letsThrough: boolean): (text: Spelling) => boolean {
  const regex = /^\/(.+)\/i?$/s.exec(pattern)?.[1]
  if (regex !== undefined) {
    const compiled = linear(regex, { ignoreCase: true })
    return ({ exact, folded, others }) =>
      compiled.test(exact) || (!letsThrough && (compiled.test(folded) || others.some((text) => compiled.test(text))))
  }
  const asItIs = glob(pattern.toLowerCase())
  // White space is evened out in what is folded, so a pattern that tells lines apart is not for it.
  if (letsThrough || /[\n\r\t]/.test(pattern)) return ({ exact }) => asItIs(exact)
  const read = glob(foldGlob(pattern))
  return ({ exact, folded, others }) => read(folded) || (exact !== folded && asItIs(exact)) || others.some(read)
}

function holds(wanted: Readonly<Record<string, unknown>>, subject: Subject): boolean {
  const hints: Readonly<Record<string, unknown>> = { ...subject.annotations, readOnlyHint: TRAITS[subject.kind].reads }
  return Object.entries(wanted).every(([key, value]) => hints[key] === value)
}

function onCommand(test: Test): (call: Call) => boolean {
  return (c) => {
    const command = commandOf(c.subject.kind, c.subject.args)
    return command !== undefined && test(command)
  }
}

/** Runs a compiler of patterns and says which key it choked on. */
export function at<T>(path: readonly string[], compile: () => T): T {
  try {
    return compile()
  } catch (thrown) {
    if (!(thrown instanceof SyntaxError)) throw thrown
    throw new SyntaxError(thrown.message, { cause: path })
  }
}
