import { z } from 'zod'
import { Answer, Approval } from './approval.ts'
import { HumanState } from './human.ts'
import { EntryBody } from './journal.ts'
import { Mode, Principal } from './principal.ts'

/** A call under way or just ended. */
export const OperationStatus = z.object({
  op: z.string(),
  tool: z.string(),
  principal: Principal,
  state: z.enum(['running', 'waiting', 'done']),
  /** The approval it waits for. */
  approval: z.string().optional(),
  startedAt: z.string(),
})
export type OperationStatus = z.infer<typeof OperationStatus>

const EventBody = z.discriminatedUnion('type', [
  /** An entry of the record, by its sequence number. */
  z.object({ type: z.literal('journal'), seq: z.number(), entry: EntryBody }),
  /** A question: asked, with its picture, before a person, answered, or void with the reason. */
  z.object({
    type: z.literal('approval'),
    state: z.enum(['asked', 'pictured', 'shown', 'answered', 'void']),
    approval: Approval,
    answer: Answer.optional(),
    error: z.object({ code: z.string(), message: z.string() }).optional(),
  }),
  z.object({ type: z.literal('operation'), operation: OperationStatus }),
  z.object({ type: z.literal('mode'), mode: Mode }),
  z.object({ type: z.literal('control'), stopped: z.boolean(), paused: z.boolean() }),
  z.object({ type: z.literal('human'), human: HumanState }),
  z.object({ type: z.literal('driver'), state: z.enum(['restarted', 'changed', 'failed']), message: z.string().optional() }),
  /** The session's tree is another one than at the last such event. */
  z.object({ type: z.literal('tree'), generation: z.number() }),
  /** The listener was too slow or comes from another life of the desktop: `from` up to before `next` is lost to it. */
  z.object({ type: z.literal('missed'), from: z.string(), next: z.string() }),
])
export type EventBody = z.infer<typeof EventBody>

/** One event of a desktop's feed. Ids are ordered within one life of the desktop. */
export const DesktopEvent = z.intersection(z.object({ id: z.string(), time: z.string() }), EventBody)
export type DesktopEvent = z.infer<typeof DesktopEvent>
