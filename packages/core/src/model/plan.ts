import { z } from 'zod'
import { Decision, Risk } from './policy.ts'
import { ResolvedTarget, Result } from './result.ts'
import { TargetFacts } from './target.ts'

/** One step of a rehearsal, as the agent that planned it may know it. */
export const PlanStep = z.object({
  n: z.number(),
  tool: z.string(),
  summary: z.string(),
  /** `unknown`: what it will touch, if anything, depends on a step before it. */
  state: z.enum(['known', 'unknown']),
  why: z.string().optional(),
  /** What it takes beside the rules: nothing, the plan's approval, a grant, or a question of its own when its time comes. */
  needs: z.enum(['nothing', 'plan', 'grant', 'question']),
  target: ResolvedTarget.optional(),
  risk: Risk.optional(),
  decision: Decision.optional(),
  /** What it would fail with. */
  error: Result.shape.error,
})
export type PlanStep = z.infer<typeof PlanStep>

/** The same step as a person is asked about it, bound to what it would touch. */
export const PlannedStep = PlanStep.extend({
  /** Redacted like the arguments of any call. */
  args: z.unknown(),
  reads: z.boolean(),
  targets: z.array(TargetFacts),
  /** Binds the call alone, and the call with its targets. */
  call: z.string(),
  digest: z.string(),
})
export type PlannedStep = z.infer<typeof PlannedStep>

/** What a rehearsal found. Nothing of it has been done. */
export const Plan = z.object({
  steps: z.array(PlanStep),
  known: z.number(),
  unknown: z.number(),
  /** The answered question, once a person agreed. */
  approval: z.string().optional(),
})
export type Plan = z.infer<typeof Plan>
