import type { Principal, Result } from '@deskhand/core/model'
import { describe, expect, test } from 'vitest'
import { dispatch } from '../../packages/deskhand/src/tools/dispatch.ts'
import { desk, element, OPERATOR, window, type TestDesk } from '../support/desk.ts'

const set = (id: string, more: object): object => ({ do: 'set', element: id, ...more })
const on = (...click: unknown[]): Record<string, unknown> => ({ attributes: { on: { click } } })
const rule = (decision: string, when: string, tool = 'ui.click'): string =>
  `[[rule]]\ntoolName = "${tool}"\ndecision = "${decision}"\npriority = 500\nwhen = { ${when} }\n`
const PRESSED = set('label_n', { label_text: 'PRESSED' })
const isPressed = (d: TestDesk): boolean => JSON.stringify(d.driver.describe()).includes('PRESSED')

/** A form whose button cannot be pressed until "Turn" was, which also does this. */
const form = (...turns: unknown[]): unknown => ({
  windows: [
    window('Form', [
      element('button', 'Ok', { ...on(PRESSED), is_enabled: false }),
      element('label', 'n'),
      element('text_field', 'Name', { is_enabled: false }),
      element('button', 'Turn', on(...turns, set('button_ok', { is_enabled: true }), set('text_field_name', { is_enabled: true }))),
    ]),
  ],
})
const OK = { target: 'name="Ok"', timeoutMs: 10_000 }

/** A call that has to wait is begun, and then things change. */
async function whileItWaits(d: TestDesk, begun: Promise<Result>): Promise<Result> {
  await expect.poll(async () => (await d.journal()).some((e) => e.type === 'decided')).toBe(true)
  expect((await d.call('ui.click', { target: 'name="Turn"' })).status).toBe('success')
  return begun
}

describe('a call that waited is judged as things are when it goes on', () => {
  const PAYMENT = set('form', { label_text: 'Payment' })

  test('a rule for what its window is called by then holds', async () => {
    const d = await desk({ ui: form(PAYMENT), policy: rule('deny', 'window = "Payment", name = "Ok"') })
    expect(await whileItWaits(d, d.call('ui.click', OK))).toMatchObject({ sent: 'none', error: { code: 'DENIED' } })
    expect(isPressed(d)).toBe(false)
  })

  test('a rule that asks by then ends it; called again, a person is asked', async () => {
    const d = await desk({ ui: form(PAYMENT), policy: rule('ask_user', 'window = "Payment", name = "Ok"') })
    expect(await whileItWaits(d, d.call('ui.click', OK))).toMatchObject({ sent: 'none', error: { code: 'TARGET_CHANGED' } })
    expect(isPressed(d)).toBe(false)
    expect((await d.call('ui.click', OK, { waitMs: 60 })).error?.code).toBe('APPROVAL_PENDING')
  })

  test('what else its keys reach by then counts', async () => {
    const wipe = element('button', 'Wipe', { attributes: { shortcut: 'ctrl+shift+p', on: { click: [PRESSED] } } })
    const d = await desk({
      ui: form({ do: 'append', element: 'form', item: wipe }),
      policy: rule('deny', 'name = "Wipe"'),
    })
    const keys = d.call('ui.key', { target: 'name="Name"', keys: 'ctrl+shift+p', timeoutMs: 10_000 })
    expect(await whileItWaits(d, keys)).toMatchObject({ sent: 'none', error: { code: 'DENIED' } })
    expect(isPressed(d)).toBe(false)
  })

  test('it goes on where nothing of that forbids it, also at the last count of a rule that looks back', async () => {
    const d = await desk({
      ui: form(PAYMENT),
      policy: `[[rule]]\ntoolName = "ui.click"\ndecision = "deny"\npriority = 500\nwhen = { name = "Ok", after = { tool = "ui.click", name = "Ok", within = 60 } }\n`,
    })
    expect((await whileItWaits(d, d.call('ui.click', OK))).status).toBe('success')
    expect(isPressed(d)).toBe(true)
    expect((await d.call('ui.click', OK)).error?.code).toBe('DENIED')
  })
})

test('input that was decided before a question was put voids it when it is sent', async () => {
  const ui = {
    windows: [
      window('Form', [
        element('password_field', 'Pin', { is_enabled: false }),
        element('button', 'Pay', on(PRESSED)),
        element('label', 'n'),
      ]),
      window('Other', [element('button', 'Turn', on(set('password_field_pin', { is_enabled: true })))]),
    ],
  }
  const d = await desk({ ui, policy: rule('ask_user', 'name = "Pay"') })
  const typing = d.call('ui.type', { target: 'name="Pin"', text: '9999', timeoutMs: 10_000 })
  await expect.poll(async () => (await d.journal()).some((e) => e.type === 'decided')).toBe(true)
  const pay = d.call('ui.click', { target: 'name="Pay"' })
  await expect.poll(() => d.session.approvals.list()).toHaveLength(1)
  const [question] = d.session.approvals.list()
  expect((await d.call('ui.click', { target: 'name="Turn"' })).status).toBe('success')
  expect((await typing).status).toBe('success')
  expect((await pay).error?.code).toBe('TARGET_CHANGED')
  await expect(d.session.invoke('approvals.answer', { id: question!.id, allow: true, scope: 'once' }, OPERATOR)).rejects.toThrow(/waiting/)
  expect(isPressed(d)).toBe(false)
})

test('code that a desktop asks for runs in the name of the agent whom the rules give least', async () => {
  const ran: unknown[] = []
  const ui = {
    windows: [
      window('App', [
        element('text_area', 'Ed', { element_id: 'ed', value: 'print(1)' }),
        element('button', 'Later', on({ do: 'after', ms: 300, then: [{ do: 'run_code', from: 'ed' }] })),
        element('button', 'Ok'),
      ]),
    ],
  }
  const d = await desk({
    ui,
    policy: '[[rule]]\ntoolName = "code.run"\nsubagent = "agent"\ndecision = "deny"\npriority = 900\n',
    ports: { code: { run: async (job) => (ran.push(job.code), { data: {} }) } },
  })
  d.session.info.can.push = { ok: false, reason: 'so that the simulated clock does not run ahead' }
  await d.call('ui.click', { target: 'name="Later"' })
  d.session.info.can.push = { ok: true }
  const other: Principal = { id: 'other', role: 'agent' }
  await dispatch({ session: d.session }, other, 'ui.click', { target: 'name="Ok"' }, {})
  await d.call('ui.wait', { until: { text: 'nothing of the kind' }, timeoutMs: 1000 })
  await expect.poll(async () => (await d.journal()).some((e) => e.type === 'decided' && e.tool === 'code.run')).toBe(true)
  expect(ran).toEqual([])
})
