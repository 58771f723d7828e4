import { z } from 'zod'
import { Decision, RiskLevel } from './policy.ts'
import { TargetFacts } from './target.ts'

/** A recorded call and what another policy says to it. */
export const Retried = z.object({
  seq: z.number().optional(),
  time: z.string().optional(),
  op: z.string().optional(),
  tool: z.string(),
  /** What it was about first. */
  target: TargetFacts.optional(),
  was: Decision,
  now: Decision,
  risk: RiskLevel,
  differs: z.boolean(),
})
export type Retried = z.infer<typeof Retried>

/** What another policy says to recorded calls: to the newest, or to those before `next` of an earlier answer. */
export const PolicyTrial = z.object({
  calls: z.array(Retried),
  /** How many calls were read for it, and the time of the oldest. */
  read: z.number(),
  since: z.string().optional(),
  /** How many of them typed a text that was not kept, so that rules on text could not be applied. */
  hidden: z.number(),
  /** `before` of the next page; absent where the record has nothing older. */
  next: z.number().optional(),
})
export type PolicyTrial = z.infer<typeof PolicyTrial>
