import { z } from 'zod'
import { Point, Rect } from './geometry.ts'
import { Decision, Risk } from './policy.ts'

export const SentLevel = z.enum(['none', 'partial', 'all', 'unknown'])

export const Retry = z.enum(['safe', 'observe_first', 'never'])
export type Retry = z.infer<typeof Retry>

/**
 * confirmed: a stated or implied post-condition on the target was observed. changed: something changed, not attributable.
 * unverified: no look was possible. no_effect: nothing changed. refused: nothing was sent. none: a read.
 */
export const Effect = z.enum(['confirmed', 'changed', 'unverified', 'no_effect', 'refused', 'none'])
export type Effect = z.infer<typeof Effect>

export const ResolvedTarget = z.object({
  elementId: z.string().optional(),
  role: z.string(),
  name: z.string().optional(),
  bounds: Rect.optional(),
  confidence: z.number(),
  why: z.array(z.string()).optional(),
  app: z.string().optional(),
  window: z.string().optional(),
})
export type ResolvedTarget = z.infer<typeof ResolvedTarget>

/** What the target's window looked like, by the names under which it is kept; or why no picture of it is. */
const Witnessed = z.object({ outline: z.string().optional(), picture: z.string().optional(), withheld: z.string().optional() })

/** The common record of every call. */
export const Result = z.object({
  status: z.enum(['success', 'error']),
  op: z.string(),
  /** The URN of the desktop. */
  desktop: z.string().optional(),
  driver: z.object({ name: z.string(), kind: z.string(), version: z.string() }).optional(),
  resolvedTarget: ResolvedTarget.optional(),
  sent: SentLevel,
  /** Whether the same call may be sent again: at once, after a look, or not at all. */
  retry: Retry,
  effect: Effect,
  /** Which way the driver took: pointer, action:press, EditableText, … */
  via: z.string().optional(),
  verification: z.object({ passed: z.boolean(), details: z.string() }).optional(),
  evidence: z
    .object({
      snapshotId: z.string().optional(),
      screenshotHash: z.string().optional(),
      cropHash: z.string().optional(),
      /** How many areas of the picture are masked, or fields told without what they hold, by the reason. */
      redactions: z
        .partialRecord(z.enum(['password', 'private', 'hidden', 'covered', 'unread', 'hung', 'treeless']), z.number())
        .optional(),
      before: Witnessed.optional(),
      after: Witnessed.optional(),
    })
    .optional(),
  decision: Decision.optional(),
  risk: Risk.optional(),
  data: z.unknown().optional(),
  /** Encoded pictures; `origin` and `scale` map their pixels to the desktop. */
  images: z
    .array(
      z.object({
        id: z.string(),
        mimeType: z.string(),
        width: z.number(),
        height: z.number(),
        origin: Point,
        scale: z.number(),
        data: z.custom<Uint8Array>((v) => v instanceof Uint8Array),
      }),
    )
    .optional(),
  /** What a model reads. Text from the screen inside it is quoted and untrusted. */
  text: z.string().optional(),
  error: z
    .object({
      code: z.string(),
      message: z.string(),
      next: z.string(),
      retry: Retry,
      details: z.unknown().optional(),
    })
    .optional(),
})
export type Result = z.infer<typeof Result>
