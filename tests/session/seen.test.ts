import { describe, expect, test } from 'vitest'
import type { Approval } from '@deskhand/core/model'
import { desk, element, OPERATOR, window, type TestDesk } from '../support/desk.ts'

const ASKS = '[[rule]]\ntoolName = "ui.click"\ndecision = "ask_user"\npriority = 500\nwhen = { name = "Pay now" }\n'
const paid = { attributes: { on: { click: [{ do: 'increment', element: 'label_paid', format: '{}' }] } } }
const bank = (more: unknown[] = []) => ({
  windows: [
    window('Bank', [
      element('text_field', 'Amount', { value: '10' }),
      element('text_field', 'To', { value: 'Landlord' }),
      element('checkbox', 'Monthly'),
      element('button', 'Pay now', paid),
      element('label', 'Paid', { element_id: 'label_paid', value: 0 }),
      ...more,
    ]),
    window('Notes', [element('text_field', 'Note')]),
  ],
})
const PAY = { target: 'name="Pay now"' }

async function question(d: TestDesk): Promise<Approval> {
  for (;;) {
    const [first] = await d.session.invoke('approvals.list', {}, OPERATOR)
    if (first !== undefined) return first
    await new Promise((r) => setTimeout(r, 5))
  }
}
const allow = (d: TestDesk, { id }: Approval) => d.session.invoke('approvals.answer', { id, allow: true }, OPERATOR).catch(() => {})
const payments = async (d: TestDesk): Promise<string> =>
  JSON.stringify((await d.call('ui.query', { selector: 'virtualId="label_paid"' })).data)

describe('an approval covers what the person saw', () => {
  test('the values of the form are shown with the question', async () => {
    const d = await desk({ ui: bank(), policy: ASKS })
    const coming = d.call('ui.click', PAY)
    const asked = await question(d)
    expect(asked.around).toEqual(
      expect.arrayContaining([
        { label: 'window title', value: 'Bank' },
        { label: 'textbox "Amount"', value: '10' },
        { label: 'textbox "To"', value: 'Landlord' },
      ]),
    )
    await allow(d, asked)
    expect(await coming).toMatchObject({ status: 'success', sent: 'all' })
    expect(await payments(d)).toContain('1')
  })

  test('the attack: 10 to the landlord become 9999 to Mallory while the question waits', async () => {
    const d = await desk({ ui: bank(), policy: ASKS })
    const coming = d.call('ui.click', PAY)
    const asked = await question(d)
    await d.call('ui.type', { target: 'name="Amount"', text: '9999', mode: 'replace' })
    await d.call('ui.type', { target: 'name="To"', text: 'Mallory', mode: 'replace' })
    await allow(d, asked)
    expect(await coming).toMatchObject({ sent: 'none', error: { code: 'TARGET_CHANGED', message: expect.stringContaining('void') } })
    expect(await payments(d)).not.toContain('"value":"1"')
    const again = d.call('ui.click', PAY)
    const second = await question(d)
    expect(second.changed?.join()).toMatch(/Amount.*"10".*"9999"/)
    await d.session.invoke('approvals.answer', { id: second.id, allow: false }, OPERATOR)
    await again
  })

  test.each([
    ['the agent acts in the same window', (d: TestDesk) => d.call('ui.click', { target: 'name="Monthly"' })],
    ['the agent presses a key there', (d: TestDesk) => d.call('ui.key', { target: 'name="To"', keys: 'End' })],
    ['a person changes a value', (d: TestDesk) => human(d, 'Monthly')],
  ])('it is void at once when %s', async (_, change) => {
    const d = await desk({ ui: bank(), policy: ASKS })
    const coming = d.call('ui.click', PAY)
    await question(d)
    await change(d)
    expect(await coming).toMatchObject({ sent: 'none', error: { code: 'TARGET_CHANGED' } })
    expect(await d.session.invoke('approvals.list', {}, OPERATOR)).toEqual([])
  })

  test('input in another window leaves it as it is', async () => {
    const d = await desk({ ui: bank(), policy: ASKS })
    const coming = d.call('ui.click', PAY)
    const asked = await question(d)
    await d.call('ui.type', { target: 'name="Note"', text: 'hello' })
    await allow(d, asked)
    expect(await coming).toMatchObject({ status: 'success' })
  })

  test('a text that changed by itself before is left out, and shown as that', async () => {
    const clock = element('label', 'Clock', {
      element_id: 'clock',
      attributes: { on: { hover: [tick(1), tick(2), tick(3), tick(4)] } },
    })
    const d = await desk({ ui: bank([clock]), policy: ASKS })
    const tell = async (text: string): Promise<void> => {
      const { nodes } = await d.driver.observe.read({}, { signal: new AbortController().signal, deadlineMs: 1_000 })
      const at = nodes.find((n) => n.name?.startsWith(text))?.bounds
      if (at === undefined) throw new Error('there is no clock')
      d.driver.human({ do: 'pointer', events: [{ type: 'move', x: at.x + 1, y: at.y + 1 }] })
      d.driver.human({ do: 'pointer', events: [{ type: 'move', x: 1, y: 1 }] })
    }
    for (let i = 0; i < 3; i++) {
      await tell('Clock')
      await new Promise((r) => setTimeout(r, 250))
      await d.call('ui.snapshot')
    }
    const coming = d.call('ui.click', PAY)
    const asked = await question(d)
    expect(asked.leftOut?.join()).toContain('Clock')
    await tell('Clock')
    await d.call('ui.snapshot')
    await allow(d, asked)
    expect(await coming).toMatchObject({ status: 'success' })
  })
})

const tick = (n: number) => ({ do: 'append', element: 'clock', text: `${n}` })

async function human(d: TestDesk, name: string): Promise<void> {
  const { nodes } = await d.driver.observe.read({}, { signal: new AbortController().signal, deadlineMs: 1_000 })
  const at = nodes.find((n) => n.name === name)?.bounds
  if (at === undefined) throw new Error(`there is no ${name}`)
  d.driver.human({
    do: 'pointer',
    events: [
      { type: 'move', x: at.x + 3, y: at.y + 3 },
      { type: 'down', button: 'left' },
      { type: 'up', button: 'left' },
    ],
  })
}
