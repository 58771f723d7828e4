import { z } from 'zod'
import { Rect } from './geometry.ts'
import { PlannedStep } from './plan.ts'
import { Decision, Risk, RiskLevel } from './policy.ts'
import { Principal } from './principal.ts'
import { TargetFacts } from './target.ts'

export const Scope = z.enum(['once', 'session', 'app'])
export type Scope = z.infer<typeof Scope>

/** What a script asks a person; `buttons` are all the answers there are, where they are given. */
export const Question = z.object({
  kind: z.enum(['alert', 'confirm', 'prompt', 'password']),
  title: z.string(),
  message: z.string(),
  buttons: z.array(z.string()).optional(),
  default: z.string().optional(),
})
export type Question = z.infer<typeof Question>

/** Something around a target, as a person sees it. */
export const SeenFact = z.object({ label: z.string(), value: z.string() })
export type SeenFact = z.infer<typeof SeenFact>

/** What an answer for longer than one call would permit, before it is given: these tools, up to this risk, so often and so long. */
export const Offer = z.object({
  scope: z.enum(['session', 'app']),
  tools: z.array(z.string()),
  /** Applications in words, with what they run; empty means any application of this session. */
  apps: z.array(z.string()),
  maxRisk: RiskLevel,
  count: z.number(),
  seconds: z.number(),
})
export type Offer = z.infer<typeof Offer>

/** A question to a person. It covers exactly one call on exactly these targets, and dies when they change. */
export const Approval = z.object({
  id: z.string(),
  op: z.string(),
  digest: z.string(),
  tool: z.string(),
  summary: z.string(),
  args: z.unknown(),
  principal: Principal,
  targets: z.array(TargetFacts),
  risk: Risk,
  decision: Decision,
  /** How far the target may move within its window before the answer is void. */
  tolerancePx: z.number(),
  askedAt: z.string(),
  /** From when it was asked, and again from when it was shown. */
  expiresAt: z.string(),
  /** When an operator's client first had it before a person. */
  shownAt: z.string().optional(),
  /** A content hash of the crop, where the policy allows one. */
  crop: z.string().optional(),
  /** What of the desktop the crop shows; the targets' bounds lie in the same space. */
  cropArea: Rect.optional(),
  /** What the answer is bound to beside the target: title, address, and the values and texts of its form, dialog or window. */
  around: z.array(SeenFact).optional(),
  /** Texts there that changed by themselves before it was asked; the answer holds although they do. */
  leftOut: z.array(z.string()).optional(),
  /** What changed since the same was asked before and became void. */
  changed: z.array(z.string()).optional(),
  /** A whole plan: the steps that need the plan's approval are covered, each once and in order. */
  steps: z.array(PlannedStep).optional(),
  /** The longer answers that can be given; none for what is asked every time. */
  offers: z.array(Offer).optional(),
  /** Not whether a call may be made: a script wants to know something, and `Answer.text` tells it. */
  question: Question.optional(),
})
export type Approval = z.infer<typeof Approval>

/** A question on the screen of a terminal, a command line, the console, the agent's own client, or a program that answers by itself. */
export const Surface = z.enum(['terminal', 'command', 'console', 'client', 'program'])

export const Answer = z.object({
  allow: z.boolean(),
  scope: Scope.default('once'),
  reason: z.string().optional(),
  /** The answer to a script's question; it reaches the script only. */
  text: z.string().max(4_000).optional(),
  /** What the person used, as their client says. */
  surface: Surface.optional(),
  by: Principal,
  /** The transport that it came by. */
  channel: z.string().optional(),
})
export type Answer = z.infer<typeof Answer>

/** A standing permission: a predicate with a count and an end, revocable. */
export const Grant = z.object({
  id: z.string(),
  principal: z.string(),
  tools: z.array(z.string()),
  /** Applications in words, with what they run; empty means any application of this session. */
  apps: z.array(z.string()),
  maxRisk: RiskLevel,
  left: z.number(),
  expiresAt: z.string(),
  by: Principal,
})
export type Grant = z.infer<typeof Grant>
