import { expect, test } from 'vitest'
import { desk, element, OPERATOR, window } from '../support/desk.ts'

const ASKS = '[[rule]]\ntoolName = "ui.click"\ndecision = "ask_user"\npriority = 900\n'

test('a call that names no time waits for a person as long as the operator set, then says that it is pending', async () => {
  const ui = [window('Form', [element('button', 'Next')])]
  const d = await desk({ ui, policy: ASKS, ports: { approver: { expiryMs: 60_000, waitMs: 50 } } })
  const asked = await d.call('ui.click', { target: 'name="Next"' })
  expect(asked).toMatchObject({ sent: 'none', error: { code: 'APPROVAL_PENDING' } })
  const [question] = d.session.approvals.list()
  await d.session.invoke('approvals.answer', { id: question!.id, allow: true }, OPERATOR)
  expect(await d.call('op.wait', { op: asked.op })).toMatchObject({ status: 'success', sent: 'all' })
  await d.session.close()
})
