import { z } from 'zod'
import { DeskhandError } from '@deskhand/core/errors'
import type { Principal, Result } from '@deskhand/core/model'
import type { Session } from '@deskhand/core/session'
import type { ControlTool, Tool } from './tool.ts'

const One = z.strictObject({ op: z.string().describe('the id of the operation') })
const Wait = One.extend({ timeoutMs: z.number().int().min(0).max(600_000).default(20_000) })

export const opTools: readonly Tool[] = [
  control('op.wait', Wait, 'Wait for the outcome of a call that is pending or still running.', (s, { op, timeoutMs }, who) =>
    s.operations.wait(op, who, timeoutMs),
  ),
  control('op.status', One, 'How far a call is.', async (s, { op }, who) => answer(op, s.operations.status(op, who))),
  control('op.cancel', One, 'Cancel a call.', async (s, { op }, who) => answer(op, s.operations.cancel(op, who))),
]

function control<I extends z.ZodType>(
  name: string,
  input: I,
  description: string,
  run: (session: Session, args: z.output<I>, who: Principal) => Promise<Result>,
): ControlTool {
  return {
    name,
    toolset: 'op',
    description,
    input,
    readOnly: name !== 'op.cancel',
    control: async (session, args, who) => {
      const read = input.safeParse(args)
      if (!read.success)
        throw new DeskhandError('BAD_ARGS', `${name}: ${read.error.issues.map((i) => `${i.path.join('.')}: ${i.message}`).join('; ')}`)
      return run(session, read.data, who)
    },
  }
}

const answer = (op: string, data: { state: string }): Result => ({
  status: 'success',
  op,
  sent: 'none',
  effect: 'none',
  data,
  text: `${op}: ${data.state}`,
})
