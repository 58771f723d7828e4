import { z } from 'zod'

export const RiskLevel = z.enum(['low', 'medium', 'high', 'prohibited'])
export type RiskLevel = z.infer<typeof RiskLevel>

export const Risk = z.object({
  level: RiskLevel,
  score: z.number(),
  factors: z.array(z.object({ id: z.string(), weight: z.number(), detail: z.string() })),
})
export type Risk = z.infer<typeof Risk>

export const Verdict = z.enum(['allow', 'deny', 'ask_user'])
export type Verdict = z.infer<typeof Verdict>

/** Things a rule asks for beside its verdict. */
export const Obligations = z.strictObject({
  redact: z.boolean().optional(),
  screenshot: z.boolean().optional(),
  verify: z.boolean().optional(),
  evidence: z.enum(['none', 'hash', 'encrypted']).optional(),
})
export type Obligations = z.infer<typeof Obligations>

export const RuleSource = z.object({
  file: z.string(),
  line: z.number(),
  tier: z.enum(['builtin', 'user', 'admin']),
  name: z.string().optional(),
})
export type RuleSource = z.infer<typeof RuleSource>

export const Decision = z.object({
  verdict: Verdict,
  /** One sentence for people and models. */
  reason: z.string(),
  rule: RuleSource.optional(),
  obligations: Obligations,
  /** Why a deny is not simply a rule's: the caller's role, the mode, the rate, the missing operator. */
  code: z.enum(['DENIED', 'UNAUTHORIZED', 'MODE_TOO_LOW', 'RATE_LIMITED', 'APPROVAL_NEEDED']).optional(),
})
export type Decision = z.infer<typeof Decision>

/** Why a decision came out as it did: every rule that was asked, the strongest first. */
export const Explanation = z.object({
  decision: Decision,
  risk: Risk,
  rules: z.array(z.object({ rule: RuleSource, verdict: Verdict, matched: z.boolean(), won: z.boolean(), note: z.string() })),
  text: z.string(),
})
export type Explanation = z.infer<typeof Explanation>

/** Real input for some applications, for some time. `apps` are globs over the executable's name. */
export const InputGrant = z.strictObject({
  apps: z.array(z.string()).min(1).readonly(),
  input: z.enum(['keyboard', 'mouse', 'any']),
  until: z.number(),
})
export type InputGrant = z.infer<typeof InputGrant>

/** A rule as its file states it. */
export const RuleInForce = z.object({ source: RuleSource, spec: z.record(z.string(), z.unknown()) })
export type RuleInForce = z.infer<typeof RuleInForce>
export const PolicyInForce = z.object({
  version: z.string(),
  automation: z.boolean(),
  nonInteractive: z.string(),
  /** The policies that come with Deskhand; one of them lies below the rules. */
  presets: z.array(z.object({ name: z.string(), about: z.string(), inForce: z.boolean() })),
  rules: z.array(RuleInForce),
})
export type PolicyInForce = z.infer<typeof PolicyInForce>

/** How often a rule decided in a record; one with a name is counted under it, wherever in its file it stood. */
export const RuleUse = z.object({ file: z.string(), line: z.number(), name: z.string().optional(), count: z.number() })
export type RuleUse = z.infer<typeof RuleUse>

export const PolicyProblem = z.object({ file: z.string(), line: z.number(), severity: z.enum(['error', 'warning']), message: z.string() })

/** The policy file that operators save, and the version of the policy that it is a part of; without a file nothing can be saved. */
export const SavedRules = z.object({ file: z.string().optional(), text: z.string(), version: z.string() })
export type SavedRules = z.infer<typeof SavedRules>
