import { expect, test } from 'vitest'
import type { HumanSettings } from '@deskhand/core/session'
import { AGENT, desk, element, OPERATOR, window, type TestDesk } from '../support/desk.ts'

const SETTINGS: HumanSettings = { mode: 'enforce', idleMs: 60, waitMs: 5_000, corner: true }
const open = (settings: Partial<HumanSettings> = {}): Promise<TestDesk> =>
  desk({
    ui: { windows: [window('Form', [element('text_field', 'Name'), element('button', 'Send')])] },
    ports: { human: { ...SETTINGS, ...settings } },
  })
const moves = (d: TestDesk, x = 300, y = 200): void => d.driver.human({ do: 'pointer', events: [{ type: 'move', x, y }] })
const humans = async (d: TestDesk) => (await d.journal()).filter((e) => e.type === 'human')

test('a call waits for a person to leave, then is carried out; the visit is in the record', async () => {
  const d = await open()
  moves(d)
  await expect.poll(() => d.session.state.human.paused).toBe(true)
  expect(await d.call('ui.click', { target: 'name="Send"' })).toMatchObject({ status: 'success' })
  expect(await humans(d)).toMatchObject([{ pointerEvents: 1, keyEvents: 0, touched: [] }])
  await d.session.close()
})

test('a call whose deadline passes meanwhile says who is there, and sent nothing', async () => {
  const d = await open({ idleMs: 3_600_000 })
  d.driver.human({ do: 'text', text: 'secret words' })
  const refused = await d.call('ui.click', { target: 'name="Send"', timeoutMs: 50 })
  expect(refused).toMatchObject({ status: 'error', sent: 'none', effect: 'refused', error: { code: 'HUMAN_AT_CONTROLS' } })
  expect(refused.error?.next).toContain('deskhand resume')
  await d.session.invoke('resume', {}, OPERATOR)
  expect(await d.call('ui.click', { target: 'name="Send"', timeoutMs: 50 })).toMatchObject({ status: 'success' })
  await d.session.close()
  expect(await humans(d)).toMatchObject([{ keyEvents: 24 }])
  expect(JSON.stringify(await d.journal())).not.toContain('secret words')
})

test('who comes between the decision and the first event is noticed by the driver, before anybody told', async () => {
  const d = await open({ idleMs: 100 })
  const calling = d.call('ui.type', { target: 'name="Name"', text: 'hello' })
  moves(d)
  expect(await calling).toMatchObject({ status: 'success' })
  expect(d.driver.describe().find((e) => e.element_id === 'form')?.children?.[0]).toMatchObject({ value: 'hello' })
  await d.session.close()
})

test('a person at the controls keeps nobody from looking', async () => {
  const d = await open({ idleMs: 3_600_000 })
  moves(d)
  await expect.poll(() => d.session.state.human.paused).toBe(true)
  expect(await d.call('ui.snapshot')).toMatchObject({ status: 'success' })
  expect((await d.call('ui.capabilities')).text).toMatch(/person at the controls: since .*so input waits \(mode enforce\)/)
  await d.session.close()
})

test('off means off: nothing waits and nothing is recorded, and a corner is a place', async () => {
  const d = await open({ mode: 'off', corner: false })
  moves(d, 0, 0)
  expect(await d.call('ui.click', { target: 'name="Send"' })).toMatchObject({ status: 'success' })
  expect(d.session.state.stopped).toBe(false)
  expect(await humans(d)).toEqual([])
  await d.session.close()
})

test('the corner stops a desktop, and an agent cannot resume it', async () => {
  const d = await open({ mode: 'off' })
  moves(d, 0, 0)
  await expect.poll(() => d.session.state.stopped).toBe(true)
  expect(await d.call('ui.click', { target: 'name="Send"' })).toMatchObject({ error: { code: 'STOPPED' } })
  await expect(d.session.invoke('resume', {}, AGENT)).rejects.toMatchObject({ code: 'UNAUTHORIZED' })
  await d.session.invoke('resume', {}, OPERATOR)
  expect(await d.call('ui.click', { target: 'name="Send"' })).toMatchObject({ status: 'success' })
  await d.session.close()
})
