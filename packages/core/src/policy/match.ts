import { toRole, TRAITS, type ActionKind, type RiskLevel } from '../model/index.ts'
import { argsPattern, commandOf, commandPrefix, commandRegex } from './args.ts'
import { fold, type Call, type SeenTarget } from './call.ts'
import { glob, linear, type Test } from './glob.ts'
import type { Subject } from './policy.ts'
import type { LoadedRule, RuleSpec, When } from './rule.ts'
import { urlGlob } from './url.ts'

/** A condition of a rule, named by its key so that a miss can be explained. */
interface Condition<T> {
  key: string
  test(on: T): boolean
}

export interface CompiledRule extends LoadedRule {
  tools: readonly Test[]
  onCall: readonly Condition<Call>[]
  onTarget: readonly Condition<SeenTarget>[]
  risks: ReadonlySet<RiskLevel> | undefined
}

/** The first key that does not hold; undefined when the rule matches. An allow must hold for every target, anything else for one. */
export function missed(rule: CompiledRule, call: Call): string | undefined {
  const onCall = firstMiss(rule.onCall, call)
  if (onCall !== undefined) return onCall
  if (rule.onTarget.length === 0) return undefined
  if (call.targets.length === 0) return rule.onTarget[0]?.key
  const every = rule.spec.decision === 'allow'
  let miss: string | undefined
  for (const target of call.targets) {
    const found = firstMiss(rule.onTarget, target)
    if (every ? found !== undefined : found === undefined) return found
    miss ??= found
  }
  return miss
}

function firstMiss<T>(conditions: readonly Condition<T>[], on: T): string | undefined {
  for (const condition of conditions) if (!condition.test(on)) return condition.key
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
  const add = <V>(key: string, value: V | undefined, make: (value: V) => (call: Call) => boolean): void => {
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
  add('driver', when.driver, (globs) =>
    any(
      list(globs).map((g) => glob(g.toLowerCase())),
      (c) => c.setting.driver.toLowerCase(),
    ),
  )
  add('text', when.text, (globs) => any(list(globs).map(freeText), (c) => c.text))
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
  const add = <V>(key: string, value: V | undefined, make: (value: V) => (target: SeenTarget) => boolean): void => {
    if (value !== undefined) found.push({ key, test: at(['when', key], () => make(value)) })
  }
  add('app', when.app, (globs) => {
    const tests = list(globs).map((g) => glob(g.toLowerCase()))
    return (t) => (letsThrough ? t.app.sure : t.app.claimed).some((name) => tests.some((test) => test(name)))
  })
  add('process', when.process, (globs) =>
    any(
      list(globs).map((g) => glob(g, { path: true })),
      (t) => t.facts.app?.executable,
    ),
  )
  add('role', when.role, (globs) =>
    any(
      list(globs).map((g) => glob(toRole(g) ?? g.toLowerCase())),
      (t) => t.role,
    ),
  )
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
      Object.entries(states).every(([k, v]) => Object.entries(t.facts.states ?? {}).some(([s, is]) => s === k && is === v)),
  )
  add('name', when.name, (globs) => {
    const tests = list(globs).map(freeText)
    // Only its name lets something through; what else stands on it can hold it back.
    return (t) => (letsThrough ? [t.name] : [t.name, ...t.says]).some((text) => text !== '' && tests.some((test) => test(text)))
  })
  add('window', when.window, (globs) => any(list(globs).map(freeText), (t) => t.window))
  add('url', when.url, (globs) => {
    const tests = list(globs).map(urlGlob)
    return (t) => t.url !== undefined && tests.some((test) => t.url !== undefined && test(t.url))
  })
  return found
}

const list = <T extends string>(value: T | readonly T[]): readonly T[] => (typeof value === 'string' ? [value] : value)

function any<T>(tests: readonly Test[], text: (on: T) => string | undefined): (on: T) => boolean {
  return (on) => {
    const value = text(on)
    return value !== undefined && value !== '' && tests.some((test) => test(value))
  }
}

/** Free text is a glob, or a regex between slashes; case and compatibility forms do not matter. */
function freeText(pattern: string): Test {
  const regex = /^\/(.+)\/i?$/s.exec(pattern)?.[1]
  if (regex === undefined) return glob(fold(pattern))
  const compiled = linear(regex, { ignoreCase: true })
  return (text) => compiled.test(text)
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
function at<T>(path: readonly string[], compile: () => T): T {
  try {
    return compile()
  } catch (thrown) {
    if (!(thrown instanceof SyntaxError)) throw thrown
    throw new SyntaxError(thrown.message, { cause: path })
  }
}
