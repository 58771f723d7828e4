import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Approval } from '@deskhand/core/model'
import { OPERATOR } from '../support/desk.ts'
import { realDesk, seenTicking, type RealDesk } from '../support/governed.ts'

const ASKS =
  '[[rule]]\ntoolName = "ui.click"\ndecision = "ask_user"\npriority = 500\nwhen = { name = "Pay now", risk = ["low", "medium", "high"] }\n'
const PAY = { target: 'name="Pay now"' }
const dir = mkdtempSync(join(tmpdir(), 'dh-pay-'))
const file = join(dir, 'paid')
const paid = (): string => (existsSync(file) ? readFileSync(file, 'utf8') : '')

let desk: RealDesk

beforeAll(async () => {
  desk = await realDesk({ policy: ASKS, ports: { approver: { expiryMs: 60_000 } } })
  await desk.show('Bank', '/usr/bin/python3', [join(import.meta.dirname, '../fixtures/pay_gtk3.py'), file])
  await seenTicking(desk)
})
afterAll(async () => {
  await desk.close()
  rmSync(dir, { recursive: true, force: true })
})

async function question(): Promise<Approval> {
  for (;;) {
    const [first] = await desk.session.invoke('approvals.list', {}, OPERATOR)
    if (first !== undefined) return first
    await sleep(10)
  }
}
const allow = ({ id }: Approval) => desk.session.invoke('approvals.answer', { id, allow: true }, OPERATOR).catch(() => {})

test('9999 are not paid to Mallory when a person agreed to 10 for the landlord', async () => {
  const coming = desk.call('ui.click', PAY)
  const asked = await question()
  expect(asked.around).toEqual(expect.arrayContaining([{ label: 'textbox "Amount"', value: '10' }]))
  await desk.call('ui.type', { target: 'name="Amount"', text: '9999', mode: 'replace' })
  await desk.call('ui.type', { target: 'name="To"', text: 'Mallory', mode: 'replace' })
  await allow(asked)
  expect(await coming).toMatchObject({ sent: 'none', error: { code: 'TARGET_CHANGED' } })
  expect(paid()).toBe('')
  const again = desk.call('ui.click', PAY)
  const second = await question()
  expect(second.changed?.join()).toMatch(/Amount.*9999/)
  await desk.session.invoke('approvals.answer', { id: second.id, allow: false }, OPERATOR)
  expect(await again).toMatchObject({ sent: 'none' })
  expect(paid()).toBe('')
})

test('a clock that ticked before does not void the question, and is shown as left out', async () => {
  await sleep(1_100)
  await seenTicking(desk)
  const coming = desk.call('ui.click', PAY)
  const asked = await question()
  expect(asked.leftOut?.join()).toContain('ticks')
  await sleep(1_200)
  await allow(asked)
  expect(await coming).toMatchObject({ status: 'success' })
  for (let i = 0; i < 100 && paid() === ''; i++) await sleep(50)
  expect(paid()).toBe('9999 to Mallory\n')
})
