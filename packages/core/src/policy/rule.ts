import { TomlDate } from 'smol-toml'
import { z } from 'zod'
import {
  Delivery,
  DesktopKind,
  Mode,
  Obligations,
  PRIVATE_KINDS,
  RiskLevel,
  States,
  TargetSource,
  Verdict,
  type RuleSource,
} from '../model/index.ts'
import type { AppClass } from './risk-table.ts'

const strings = z.union([z.string().min(1), z.array(z.string().min(1)).min(1)], { error: 'must be a string or a list of strings' })
const oneOrMore = <T extends z.ZodType>(of: T, words: readonly string[]) =>
  z.union([of, z.array(of).min(1)], { error: `must be one or several of ${words.join(', ')}` })

/** Playbooks by their signer's key or their digest, as `deskhand playbook check` prints them. */
const PLAYBOOK = /^(ed25519:[\w-]{43}|sha256:[0-9a-f]{64})$/
const playbook = z.string().regex(PLAYBOOK)
const playbooks = z.union([playbook, z.array(playbook).min(1)], { error: 'must be ed25519:<key> or sha256:<digest>, or a list of them' })

/** What the same agent did before, so many times in so many seconds. */
const After = z.strictObject({
  tool: strings.optional(),
  app: strings.optional(),
  name: strings.optional(),
  within: z.number().positive().max(3600),
  times: z.int().min(1).max(1_000).default(1),
  /** What any agent did. */
  shared: z.boolean().default(false),
})

/** Conditions on what would really be touched. A list means any of its items; several keys must all hold. */
export const When = z.strictObject({
  app: strings.optional(),
  process: strings.optional(),
  runs: strings.optional(),
  window: strings.optional(),
  role: strings.optional(),
  name: strings.optional(),
  url: strings.optional(),
  state: z.strictObject(States.shape).optional(),
  source: oneOrMore(TargetSource, TargetSource.options).optional(),
  confidence: z.strictObject({ below: z.number().optional(), atLeast: z.number().optional() }).optional(),
  risk: oneOrMore(RiskLevel, RiskLevel.options).optional(),
  driver: strings.optional(),
  text: strings.optional(),
  tainted: z.boolean().optional(),
  carriedFrom: strings.optional(),
  delivery: Delivery.optional(),
  after: After.optional(),
  playbook: playbooks.optional(),
  desktop: oneOrMore(DesktopKind, DesktopKind.options).optional(),
})
export type When = z.infer<typeof When>

/** Gemini CLI's approval modes; of these Deskhand is always in `default`. */
const APPROVAL_MODES = ['default', 'autoEdit', 'plan', 'yolo'] as const

const expires = z.unknown().transform((value, ctx): number => {
  const exact = value instanceof TomlDate && value.isDateTime() && !value.isLocal() && value.isValid()
  if (exact) return value.getTime()
  ctx.addIssue({ code: 'custom', message: 'must be a date and time with its offset, as in 2026-12-31T18:00:00Z' })
  return z.NEVER
})

/** How many calls an agent may make in some time, per action or per application. `shared`: all agents of the desktop together. */
const RateLimit = z.strictObject({
  max: z.int().min(1).max(10_000),
  seconds: z.number().positive().max(3600),
  per: z.enum(['tool', 'app']).default('tool'),
  shared: z.boolean().default(false),
})

/** One `[[rule]]`. The first block is what Gemini CLI documents, old spellings included; the second is Deskhand's own. */
export const RuleSpec = z.strictObject({
  toolName: strings.optional(),
  mcpName: z.string().min(1).optional(),
  subagent: z.string().min(1).optional(),
  toolAnnotations: z.record(z.string(), z.unknown()).optional(),
  argsPattern: z.string().optional(),
  commandPrefix: strings.optional(),
  commandRegex: z.string().optional(),
  decision: Verdict,
  priority: z.number('must be a whole number').int('must be a whole number').min(0).max(999),
  modes: z.array(z.enum([...APPROVAL_MODES, ...Mode.options])).optional(),
  interactive: z.boolean().optional(),
  denyMessage: z.string().optional(),
  deny_message: z.string().optional(),
  allowRedirection: z.boolean().optional(),
  allow_redirection: z.boolean().optional(),

  name: z.string().min(1).optional(),
  when: When.optional(),
  expires: expires.optional(),
  rateLimit: RateLimit.optional(),
  obligations: Obligations.optional(),
})
export type RuleSpec = z.infer<typeof RuleSpec>

