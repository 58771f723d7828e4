import { z } from 'zod'
import { ending } from '@deskhand/core/model'
import { actionTool, controlTool, type Tool } from './tool.ts'

/** Raw input and pictures, for programs that bring their own loop; models have better tools. */
export const inputTools: readonly Tool[] = [
  actionTool('input.pointer', 'input', 'pointer', false, 'Send pointer events: move, down, up, wheel, pause.'),
  actionTool('input.keys', 'input', 'keys', false, 'Send key events: down, up, press, pause.'),
  actionTool('input.capture', 'input', 'capture', true, 'Take a picture of the desktop or of a part of it.'),
  actionTool('input.screens', 'input', 'screens', true, 'The screens, and where the pointer is.'),
  actionTool('input.ask', 'input', 'ask', false, 'Put a question to the operator; the answer is the button they chose, or null.'),
  controlTool(
    {
      name: 'input.questions',
      toolset: 'input',
      description: 'The calls of yours that wait for a person, and what the person is asked.',
      input: z.strictObject({}),
      readOnly: true,
    },
    async (session, _, who) => {
      const own = session.approvals.list().filter(({ principal }) => principal.id === who.id)
      const questions = own.map(({ id, op, tool, summary, risk, expiresAt, question }) => {
        return { id, op, tool, summary, risk: risk.level, expiresAt, answerable: question === undefined && session.trusts(who) }
      })
      return ending({
        status: 'success',
        op: '',
        sent: 'none',
        effect: 'none',
        data: { questions },
        text: questions.map((q) => q.summary).join('\n'),
      })
    },
  ),
]
