import { afterAll, beforeAll, expect, test } from 'vitest'
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
beforeAll(async () => {
  on = await ConsoleWorld.open(RULES)
  await on.page.goto(`${on.up.ready.url}/policy`)
})
afterAll(() => on?.end())

const modeOf = async () => (await on.world.run(['mode'])).out.trim()
const granted = async () =>
  (await on.journal())
    .filter((entry) => entry['type'] === 'operator' && entry['what'] === 'mode')
    .map((entry) => (entry['detail'] as { grants: { apps: string[]; input: string; until: number }[] }).grants)
const waiting = async (...desktop: string[]) =>
  JSON.parse((await on.world.run([...desktop, 'approvals', 'list', '--json'])).out) as { id: string }[]

test('real input is confirmed first, restricted input says where and how long, and a second permission keeps the first', async () => {
  const { page } = on
  const mode = page.getByRole('combobox', { name: 'Mode' })
  const dialog = page.getByRole('dialog')
  await mode.selectOption({ label: 'full input' })
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await dialog.waitFor({ state: 'detached' })
  expect([await modeOf(), await mode.inputValue(), await granted()]).toEqual(['simulation_only', 'simulation_only', []])

  const permit = async (app: string, minutes: string): Promise<void> => {
    await dialog.getByRole('textbox').fill(app)
    await dialog.getByRole('combobox').selectOption({ label: 'mouse alone' })
    await dialog.getByRole('spinbutton').fill(minutes)
    await dialog.getByRole('button', { name: 'Allow it for this time' }).click()
    await dialog.waitFor({ state: 'detached' })
  }
  const before = Date.now()
  await mode.selectOption({ label: 'restricted input' })
  await permit('mousepad, xterm', '30')
  expect(await modeOf()).toBe('allow_actual_input_restricted')
  await page.getByRole('banner').getByRole('timer').waitFor()
  await page.getByRole('button', { name: 'Permit another application' }).click()
  await permit('gedit', '5')
  const [first = [], second = []] = await granted()
  expect(first).toMatchObject([{ apps: ['mousepad', 'xterm'], input: 'mouse' }])
  expect(first[0]!.until).toBeGreaterThanOrEqual(before + 30 * 60_000)
  expect(second).toEqual([first[0], expect.objectContaining({ apps: ['gedit'] })])
  await expect.poll(() => page.getByRole('banner').getByRole('timer').textContent()).toMatch(/^(30:00|2\d:\d\d)$/)

  await mode.selectOption({ label: 'full input' })
  await dialog.getByRole('button', { name: 'Allow real input' }).click()
  await expect.poll(modeOf).toBe('allow_actual_input_full')
  await mode.selectOption({ label: 'simulation only' })
  await expect.poll(modeOf).toBe('simulation_only')
  await expect.poll(() => page.getByRole('banner').getByRole('timer').count()).toBe(0)
})

test('a call with any arguments is explained: what is decided, how risky it is, and by which rule', async () => {
  const explain = on.page.getByRole('region', { name: 'Would this be allowed?' })
  await explain.getByRole('textbox', { name: /^Target/ }).fill('name="Archive"')
  await explain.getByRole('textbox', { name: /JSON/ }).fill('{"clickCount": 2}')
  await explain.getByRole('button', { name: 'Test' }).click()
  await expect.poll(() => explain.getByRole('status').innerText()).toMatch(/^Ask\s[^]*risk[^]*archiving asks rules\.toml:\d+ · decides/)
  await explain.getByRole('textbox', { name: /JSON/ }).fill('{clickCount}')
  await explain.getByRole('button', { name: 'Test' }).click()
  await on.page.getByText('no JSON object').waitFor()
})

test('the page follows what happens: counts of rules, permissions of answers, and rules that are saved elsewhere', async () => {
  const { page } = on
  const row = page.getByRole('row', { name: /archiving asks/ })
  const count = () => row.getByRole('cell').last().textContent()
  await expect.poll(count).toBe('0')
  const asked = on.call('ui.click', { target: 'name="Already paid"' })
  await expect.poll(async () => (await waiting()).length).toBe(1)
  await expect.poll(count).toBe('1')
  await on.world.run(['approvals', 'allow', (await waiting())[0]!.id, '--scope', 'session'])
  expect(await asked).toMatchObject({ status: 'success' })
  const permissions = page.getByRole('region', { name: 'Standing permissions' })
  await permissions.getByRole('button', { name: 'Revoke' }).waitFor()
  const [grant] = JSON.parse((await on.world.run(['grants', 'list', '--json'])).out) as [{ id: string }]
  await on.world.run(['grants', 'revoke', grant.id])
  await permissions.getByRole('button', { name: 'Revoke' }).waitFor({ state: 'detached' })

  await page.locator('.editor .cm-content').click()
  await page.keyboard.insertText('# mine\n')
  await expect.poll(() => page.locator('.editor .cm-content').innerText()).toContain('# mine')
  expect(await on.world.run(['policy', 'save', on.world.file('theirs.toml', '# theirs\n')])).toMatchObject({ code: 0 })
  await page.getByText('Other rules were saved since you began to write.').waitFor()
  await page.getByRole('button', { name: 'Drop the changes' }).click()
  await expect.poll(() => page.locator('.editor .cm-content').innerText()).toContain('# theirs')
})

test('a question on a desktop that is not looked at is told in the title and on the page, which leads there', async () => {
  const { page } = on
  await page.goto(`${on.up.ready.url}/settings`)
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('second')
  await page.getByRole('combobox', { name: 'Kind' }).selectOption('virtual')
  await page.getByRole('button', { name: 'Start desktop' }).click()
  await expect.poll(() => page.getByRole('combobox', { name: 'Desktop', exact: true }).locator('option').count()).toBe(2)
  const asked = on.world.run(['--name', 'second', 'call', 'ui.click', '{"target":"name=\\"Archive\\""}'])
  await page.getByText('A question waits on second').waitFor()
  const list = page.getByRole('combobox', { name: 'Desktop', exact: true }).locator('option')
  expect(await list.allTextContents()).toEqual(['virtual', 'second (virtual) · 1 question'])
  await expect.poll(() => page.title()).toMatch(/^\(1\) virtual/)
  await page.getByRole('button', { name: 'Review' }).click()
  await page
    .getByRole('article')
    .getByRole('heading', { name: /Archive/ })
    .waitFor()
  await expect.poll(() => page.title()).toMatch(/^\(1\) second/)
  await on.world.run(['--name', 'second', 'approvals', 'deny', (await waiting('--name', 'second'))[0]!.id])
  expect((await asked).out).toContain('APPROVAL_DENIED')
})
