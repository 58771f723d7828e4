import { z } from 'zod'
import { DoneEntry } from './journal.ts'
import { Decision, RiskLevel } from './policy.ts'
import { Principal } from './principal.ts'

/** What a check of the whole record found. */
export const Verification = z.object({
  ok: z.boolean(),
  entries: z.number(),
  head: z.string(),
  /** The last entry before the first problem of the chain. */
  intactTo: z.number(),
  /** Up to this entry the anchor would show any change; 0 when it does not match. */
  anchoredTo: z.number(),
  /** The last entry that a good signature covers. */
  signedTo: z.number(),
  key: z.string().optional(),
  problems: z.array(z.object({ kind: z.string(), seq: z.number(), detail: z.string() })),
  inFlight: z.array(z.object({ op: z.string(), seq: z.number(), time: z.string(), sent: z.literal('unknown') })),
  adopted: z.array(z.object({ from: z.number(), to: z.number() })),
  retiredTo: z.number(),
  externalTo: z.number().optional(),
  tornBytes: z.number(),
})

/** One call from decision to outcome, as the record has it. */
export const TraceStep = z.object({
  op: z.string(),
  seq: z.number(),
  time: z.string(),
  tool: z.string(),
  principal: Principal,
  intent: z.string().optional(),
  /** The first thing it would touch, in words. */
  target: z.string().optional(),
  risk: RiskLevel,
  decision: Decision,
  answer: z
    .object({ allow: z.boolean(), by: z.string().optional(), reason: z.string().optional(), shownAt: z.string().optional() })
    .optional(),
  outcome: DoneEntry.pick({ status: true, code: true, sent: true, effect: true, via: true, verification: true, ms: true }).optional(),
})
export type TraceStep = z.infer<typeof TraceStep>
