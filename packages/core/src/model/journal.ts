import { z } from 'zod'
import { Surface } from './approval.ts'
import { Route } from './delivery.ts'
import { PlaybookStamp } from './playbook.ts'
import { Decision, Risk } from './policy.ts'
import { Principal } from './principal.ts'
import { Result } from './result.ts'
import { TargetFacts, TextSource } from './target.ts'

const op = z.string()

const decided = z.object({
  type: z.literal('decided'),
  op,
  callId: z.string().optional(),
  /** A keyed digest of the call, where it has a callId: the same id for another call can be told after a crash too. */
  call: z.string().optional(),
  tool: z.string(),
  kind: z.string(),
  /** Where it was judged: the kind of desktop, the driver and the mode. */
  setting: z.object({ desktop: z.string(), driver: z.string(), mode: z.string() }),
  /** Redacted where the call, a rule or the field's role asks for it. */
  args: z.unknown(),
  /** SHA-256 of the code that a call would run, also where the code itself is not kept. */
  codeHash: z.string().optional(),
  principal: Principal,
  intent: z.string().optional(),
  origin: z.object({ script: z.string(), line: z.number() }).optional(),
  /** The playbook that it was a step of. */
  playbook: PlaybookStamp.optional(),
  /** Resolved and decided only; nothing follows. */
  dryRun: z.boolean().optional(),
  targets: z.array(TargetFacts),
  /** Where the text came from that it enters, where that was elsewhere. */
  carried: z.array(TextSource).optional(),
  /** Keys and buttons that were down already, and what a button had been pressed on. */
  held: z.object({ keys: z.array(z.string()).readonly(), from: TargetFacts.optional() }).optional(),
  /** The way that was judged after an earlier one could not be taken; the decision stands beside the first one of the same call. */
  route: Route.optional(),
  risk: Risk,
  decision: Decision,
  policy: z.string(),
})

const answered = z.object({
  type: z.literal('answered'),
  op,
  approval: z.string(),
  allow: z.boolean(),
  scope: z.string(),
  reason: z.string().optional(),
  /** Which of a question's buttons was pressed; what a person typed is not kept. */
  button: z.string().optional(),
  by: Principal.optional(),
  /** The transport of the answer, and what the person used, as their client says. */
  channel: z.string().optional(),
  surface: Surface.optional(),
  /** When the question was first before a person; absent when it never was. */
  shownAt: z.string().optional(),
  digest: z.string(),
})

/** Durable before any input. Without its `done`, what was sent is unknown. */
const acting = z.object({ type: z.literal('acting'), op, steps: z.array(z.string()), digest: z.string().optional() })

/** Durable before the answer. */
export const DoneEntry = z.object({
  type: z.literal('done'),
  op,
  status: z.enum(['success', 'error']),
  code: z.string().optional(),
  sent: Result.shape.sent,
  effect: Result.shape.effect,
  via: z.string().optional(),
  verification: Result.shape.verification,
  evidence: Result.shape.evidence,
  ms: z.number(),
})

const operator = z.object({ type: z.literal('operator'), what: z.string(), by: Principal, detail: z.unknown().optional() })
const human = z.object({
  type: z.literal('human'),
  from: z.string(),
  to: z.string(),
  pointerEvents: z.number(),
  keyEvents: z.number(),
  touched: z.array(z.string()),
})
const rejected = z.object({ type: z.literal('rejected'), tool: z.string(), principal: Principal, code: z.string(), message: z.string() })
const checkpoint = z.object({
  type: z.literal('checkpoint'),
  why: z.enum(['opened', 'interval', 'rotated', 'closed']),
  /** Entries before this one, and the hash of the line before it. */
  entries: z.number(),
  head: z.string(),
  key: z.string().optional(),
  signature: z.string().optional(),
  detail: z.unknown().optional(),
})

export const EntryBody = z.discriminatedUnion('type', [decided, answered, acting, DoneEntry, operator, human, rejected, checkpoint])
export type EntryBody = z.infer<typeof EntryBody>
export const EntryType = z.enum(['decided', 'answered', 'acting', 'done', 'operator', 'human', 'rejected', 'checkpoint'])
export type EntryType = EntryBody['type']

/** One line of the journal. */
export const JournalEntry = z.intersection(
  z.object({
    v: z.literal(1),
    seq: z.number(),
    time: z.string(),
    /** The hash over the raw bytes of the line before. */
    prev: z.string(),
    /** The URN of the desktop that this is about; entries of version 0.1.0 have none. */
    desktop: z.string().optional(),
  }),
  EntryBody,
)
export type JournalEntry = z.infer<typeof JournalEntry>
