import { KINDS, TRAITS, WINDOWS, type ActionKind } from '../model/index.ts'
import { DeskhandError } from '../errors.ts'
import { fieldPattern } from './args.ts'
import { glob } from './glob.ts'
import { inspectPolicy, loadPolicyText, type PolicyFile, type Problem } from './load.ts'
import { nearest } from '../model/nearest.ts'
import type { LoadedRule, Tier } from './rule.ts'
import { LOOKING } from './visibility.ts'

interface CheckOptions {
  tier?: Tier
  /** The names a rule can mean. */
  tools?: readonly string[]
  now?: number
}

/** Everything wrong or doubtful about a policy file, by line. `tools` are the names a rule can mean. */
export function checkPolicyFile(path: string, options: CheckOptions = {}): Problem[] {
  const tier = options.tier ?? 'user'
  let source: string
  try {
    source = loadPolicyText(path, tier)
  } catch (thrown) {
    const { message, next } = DeskhandError.from(thrown)
    return [{ file: path, line: 1, severity: 'error', message: `${message.replace(`${path}: `, '')}. ${next}` }]
  }
  return checkPolicyText(source, path, options)
}

/** The same of a text that need not be in a file yet. */
export function checkPolicyText(source: string, path: string, options: CheckOptions = {}): Problem[] {
  const { policy, problems } = inspectPolicy(source, path, options.tier ?? 'user')
  return [...problems, ...(policy ? doubts(policy, options) : [])].toSorted((a, b) => a.line - b.line)
}

function doubts(policy: PolicyFile, options: { tools?: readonly string[]; now?: number }): Problem[] {
  const warn = (rule: LoadedRule, message: string): Problem => ({ file: policy.file, line: rule.source.line, severity: 'warning', message })
  return policy.rules.flatMap((rule) => [
    ...unknownTools(rule, options.tools).map((text) => warn(rule, text)),
    ...looseAllow(rule).map((text) => warn(rule, text)),
    ...halfHidden(rule).map((text) => warn(rule, text)),
    ...idle(rule, options.now ?? Date.now()).map((text) => warn(rule, text)),
  ])
}

/** A rule for a tool that does not exist never matches, which for a deny is a hole. */
function unknownTools(rule: LoadedRule, tools: readonly string[] | undefined): string[] {
  if (!tools || rule.spec.toolName === undefined) return []
  return [rule.spec.toolName].flat().flatMap((name) => {
    const bare = name.replace(/^mcp_[^_]+_|^[^_]+__/, '')
    const called = tools.flatMap((tool) => [tool, tool.replaceAll('.', '_')]).flatMap((tool) => [tool, `mcp_deskhand_${tool}`])
    if ([name, bare].some((n) => called.some(glob(n)))) return []
    const meant = nearest(bare, tools)
    return [`no tool of Deskhand's is called "${name}"${meant === undefined ? '' : `; did you mean "${meant}"?`}`]
  })
}

/** Any application can satisfy names, titles and loose patterns. */
function looseAllow(rule: LoadedRule): string[] {
  const { spec } = rule
  if (spec.decision !== 'allow') return []
  const found: string[] = []
  const when = spec.when ?? {}
  if ((when.name ?? when.window) !== undefined && (when.app ?? when.process ?? when.url) === undefined) {
    found.push('allows by a name or title that any application can give itself; add app, process or url')
  }
  if (spec.argsPattern !== undefined && fieldPattern(spec.argsPattern)?.field === undefined) {
    found.push('allows by a pattern that names no field, so that any argument can satisfy it; begin it with "field":')
  }
  return found
}

/** Applications, windows and pages are hidden as a whole; a part of one is still in every look at it. */
function halfHidden({ spec }: LoadedRule): string[] {
  const { role, name, state } = spec.when ?? {}
  const denies = (kinds: readonly ActionKind[]) =>
    spec.decision === 'deny' && [spec.toolName ?? '*'].flat().some((tool) => kinds.map((kind) => `ui.${kind}`).some(glob(tool)))
  if (!denies(LOOKING)) return []
  if ((role ?? name ?? state) === undefined) return []
  const wholes = [role ?? []].flat().filter((r) => WINDOWS.has(r) || r === 'document')
  return wholes.length > 0 ? [] : ['hides no such element; only applications, windows and pages are hidden']
}

function idle(rule: LoadedRule, now: number): string[] {
  const { spec } = rule
  const found: string[] = []
  if (spec.expires !== undefined && spec.expires <= now) found.push(`expired on ${new Date(spec.expires).toISOString()}`)
  if (spec.modes?.length && spec.modes.every((m) => m === 'autoEdit' || m === 'plan' || m === 'yolo')) {
    found.push(`is only for ${spec.modes.join(', ')}, which Deskhand has not; it never applies`)
  }
  if (spec.denyMessage !== undefined && spec.decision !== 'deny') found.push('has a denyMessage but does not deny')
  const tools = [spec.toolName ?? []].flat()
  if (spec.obligations?.verify && tools.length > 0 && tools.every((tool) => READS.includes(tool)))
    found.push('verifies a read, which changes nothing')
  return found
}

const READS = KINDS.filter((kind) => TRAITS[kind].reads).map((kind) => `ui.${kind}`)
