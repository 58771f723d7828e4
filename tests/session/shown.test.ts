import { describe, expect, test } from 'vitest'
import { AGENT, desk, element, OPERATOR, window, type TestDesk } from '../support/desk.ts'

const ui = { windows: [window('Shop', [element('button', 'Order')])] }
const ASKS = '[[rule]]\ntoolName = "ui.click"\ndecision = "ask_user"\npriority = 500\n'

async function asked(d: TestDesk): Promise<string> {
  for (;;) {
    const [first] = await d.session.invoke('approvals.list', {}, OPERATOR)
    if (first !== undefined) return first.id
    await new Promise((r) => setTimeout(r, 5))
  }
}

describe('whose answer it was', () => {
  test('a question that no person was shown was not asked, and no one is said to have refused', async () => {
    const d = await desk({ ui, policy: ASKS, ports: { approver: { expiryMs: 60 } } })
    const { error } = await d.call('ui.click', { target: 'name="Order"' })
    expect(error).toMatchObject({ code: 'NOT_ASKED', message: expect.stringContaining('never shown') })
    expect(JSON.stringify(error)).not.toMatch(/said no|denied|did not answer/)
    expect((await d.journal()).filter((e) => e.type === 'answered')).toEqual([])
  })

  test('its time runs from when it was shown', async () => {
    let now = Date.UTC(2026, 0, 1)
    const d = await desk({ ui, policy: ASKS, ports: { approver: { expiryMs: 60_000 }, now: () => now } })
    const coming = d.call('ui.click', { target: 'name="Order"' })
    const id = await asked(d)
    now += 59_000
    const shown = await d.session.invoke('approvals.shown', { id }, OPERATOR)
    expect(Date.parse(shown.expiresAt)).toBe(now + 60_000)
    now += 30_000
    // Being shown once more does not start it again.
    expect(await d.session.invoke('approvals.shown', { id }, OPERATOR)).toMatchObject({ expiresAt: shown.expiresAt })
    await d.session.invoke('approvals.answer', { id, allow: true, surface: 'terminal' }, OPERATOR)
    expect(await coming).toMatchObject({ status: 'success' })
    expect((await d.journal()).find((e) => e.type === 'answered')).toMatchObject({
      by: OPERATOR,
      channel: 'program',
      surface: 'terminal',
      shownAt: shown.shownAt,
    })
  })

  test('one that a person saw and left expires, which says so', async () => {
    const d = await desk({ ui, policy: ASKS, ports: { approver: { expiryMs: 150 } } })
    const coming = d.call('ui.click', { target: 'name="Order"' })
    await d.session.invoke('approvals.shown', { id: await asked(d) }, OPERATOR)
    expect((await coming).error).toMatchObject({ code: 'APPROVAL_EXPIRED', message: expect.stringContaining('shown to a person') })
  })

  test('a refusal without the question having been shown is not told as a person’s no', async () => {
    const d = await desk({ ui, policy: ASKS })
    const coming = d.call('ui.click', { target: 'name="Order"' })
    await d.session.invoke('approvals.answer', { id: await asked(d), allow: false, surface: 'program' }, OPERATOR)
    const { error } = await coming
    expect(error).toMatchObject({ code: 'APPROVAL_DENIED', message: expect.stringContaining('without being shown to a person') })
    expect(error?.message).not.toContain('said no')
    const again = d.call('ui.click', { target: 'name="Order"' })
    const id = await asked(d)
    await d.session.invoke('approvals.shown', { id }, OPERATOR)
    await d.session.invoke('approvals.answer', { id, allow: false }, OPERATOR)
    expect((await again).error?.message).toContain('operator said no')
  })

  test('only an operator can say that it was shown, or by which way they answer', async () => {
    const d = await desk({ ui, policy: ASKS })
    void d.call('ui.click', { target: 'name="Order"' })
    const id = await asked(d)
    await expect(d.session.invoke('approvals.shown', { id }, AGENT)).rejects.toMatchObject({ code: 'UNAUTHORIZED' })
    const forged = { id, allow: true, channel: 'socket' } as { id: string; allow: boolean }
    await expect(d.session.invoke('approvals.answer', forged, OPERATOR)).rejects.toMatchObject({ code: 'BAD_ARGS' })
    await d.session.close()
  })
})
