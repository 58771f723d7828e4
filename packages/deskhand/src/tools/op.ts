import { z } from 'zod'
import { ending, type Result } from '@deskhand/core/model'
import { controlTool, type Tool } from './tool.ts'

const One = z.strictObject({ op: z.string().describe('operation id') })
const Wait = One.extend({ timeoutMs: z.number().int().min(0).max(600_000).default(20_000) })

export const opTools: readonly Tool[] = [
  controlTool(
    {
      name: 'op.wait',
      toolset: 'op',
      description: 'Wait for the outcome of a call that is pending or still running.',
      input: Wait,
      readOnly: true,
    },
    (session, { op, timeoutMs }, who) => session.operations.wait(op, who, timeoutMs),
  ),
  controlTool(
    { name: 'op.status', toolset: 'op', description: 'How far a call is.', input: One, readOnly: true },
    async (session, { op }, who) => answer(op, session.operations.status(op, who)),
  ),
  controlTool(
    { name: 'op.cancel', toolset: 'op', description: 'Cancel a call.', input: One, readOnly: false },
    async (session, { op }, who) => answer(op, session.operations.cancel(op, who)),
  ),
]

const answer = (op: string, data: { state: string }): Result =>
  ending({ status: 'success', op, sent: 'none', effect: 'none', data, text: `${op}: ${data.state}` })
