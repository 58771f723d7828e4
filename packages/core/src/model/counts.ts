import { z } from 'zod'

/** Where the time of a call goes: `ask` is a person's, `call` is all of it. */
export const PathStep = z.enum(['resolve', 'decide', 'ask', 'read', 'act', 'verify', 'call'])
export type PathStep = z.infer<typeof PathStep>

/** Upper bounds of the classes that times are sorted into, in seconds; what takes longer is in one class more. */
export const TIME_BOUNDS: readonly number[] = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]

/** What happened on a desktop, in numbers. Labels are words of Deskhand's own tables, never of a caller's or of a screen. */
export const Counts = z.object({
  /** Since the session began. */
  counters: z.array(z.object({ name: z.string(), labels: z.record(z.string(), z.string()), value: z.number() })),
  /** As it is now. */
  gauges: z.array(z.object({ name: z.string(), value: z.number() })),
  /** How long each step took: how many calls fell into each class, all of them, and seconds in all. */
  times: z.array(z.object({ step: PathStep, classes: z.array(z.number()), count: z.number(), sum: z.number() })),
})
export type Counts = z.infer<typeof Counts>

/** Where a call comes from, for traces: that of its caller, as W3C Trace Context writes it. */
export const CallOrigin = z.strictObject({
  traceparent: z
    .string()
    .regex(/^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/)
    .optional(),
  face: z.literal('mcp').optional(),
})
export type CallOrigin = z.infer<typeof CallOrigin>
