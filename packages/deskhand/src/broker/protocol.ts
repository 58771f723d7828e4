import { z } from 'zod'
import type { LinkOptions } from '@deskhand/core/driver'
import { Answer, Mode } from '@deskhand/core/model'

export const BROKER: LinkOptions = { protocol: { name: 'deskhand-broker', version: 1 }, deadCode: 'NO_BROKER' }

const nothing = z.strictObject({})

/** What a client may ask of a broker. */
export const Methods = {
  auth: z.strictObject({ token: z.string().max(200) }),
  info: nothing,
  call: z.strictObject({
    tool: z.string().max(200),
    args: z.unknown(),
    waitMs: z.number().min(0).optional(),
    callId: z.string().max(200).optional(),
    intent: z.string().max(2_000).optional(),
    dryRun: z.boolean().optional(),
  }),
  stop: nothing,
  resume: nothing,
  shutdown: nothing,
  mode: z.strictObject({
    mode: Mode,
    grants: z.array(z.strictObject({ apps: z.array(z.string()).min(1), input: z.enum(['keyboard', 'mouse', 'any']), until: z.number() })).default([]),
  }),
  'approvals.list': nothing,
  'approvals.answer': Answer.omit({ by: true }).extend({ id: z.string() }).strict(),
  'grants.list': nothing,
  'grants.revoke': z.strictObject({ id: z.string() }),
} as const
