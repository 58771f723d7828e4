import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { element, window } from '../support/desk.ts'
import { handled } from '../support/handled.ts'
import { httpWorld, type HttpWorld } from '../support/http.ts'

const UI = {
  windows: [window('Bank', [element('button', 'Pay'), element('text_field', 'Pin', { value: '8642', attributes: { password: true } })])],
}
const ASK = '[[rule]]\ntoolName = "ui.click"\ndecision = "ask_user"\npriority = 900\n'
const dir = mkdtempSync(join(tmpdir(), 'dh-remote-'))
let world: HttpWorld
beforeAll(async () => {
  writeFileSync(join(dir, 'ui.json'), JSON.stringify(UI))
  writeFileSync(join(dir, 'ask.toml'), ASK)
  world = await httpWorld([{ desktop: { ui: join(dir, 'ui.json') }, policy: { files: [join(dir, 'ask.toml')] } }])
})
afterAll(async () => {
  await world.close()
  rmSync(dir, { recursive: true })
})

const desk = '/desktops/virtual'
const click = () =>
  handled(world.ask('POST', `${desk}/tools/ui.click`, { as: 'agent', body: { args: { target: 'name="Pay"' }, intent: 'pay the rent' } }))

test('a person and a program far away see the redacted snapshot, the waiting questions and every step, and nobody else does', async () => {
  const asked = click()
  await expect.poll(async () => (await world.ask('GET', `${desk}/approvals`, { as: 'viewer' })).json.length).toBe(1)
  const [question] = (await world.ask('GET', `${desk}/approvals`, { as: 'operator' })).json
  expect(question).toMatchObject({ tool: 'ui.click', summary: expect.stringContaining('Pay') })
  const snapshot = await world.ask('GET', `${desk}/snapshot`, { as: 'viewer' })
  expect(snapshot).toMatchObject({ status: 200, text: expect.stringContaining('Pay') })
  expect(snapshot.text).not.toContain('8642')
  expect(await world.ask('POST', `${desk}/approvals/${question.id}/shown`, { as: 'operator' })).toMatchObject({ status: 200 })
  expect(await world.ask('POST', `${desk}/approvals/${question.id}/answer`, { as: 'viewer', body: { allow: true } })).toMatchObject({
    status: 403,
  })
  expect(
    await world.ask('POST', `${desk}/approvals/${question.id}/answer`, { as: 'operator', body: { allow: true, surface: 'console' } }),
  ).toMatchObject({
    status: 200,
  })
  expect(await asked).toMatchObject({ status: 200, json: { status: 'success' } })
  const { json } = await world.ask('GET', `${desk}/trace`, { as: 'viewer' })
  expect(json.find((step: { tool: string }) => step.tool === 'ui.click')).toMatchObject({
    intent: 'pay the rent',
    target: 'button "Pay"',
    decision: { verdict: 'ask_user' },
    answer: { allow: true, by: 'operator', shownAt: expect.any(String) },
    outcome: { status: 'success', sent: 'all' },
  })
  const [answered] = (await world.ask('GET', `${desk}/journal?types=answered`, { as: 'operator' })).json
  expect(answered).toMatchObject({ channel: 'http', surface: 'console' })
  for (const path of ['/trace', '/approvals']) expect((await world.ask('GET', `${desk}${path}`, { as: 'agent' })).status).toBe(403)
})

test('of two operators the first to answer wins, and the other is told', async () => {
  const asked = click()
  const waiting = async () => (await world.ask('GET', `${desk}/approvals`, { as: 'operator' })).json
  await expect.poll(async () => (await waiting()).length).toBe(1)
  const [{ id }] = await waiting()
  const answer = (allow: boolean) =>
    world.ask('POST', `${desk}/approvals/${id}/answer`, { as: 'operator', body: { allow, reason: 'not today' } })
  const first = await answer(false)
  const second = await answer(true)
  expect([first.status, second.status === 200]).toEqual([200, false])
  expect(await asked).toMatchObject({ status: 403, json: { code: 'APPROVAL_DENIED', detail: expect.stringContaining('not today') } })
})

test('an operator tries a policy on the record before it counts, and hears what is doubtful about it', async () => {
  const text = '[[rule]]\ntoolName = "ui.click"\ndecision = "deny"\npriority = 999\n'
  const { json } = await world.ask('POST', `${desk}/policy/trial`, { as: 'operator', body: { text } })
  expect(json.calls[0]).toMatchObject({
    op: expect.any(String),
    target: { name: expect.any(String) },
    tool: 'ui.click',
    was: { verdict: 'ask_user' },
    now: { verdict: 'deny' },
    differs: true,
  })
  expect(json).not.toHaveProperty('next')
  const pages = []
  for (let before: number | undefined; pages.length === 0 || before !== undefined; before = pages.at(-1).next)
    pages.push((await world.ask('POST', `${desk}/policy/trial`, { as: 'operator', body: { text, before, limit: 1 } })).json)
  expect(pages.flatMap((page) => page.calls)).toEqual(json.calls.toReversed())
  expect(pages.reduce((sum, page) => sum + page.read, 0)).toBe(json.read)
  expect(
    (await world.ask('POST', `${desk}/policy/check`, { as: 'operator', body: { text: text.replace('ui.click', 'ui.clck') } })).json,
  ).toMatchObject([{ severity: 'warning', message: expect.stringContaining('ui.click') }])
  const rules = (await world.ask('GET', `${desk}/policy`, { as: 'viewer' })).json.rules
  expect(rules).toContainEqual(expect.objectContaining({ source: expect.objectContaining({ tier: 'user', line: 1 }) }))
})

test('the record is searched, read from its end and verified', async () => {
  const newest = (await world.ask('GET', `${desk}/journal?newest=true&limit=3`, { as: 'viewer' })).json.map((e: { seq: number }) => e.seq)
  expect(newest).toEqual([newest[0], newest[0] - 1, newest[0] - 2])
  const found = (await world.ask('GET', `${desk}/journal?text=PAY%20THE%20RENT&types=decided`, { as: 'viewer' })).json
  expect(found.map((e: { tool: string }) => e.tool)).toEqual(['ui.click', 'ui.click'])
  const { op } = found[0]
  const story = (await world.ask('GET', `${desk}/journal?op=${op}`, { as: 'viewer' })).json.map((e: { type: string }) => e.type)
  expect(story).toEqual(['decided', 'answered', 'acting', 'done'])
  expect((await world.ask('GET', `${desk}/journal/verification`, { as: 'viewer' })).json).toMatchObject({ ok: true, problems: [] })
})
