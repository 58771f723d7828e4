import { z } from 'zod'
import type { LinkOptions } from '@deskhand/core/driver'
import { Answer, Mode } from '@deskhand/core/model'
import { isKind } from '../explain.ts'

const MEBIBYTE = 2 ** 20
const LARGEST_ANSWER = 64 * MEBIBYTE

/** Calls are small; answers may hold pictures. */
export const SERVER: LinkOptions = {
  protocol: { name: 'deskhand-broker', version: 1 },
  deadCode: 'NO_BROKER',
  maxFrameBytes: 4 * MEBIBYTE,
  maxSendBytes: LARGEST_ANSWER,
}
export const CLIENT: LinkOptions = { ...SERVER, maxFrameBytes: LARGEST_ANSWER }

const nothing = z.strictObject({})

/** What a client may ask of a broker. */
export const Methods = {
  auth: z.strictObject({ token: z.string().max(200) }),
  info: nothing,
  call: z.strictObject({
    tool: z.string().max(200),
    args: z.unknown().optional(),
    waitMs: z.number().min(0).optional(),
    callId: z.string().max(200).optional(),
    intent: z.string().max(2_000).optional(),
    dryRun: z.boolean().optional(),
    /** Send `progress` with this word while the call runs. */
    progress: z.string().max(100).optional(),
  }),
  stop: nothing,
  /** Scripts wait before their next call until `resume`. */
  pause: nothing,
  resume: nothing,
  shutdown: nothing,
  mode: z.strictObject({
    mode: Mode,
    grants: z
      .array(z.strictObject({ apps: z.array(z.string()).min(1), input: z.enum(['keyboard', 'mouse', 'any']), until: z.number() }))
      .default([]),
  }),
  'approvals.list': nothing,
  'approvals.answer': Answer.omit({ by: true })
    .extend({ id: z.string().max(100), reason: z.string().max(2_000).optional() })
    .strict(),
  /** What the element in question looks like, as a PNG file; nothing where that may not be shown. */
  'approvals.picture': z.strictObject({ id: z.string().max(100) }),
  /** An operator answers in the terminal of these processes: no agent may touch it. */
  'approvals.watch': z.strictObject({ pids: z.array(z.int().min(2)).max(64) }),
  'grants.list': nothing,
  'grants.revoke': z.strictObject({ id: z.string().max(100) }),
  /** A recorded call, again, as the agent `as`. */
  replay: z.strictObject({
    seq: z.int(),
    tool: z.string().max(200),
    kind: z.string().refine(isKind, 'is no action'),
    args: z.unknown().optional(),
    as: z.string().max(100),
    dryRun: z.boolean(),
  }),
  /** What the policy would say to a call of the agent `as`. */
  'policy.explain': z.strictObject({ tool: z.string().max(200), args: z.unknown().optional(), as: z.string().max(100) }),
} as const