/** What stands outside of rules, in a policy file or in the configuration. */
export const NonInteractive = z.enum(['fail', 'deny', 'allow'])
export interface Settings {
  /** Off: nothing that ships with Deskhand lets an action pass without a question. */
  automation: { enabled: boolean }
  /** What a question becomes when no person can be asked. */
  nonInteractive: z.infer<typeof NonInteractive>
  /** What MCP clients call this server: the names `mcpName` stands for. */
  mcpNames: readonly string[]
}
export const DEFAULT_SETTINGS: Settings = { automation: { enabled: true }, nonInteractive: 'fail', mcpNames: ['deskhand'] }

const terms = z.array(z.string().trim().min(1).max(80)).max(500).optional()

/** Words and programs beside Deskhand's own lists. They can raise a risk and take nothing away. */
const Words = z.strictObject({ destructive: terms, committing: terms, paying: terms, paymentField: terms })
const Classes = z.strictObject({
  browser: terms,
  mail: terms,
  admin: terms,
  terminal: terms,
  finance: terms,
  passwords: terms,
  authentication: terms,
}) satisfies z.ZodType<Partial<Record<AppClass, string[]>>>
export interface AddedTerms {
  words?: z.infer<typeof Words>
  classes?: z.infer<typeof Classes>
}

/** Elements whose contents no principal sees: they count as password fields. */
const Mask = z
  .strictObject({ app: strings, role: strings.optional(), name: strings.optional() })
  .refine(({ role, name }) => (role ?? name) !== undefined, 'needs role or name beside app')
export type MaskSpec = z.infer<typeof Mask>

/** What counts as private beside or instead of the kinds that Deskhand knows. */
const Private = z.strictObject({
  kinds: z.array(z.enum(PRIVATE_KINDS)).optional(),
  own: z
    .record(z.string().regex(/^[a-z][a-z0-9-]{0,30}$/, 'has to be a name such as badge-number'), z.string().min(1).max(1_000))
    .optional(),
})

export const FileSpec = z.strictObject({
  rule: z.array(RuleSpec).default([]),
  words: Words.optional(),
  classes: Classes.optional(),
  mask: z.array(Mask).max(200).optional(),
  private: Private.optional(),
  automation: z.strictObject({ enabled: z.boolean() }).optional(),
  nonInteractive: NonInteractive.optional(),
})
export type FileSpec = z.infer<typeof FileSpec>

export type Tier = RuleSource['tier']

/** A rule and where it stands. */
export interface LoadedRule {
  spec: RuleSpec
  source: RuleSource
}

/** The keys a table may have, for the nearest known one. */
export function knownKeys(path: readonly PropertyKey[]): string[] {
  const table = path.filter((p) => typeof p === 'string').join('.')
  return Object.keys(TABLES[table] ?? {})
}

const TABLES: Readonly<Record<string, object>> = {
  '': FileSpec.shape,
  automation: { enabled: true },
  words: Words.shape,
  classes: Classes.shape,
  mask: Mask.shape,
  private: Private.shape,
  rule: RuleSpec.shape,
  'rule.when': When.shape,
  'rule.when.state': States.shape,
  'rule.when.confidence': { below: true, atLeast: true },
  'rule.when.after': After.shape,
  'rule.rateLimit': RateLimit.shape,
  'rule.obligations': Obligations.shape,
}
