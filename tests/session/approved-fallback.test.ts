import { expect, test } from 'vitest'
import { AGENT, desk, element, OPERATOR, window, type TestDesk } from '../support/desk.ts'

const ASK = '[[rule]]\ntoolName = "ui.click"\ndecision = "ask_user"\npriority = 500\n[rule.when]\nname = ["Draft", "Send"]\n'
const counts = (id: string) => ({ attributes: { on: { click: [{ do: 'set', element: id, label_text: 'pressed' }] } } })
const ui = {
  windows: [
    window('Mail', [
      element('button', 'Draft', counts('label_draft')),
      element('button', 'Send', counts('label_send')),
      element('label', 'Draft state', { element_id: 'label_draft' }),
      element('label', 'Send state', { element_id: 'label_send' }),
    ]),
    window('Other', [
      element('button', 'Remove', { attributes: { on: { click: [{ do: 'set', element: 'button_draft', label_text: 'Gone' }] } } }),
    ]),
  ],
}
const EITHER = { target: 'name="Draft" ?? name="Send"', timeoutMs: 500 }

const pressed = (d: TestDesk): number => JSON.stringify(d.driver.describe()).split('"pressed"').length - 1

async function asked(d: TestDesk): Promise<string> {
  await expect.poll(() => d.session.approvals.list()).toHaveLength(1)
  return d.session.approvals.list()[0]!.id
}
const allow = (d: TestDesk, id: string) => d.session.invoke('approvals.answer', { id, allow: true, scope: 'once' }, OPERATOR)

test('an answer for the first of two names is none for the second, when the first is gone by then', async () => {
  const d = await desk({ ui, policy: ASK })
  const running = d.call('ui.click', EITHER)
  const id = await asked(d)
  expect(d.session.approvals.list()[0]?.targets[0]?.name).toBe('Draft')
  await d.session.call({ tool: 'ui.click', kind: 'click', args: { target: 'name="Remove"' }, principal: OPERATOR })
  await allow(d, id).catch(() => {})
  expect((await running).status).toBe('error')
  expect(pressed(d)).toBe(0)
  // The same call now means the other one, and that is a question of its own.
  const again = d.call('ui.click', EITHER)
  const next = await asked(d)
  expect(d.session.approvals.list()[0]?.targets[0]?.name).toBe('Send')
  expect(pressed(d)).toBe(0)
  await allow(d, next)
  expect((await again).status).toBe('success')
  expect(pressed(d)).toBe(1)
})

test('a grant for the first of two names does not carry over to the second', async () => {
  const d = await desk({ ui, policy: ASK })
  const running = d.call('ui.click', EITHER)
  await d.session.invoke('approvals.answer', { id: await asked(d), allow: true, scope: 'once' }, OPERATOR)
  expect((await running).status).toBe('success')
  await d.session.call({ tool: 'ui.click', kind: 'click', args: { target: 'name="Remove"' }, principal: OPERATOR })
  const again = d.session.start({ tool: 'ui.click', kind: 'click', args: EITHER, principal: AGENT })
  await asked(d)
  expect(pressed(d)).toBe(1)
  await d.session.invoke('approvals.answer', { id: await asked(d), allow: false, scope: 'once' }, OPERATOR)
  expect((await again.result).error?.code).toBe('APPROVAL_DENIED')
})
