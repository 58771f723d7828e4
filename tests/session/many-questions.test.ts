import { expect, test } from 'vitest'
import type { Approval } from '@deskhand/core/model'
import { desk, element, OPERATOR, window, type TestDesk } from '../support/desk.ts'

const counting = { attributes: { on: { click: [{ do: 'increment', element: 'label_n', format: '{}' }] } } }
const ui = {
  windows: [
    window('Pay', [
      element('text_field', 'Amount', { value: '10' }),
      element('button', 'Pay now', counting),
      element('label', 'n', { value: 0 }),
    ]),
    { ...window('Other', [element('button', 'Other')]), bounds_relative: [0.7, 0.7, 0.2, 0.2] },
  ],
}
const ASKS = '[[rule]]\ntoolName = "ui.click"\ndecision = "ask_user"\npriority = 500\nwhen = { risk = ["low", "medium", "high"] }\n'
const MANY = 120

/** The question that waits beside these. */
async function next({ session }: TestDesk, ...known: Approval[]): Promise<Approval> {
  const others = (): Approval[] => session.approvals.list().filter(({ id }) => !known.some((one) => one.id === id))
  await expect.poll(others, { interval: 2 }).toHaveLength(1)
  return others()[0]!
}

test('an answer stays bound to what was shown, however many other questions were put and answered meanwhile', async () => {
  const d = await desk({ ui, policy: ASKS, ports: { approver: { expiryMs: 60_000 } } })
  const answer = (id: string, allow: boolean): Promise<unknown> =>
    d.session.invoke('approvals.answer', { id, allow, scope: 'once' }, OPERATOR)
  const pay = d.call('ui.click', { target: 'name="Pay now"' }, { waitMs: 60_000 })
  const asked = await next(d)
  for (let i = 0; i < MANY; i++) {
    const other = d.call('ui.click', { target: 'name="Other"' }, { waitMs: 60_000 })
    await answer((await next(d, asked)).id, false)
    expect((await other).error?.code).toBe('APPROVAL_DENIED')
  }
  expect((await d.call('ui.type', { target: 'name="Amount"', text: '9999', mode: 'replace' })).error).toBeUndefined()
  await answer(asked.id, true).catch(() => {})
  expect(await pay).toMatchObject({ sent: 'none', error: { code: 'TARGET_CHANGED' } })
  expect(d.driver.describe()[0]?.children?.[2]?.label_text).toBe('n')
  await d.session.close()
})
