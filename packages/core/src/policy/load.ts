import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { parse, TomlError } from 'smol-toml'
import type { z } from 'zod'
import { DeskhandError } from '../errors.ts'
import { readAdminFile } from './admin-file.ts'
import { compileMask, compilePrivate } from './mask.ts'
import { compileRule } from './match.ts'
import { argument, complaints } from '../model/index.ts'
import { FileSpec, knownKeys, type AddedTerms, type LoadedRule, type MaskSpec, type RuleSpec, type Tier } from './rule.ts'
import { keyLines, type KeyLines } from './toml-lines.ts'

/** Something wrong with a policy file. A warning does not keep it from loading. */
export interface Problem {
  file: string
  line: number
  severity: 'error' | 'warning'
  message: string
}

/** What a policy file says. */
export interface PolicyFile extends AddedTerms {
  file: string
  tier: Tier
  rules: readonly LoadedRule[]
  automation?: { enabled: boolean }
  nonInteractive?: FileSpec['nonInteractive']
  mask?: readonly MaskSpec[]
  private?: FileSpec['private']
}

/** Reads a file or every `.toml` in a folder. Throws BAD_POLICY naming file and line; an admin file that others can write is refused. */
export function loadPolicyFiles(path: string, tier: Tier): PolicyFile[] {
  return filesOf(path).map((file) => parsePolicy(loadPolicyText(file, tier), file, tier))
}

/** Reads a policy from its text. Throws BAD_POLICY with the first problem in the message and all of them in the details. */
export function parsePolicy(source: string, file: string, tier: Tier): PolicyFile {
  const { policy, problems } = inspectPolicy(source, file, tier)
  const [first, ...more] = problems
  if (policy && !first) return policy
  const rest = more.length > 0 ? ` (and ${more.length} more)` : ''
  throw new DeskhandError('BAD_POLICY', `${file}:${first?.line ?? 1}: ${first?.message ?? 'is no policy'}${rest}`, {
    details: { problems },
  })
}

/** Everything that keeps a text from being a policy, and the policy when nothing does; `foreign`: keys that are not to be suggested in it. */
export function inspectPolicy(
  source: string,
  file: string,
  tier: Tier,
  foreign: readonly string[] = [],
): { policy?: PolicyFile; problems: Problem[] } {
  const problem = (line: number, message: string): Problem => ({ file, line, severity: 'error', message })
  if (source.length > LARGEST) return { problems: [problem(1, `is larger than ${LARGEST} characters`)] }
  let toml: unknown
  try {
    toml = parse(source, { unsafeKeyBehaviour: 'throw' })
  } catch (thrown) {
    if (!(thrown instanceof TomlError)) throw thrown
    return { problems: [problem(thrown.line, thrown.message.split('\n')[0] ?? thrown.message)] }
  }
  const lines = keyLines(source)
  const read = FileSpec.safeParse(toml, { reportInput: true })
  if (!read.success) {
    // A key that is misspelt is the cause of one that is missing.
    const issues = read.error.issues.toSorted((a, b) => Number(b.code === 'unrecognized_keys') - Number(a.code === 'unrecognized_keys'))
    return { problems: issues.flatMap((i) => describe(i, toml, lines, foreign)).map(([line, text]) => problem(line, text)) }
  }
  const { rule: specs, ...settings } = read.data
  const rules = specs.map((spec, i): LoadedRule => ({
    spec: normal(spec),
    source: { file, line: lines.line(['rule', i]), tier, name: spec.name },
  }))
  const problems = [
    ...rules.flatMap((rule, i) => contradictions(rule).map(([path, text]) => problem(lines.line(['rule', i, ...path]), text))),
    ...(settings.mask ?? []).flatMap((mask, i) =>
      compiles(() => compileMask(mask)).map(([path, text]) => problem(lines.line(['mask', i, ...path]), text)),
    ),
    ...Object.entries(settings.private?.own ?? {}).flatMap(([name, pattern]) =>
      compiles(() => compilePrivate(pattern)).map(([, text]) => problem(lines.line(['private', 'own', name]), text)),
    ),
  ]
  return problems.length > 0 ? { problems } : { policy: { file, tier, rules, ...settings }, problems }
}

const LARGEST = 1_000_000

function filesOf(path: string): string[] {
  const stat = statSync(path, { throwIfNoEntry: false })
  if (!stat)
    throw new DeskhandError('BAD_POLICY', `${path}: there is no such policy file or folder`, {
      next: 'Correct the path, or create the file.',
    })
  if (!stat.isDirectory()) return [path]
  return readdirSync(path)
    .filter((name) => name.endsWith('.toml'))
    .toSorted()
    .map((name) => join(path, name))
}

/** A policy file's text; one of the admin tier only when others cannot write it. */
export function loadPolicyText(file: string, tier: Tier): string {
  if (tier === 'admin') return readAdminFile(file)
  try {
    return readFileSync(file, 'utf8')
  } catch (thrown) {
    throw new DeskhandError('BAD_POLICY', `${file}: cannot be read`, { next: 'Give Deskhand the right to read it.', cause: thrown })
  }
}

/** Old spellings of Gemini CLI become the new ones. */
function normal(spec: RuleSpec): RuleSpec {
  const { deny_message, allow_redirection, ...rest } = spec
  return { ...rest, denyMessage: rest.denyMessage ?? deny_message, allowRedirection: rest.allowRedirection ?? allow_redirection }
}

/** What each key allows by itself but not together, and patterns that do not compile. */
function contradictions(rule: LoadedRule): [path: readonly string[], message: string][] {
  const { spec } = rule
  const command = spec.commandPrefix !== undefined ? 'commandPrefix' : spec.commandRegex !== undefined ? 'commandRegex' : undefined
  if (spec.toolName === undefined && spec.mcpName === undefined && !command)
    return [[[], 'a rule needs toolName; "*" stands for every tool']]
  if (spec.commandPrefix !== undefined && spec.commandRegex !== undefined)
    return [[['commandRegex'], 'commandPrefix and commandRegex exclude each other']]
  if (command && spec.argsPattern !== undefined) return [[['argsPattern'], `argsPattern and ${command} exclude each other`]]
  if (spec.rateLimit && spec.decision === 'deny') return [[['rateLimit'], 'a rule that denies has no rate to limit']]
  return compiles(() => compileRule(rule))
}

function compiles(compile: () => unknown): [path: readonly string[], message: string][] {
  try {
    compile()
    return []
  } catch (thrown) {
    if (!(thrown instanceof SyntaxError)) throw thrown
    const path = Array.isArray(thrown.cause) ? thrown.cause.map(String) : []
    return [[path, `${path.join('.')}: ${thrown.message}`]]
  }
}

/** A problem inside a rule is told by the rule's own keys. */
function describe(issue: z.core.$ZodIssue, toml: unknown, lines: KeyLines, foreign: readonly string[]): [line: number, message: string][] {
  const [table, n, ...inside] = issue.path
  const isInRule = table === 'rule' && typeof n === 'number'
  const rules = argument(toml, 'rule')
  const told = isInRule && Array.isArray(rules) ? { table: rules[n] as unknown, path: inside } : { table: toml, path: issue.path }
  if (issue.code !== 'unrecognized_keys')
    return complaints([{ ...issue, path: told.path }], told.table, []).map((message) => [lines.line(issue.path), message])
  const known = knownKeys(issue.path).filter((key) => issue.path.length > 0 || !foreign.includes(key))
  return issue.keys.map((key) => {
    const [message = ''] = complaints([{ ...issue, keys: [key], path: [] }], told.table, known, `key`)
    return [lines.line([...issue.path, key]), message]
  })
}
