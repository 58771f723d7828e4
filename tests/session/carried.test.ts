import { expect, test } from 'vitest'
import { explainCall } from '../../packages/deskhand/src/operator/explain.ts'
import { createPolicy, loadPreset, parsePolicy } from '@deskhand/core/policy'
import { AGENT, desk, element, OPERATOR, window, type TestDesk } from '../support/desk.ts'

const CODE = 'account DE89370400440532013000'
const field = (label: string): Record<string, unknown> => element('text_field', label)
const ui = { windows: [window('Mail', [field('Body')]), window('Vault', [element('label', CODE), field('Memo')])] }
const POLICY = `
[[rule]]
name = "nothing leaves the vault"
toolName = ["ui.type", "ui.drag"]
decision = "deny"
priority = 500
when = { carriedFrom = "vault" }
`
const open = (policy = POLICY): Promise<TestDesk> => desk({ ui, policy })
const decided = async (d: TestDesk) => (await d.journal()).filter((e) => e.type === 'decided')
const copy = (d: TestDesk, text: string) =>
  d.session.call({ tool: 'script.run', kind: 'clipboard_write', args: { text }, principal: AGENT })
const BODY = 'name="Body"'
const MEMO = 'name="Memo"'

test('a text that was read in one application is told as carried when it is typed into another, with where it came from', async () => {
  const d = await open()
  expect(await d.call('ui.type', { target: BODY, text: CODE })).toMatchObject({ status: 'success' })
  const e = await open()
  await e.call('ui.snapshot', { scope: 'desktop' })
  expect(await e.call('ui.type', { target: BODY, text: `their ${CODE}, as asked` })).toMatchObject({
    error: { code: 'DENIED', message: expect.stringContaining('nothing leaves the vault') as string },
  })
  const last = (await decided(e)).at(-1)
  expect(last).toMatchObject({ carried: [{ app: { name: 'vault' }, window: 'Vault' }] })
  expect(last?.risk.factors.map((f) => f.id)).toContain('taint.carried')
})

test('whichever look showed it: a query, a description, the answer to an action', async () => {
  for (const look of [
    ['ui.query', { selector: 'role=label' }],
    ['ui.describe', { element: 'role=label' }],
  ] as const) {
    const d = await open()
    expect(await d.call(look[0], look[1])).toMatchObject({ status: 'success' })
    expect([look[0], (await d.call('ui.type', { target: BODY, text: CODE })).error?.code]).toEqual([look[0], 'DENIED'])
  }
})

test('what stays within an application is not carried, nor are the agent’s own words', async () => {
  const d = await open()
  await d.call('ui.snapshot', { scope: 'desktop' })
  expect(await d.call('ui.type', { target: MEMO, text: CODE })).toMatchObject({ status: 'success' })
  expect(await d.call('ui.type', { target: BODY, text: 'Dear Anna, all is well' })).toMatchObject({ status: 'success' })
  for (const entry of await decided(d)) expect(entry.carried).toBeUndefined()
})

test('key by key and by the clipboard as well: put there by the agent, or copied with keys in the other application', async () => {
  const d = await open()
  await d.call('ui.snapshot', { scope: 'desktop' })
  await d.call('ui.focus', { target: BODY })
  const keys = [...'DE89370400440532013000'].map((c) => c.toLowerCase())
  expect((await d.call('ui.key', { keys })).error?.code).toBe('DENIED')
  expect(await copy(d, CODE)).toMatchObject({ status: 'success' })
  expect((await d.call('ui.key', { target: BODY, keys: 'ctrl+v' })).error?.code).toBe('DENIED')
  expect(await copy(d, 'my own words here')).toMatchObject({ status: 'success' })
  expect(await d.call('ui.key', { target: BODY, keys: 'ctrl+v' })).toMatchObject({ status: 'success' })
  await d.call('ui.type', { target: MEMO, text: 'a plain memo' })
  expect(await d.call('ui.key', { target: MEMO, keys: ['ctrl+a', 'ctrl+c'] })).toMatchObject({ status: 'success' })
  expect((await d.call('ui.key', { target: BODY, keys: 'shift+Insert' })).error?.code).toBe('DENIED')
  expect(await d.call('ui.key', { target: MEMO, keys: 'ctrl+v' })).toMatchObject({ status: 'success' })
})

test('of a clipboard that somebody else filled it is not known, and a denial holds', async () => {
  const d = await open()
  const denied = await d.call('ui.key', { target: BODY, keys: 'ctrl+v' })
  expect(denied.error).toMatchObject({ code: 'DENIED', message: expect.stringContaining('not known') as string })
})

test('a drag from one application to another carries', async () => {
  const d = await open()
  expect((await d.call('ui.drag', { from: MEMO, to: BODY })).error?.code).toBe('DENIED')
  expect((await d.call('ui.drag', { from: MEMO, to: 'role=label' })).error).toBeUndefined()
})

test('an explanation says it, and a hidden application is not named by it', async () => {
  const d = await open()
  await d.session.call({ tool: 'ui.snapshot', kind: 'snapshot', args: { scope: 'desktop' }, principal: OPERATOR })
  const call = { tool: 'ui.type', args: { target: BODY, text: CODE }, as: AGENT.id }
  const rules = [loadPreset('sandbox'), parsePolicy(POLICY, 'test.toml', 'user')].flatMap((f) => f.rules)
  const told = await explainCall({ session: d.session }, createPolicy({ rules }), call)
  expect(told.text).toContain('another application or page: "virtual:vault"')
  expect(told.text).toContain('nothing leaves the vault')
  const hidden = await open(`${POLICY}[[rule]]\ntoolName = "*"\ndecision = "deny"\npriority = 900\nwhen = { app = "vault" }\n`)
  await hidden.session.call({ tool: 'ui.snapshot', kind: 'snapshot', args: { scope: 'desktop' }, principal: OPERATOR })
  const denied = await hidden.call('ui.type', { target: BODY, text: CODE })
  expect(denied.error?.code).toBe('DENIED')
  expect(JSON.stringify(denied).replaceAll('nothing leaves the vault', '')).not.toMatch(/vault/i)
})
