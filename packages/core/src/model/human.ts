import { z } from 'zod'

/** Whether a person is at the controls of a desktop, and what that means for agents. */
export const HumanState = z.object({
  mode: z.enum(['off', 'audit', 'enforce']),
  idleSeconds: z.number(),
  corner: z.boolean(),
  /** Since when they have been there. */
  since: z.string().optional(),
  /** Whether agents wait because of that. */
  paused: z.boolean(),
  /** The operator who operates the desktop through its picture, until they hand back. */
  takenBy: z.string().optional(),
})
export type HumanState = z.infer<typeof HumanState>
