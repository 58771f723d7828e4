import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { serious } from '../support/axe.ts'
import { ConsoleWorld } from '../support/console.ts'

const RULES = `
[[rule]]
name = "archiving asks"
toolName = "ui.click"
decision = "ask_user"
priority = 600
[rule.when]
name = ["Archive", "Already paid"]
`

let on: ConsoleWorld
beforeAll(async () => void (on = await ConsoleWorld.open(RULES)))
afterAll(() => on?.end())

const savedRules = (): string => readFileSync(join(on.up.ready.journal, '../rules.toml'), 'utf8')
const changes = async () => (await on.journal()).filter((entry) => entry['type'] === 'operator' && entry['what'] === 'policy')

test('the element in question is outlined in its picture, where it really lies', async () => {
  const asked = on.call('ui.click', { target: 'name="Archive"' })
  const card = on.page.getByRole('article')
  const picture = card.getByRole('img', { name: /outlined/ })
  await picture.waitFor()
  const { data } = await on.call('ui.query', { selector: 'name="Archive"' })
  const [{ bounds }] = (data as { matches: [{ bounds: { x: number; y: number; w: number; h: number } }] }).matches
  const shown = (await picture.boundingBox())!
  const mark = (await card.locator('.mark').boundingBox())!
  expect(mark.width / mark.height).toBeCloseTo(bounds.w / bounds.h, 0)
  // The picture has 60 pixels around the element, but where its window ends before.
  const scale = mark.width / bounds.w
  expect((mark.x - shown.x) / scale).toBeLessThan(62)
  expect(mark.x).toBeGreaterThanOrEqual(shown.x - 1)
  expect(mark.y + mark.height).toBeLessThanOrEqual(shown.y + shown.height + 1)
  await expect.poll(() => card.textContent()).toContain('presses something')
  const [question] = JSON.parse((await on.world.run(['approvals', 'list', '--json'])).out) as { id: string }[]
  await on.world.run(['approvals', 'deny', question!.id])
  expect(await asked).toMatchObject({ error: { code: 'APPROVAL_DENIED' } })
})

test('an answer becomes a rule: the call is done, the rule is in a file, and the next such call is not asked about', async () => {
  const asked = on.call('ui.click', { target: 'name="Already paid"' })
  const card = on.page.getByRole('article').filter({ hasText: 'Already paid' })
  await card.getByRole('button', { name: 'Allow for longer' }).click()
  await on.page.getByRole('menuitem', { name: /Make a rule/ }).click()
  const dialog = on.page.getByRole('dialog')
  await expect.poll(() => dialog.getByRole('textbox').inputValue()).toContain('name = "Already paid"')
  await dialog.getByText('would have allowed 1').waitFor()
  // Agents can be stopped while it is open, and the question's time is in sight.
  expect(await dialog.getByRole('timer').textContent()).toMatch(/^refused in/)
  await on.page.getByRole('button', { name: 'Stop' }).click({ trial: true })
  await dialog.getByRole('button', { name: 'Allow this call and save the rule' }).click()
  await dialog.waitFor({ state: 'detached' })
  expect(await asked).toMatchObject({ status: 'success', effect: 'confirmed' })
  expect(savedRules()).toContain('decision = "allow"')
  expect(await on.call('ui.click', { target: 'name="Already paid"' })).toMatchObject({ status: 'success', effect: 'confirmed' })
  expect(await changes()).toMatchObject([{ by: { role: 'operator' }, detail: { text: savedRules() } }])
})

test('each rule says how often it decided in the whole record, and which preset lies below them', async () => {
  await on.page.goto(`${on.up.ready.url}/policy`)
  const decided = (await on.journal()).filter(
    (entry) => (entry['decision'] as { rule?: { name?: string } })?.rule?.name === 'archiving asks',
  )
  const row = on.page.getByRole('row', { name: /archiving asks/ })
  await expect.poll(() => row.getByRole('cell').last().textContent()).toBe(String(decided.length))
  expect(decided.length).toBeGreaterThan(1)
  const presets = on.page.getByRole('region', { name: 'Presets' })
  await expect.poll(() => presets.textContent()).toMatch(/sandbox in force.*unattended/)
})

test('a step of the record becomes a rule, which stands beside the rules that were saved before', async () => {
  await on.call('ui.type', { target: 'name="Customer"', text: 'Ada' })
  await on.page.goto(`${on.up.ready.url}/timeline`)
  await on.page
    .getByRole('option', { name: /Typed 3 characters/ })
    .first()
    .click()
  await on.page.getByRole('button', { name: 'Make a rule of this' }).click()
  const dialog = on.page.getByRole('dialog')
  await dialog.getByRole('radio', { name: 'Deny' }).check()
  await dialog.getByText(/would have denied \d/).waitFor()
  expect(await serious(on.page)).toEqual([])
  await dialog.getByRole('button', { name: 'Save the rule' }).click()
  await dialog.waitFor({ state: 'detached' })
  expect(await on.call('ui.type', { target: 'name="Customer"', text: 'Bob' })).toMatchObject({ error: { code: 'DENIED' } })
  expect(await on.call('ui.click', { target: 'name="Already paid"' })).toMatchObject({ status: 'success' })
})

test('rules are saved only after they were compared with the record, and hold when the server was started again', async () => {
  await on.page.goto(`${on.up.ready.url}/policy`)
  const save = on.page.getByRole('button', { name: 'Save', exact: true })
  const editor = on.page.locator('.editor .cm-content')
  await editor.click()
  await on.page.keyboard.press('Control+a')
  await on.page.keyboard.insertText('[[rule]]\ntoolName = "ui.clck"\n')
  await on.page.getByText(/Line \d+: decision/).waitFor()
  expect(await save.isDisabled()).toBe(true)
  await editor.click()
  await on.page.keyboard.press('Control+a')
  // The first letter takes over the desktop where nothing is being written.
  await on.page.keyboard.type('toolN')
  await expect.poll(() => editor.textContent()).toBe('toolN')
  expect(await on.page.getByRole('button', { name: 'Hand back' }).count()).toBe(0)
  await on.page.getByRole('option', { name: 'toolName' }).click()
  await expect.poll(() => editor.textContent()).toBe('toolName')
  await on.page.keyboard.press('Control+a')
  await on.page.keyboard.insertText('[[rule]]\ntoolName = "ui.click"\ndecision = "deny"\npriority = 900\n[rule.when]\nname = "Already*"\n')
  await on.page.getByRole('button', { name: 'Compare with past steps' }).click()
  await on.page.getByText(/would have denied \d/).waitFor()
  await save.click()
  await expect.poll(savedRules).toContain('name = "Already*"')
  await on.page.getByRole('row', { name: /rules.toml:1 .*Deny.*it is called Already/ }).waitFor()
  expect(await on.call('ui.click', { target: 'name="Already paid"' })).toMatchObject({ error: { code: 'DENIED' } })
  await on.world.run(['down'])
  await on.up.ended
  on.up = await on.world.server()
  expect(await on.call('ui.click', { target: 'name="Already paid"' })).toMatchObject({ error: { code: 'DENIED' } })
})
