import { expect, test } from 'vitest'
import type { Approval } from '@deskhand/core/model'
import { desk, element, OPERATOR, window, type TestDesk } from '../support/desk.ts'

const ASKS = '[[rule]]\ntoolName = "ui.drag"\ndecision = "ask_user"\npriority = 500\nwhen = { risk = ["low", "medium", "high"] }\n'
const ui = {
  windows: [
    { ...window('Files', [element('label', 'contract.pdf')]), bounds_relative: [0, 0, 0.4, 0.4] },
    {
      ...window('Mail', [element('text_field', 'To', { value: 'anna@here' }), element('text_field', 'Attachments')]),
      bounds_relative: [0.5, 0, 0.4, 0.4],
    },
  ],
}
const DRAG = { from: 'name="contract.pdf"', to: 'name="Attachments"' }

async function question(d: TestDesk): Promise<Approval> {
  await expect.poll(() => d.session.approvals.list()).toHaveLength(1)
  return d.session.approvals.list()[0]!
}

test('a person who allows a drag is shown where it ends, and what changes there voids the answer', async () => {
  for (const [change, outcome] of [
    [undefined, { status: 'success' }],
    [(d: TestDesk) => d.driver.set('text_field_to', 'mallory@there'), { sent: 'none', error: { code: 'TARGET_CHANGED' } }],
    [
      (d: TestDesk) => d.call('ui.type', { target: 'name="To"', text: 'mallory@there', mode: 'replace' }),
      { sent: 'none', error: { code: 'TARGET_CHANGED' } },
    ],
  ] as const) {
    const d = await desk({ ui, policy: ASKS })
    const coming = d.call('ui.drag', DRAG)
    const asked = await question(d)
    expect(asked.around).toEqual(
      expect.arrayContaining([
        { label: 'window title', value: 'Files' },
        { label: 'window title', value: 'Mail' },
        { label: 'textbox "To"', value: 'anna@here' },
      ]),
    )
    await change?.(d)
    await d.session.invoke('approvals.answer', { id: asked.id, allow: true }, OPERATOR).catch(() => {})
    const done = await coming
    expect(done, done.error?.message).toMatchObject(outcome)
    await d.session.close()
  }
})
