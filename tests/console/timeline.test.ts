import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { serious } from '../support/axe.ts'
import { openPage } from '../support/browser.ts'
import { ConsoleWorld } from '../support/console.ts'

const RULES = `
[[rule]]
name = "payments are kept as pictures"
toolName = "ui.click"
decision = "allow"
priority = 600
obligations = { evidence = "encrypted", screenshot = true }
[rule.when]
name = "Already paid"
risk = ["low", "medium"]

[[rule]]
name = "names are secrets"
toolName = "ui.type"
decision = "allow"
priority = 600
obligations = { redact = true }
[rule.when]
name = "Customer"
risk = ["low", "medium"]

[[rule]]
name = "no archive"
toolName = "ui.click"
decision = "deny"
priority = 600
[rule.when]
name = "Archive"
`

let on: ConsoleWorld
beforeAll(async () => {
  on = await ConsoleWorld.open(RULES, '[evidence]\nkeyEnv = "TEST_KEY"\n', { TEST_KEY: randomBytes(32).toString('hex') })
  await on.call('ui.type', { target: 'name="Customer"', text: 'Ada Lovelace' })
  await on.call('ui.click', { target: 'name="Already paid"' })
  await on.call('ui.click', { target: 'name="Archive"' })
  await on.page.goto(`${on.up.ready.url}/timeline`)
})
afterAll(() => on?.end())

const isChecked = async () => {
  const { data } = await on.call('ui.query', { selector: 'name="Already paid"' })
  return (data as { matches: [{ states: { checked: boolean } }] }).matches[0].states.checked
}
interface Entry {
  type: string
  op?: string
  effect?: string
  risk?: { level: string }
  targets?: { app?: { name: string } }[]
}
const options = () => on.page.getByRole('listbox', { name: 'Steps' }).getByRole('option')

test('a step has its pictures before and after, and the strip leads to it', async () => {
  await on.page
    .getByRole('group', { name: 'Steps with pictures' })
    .getByRole('button', { name: /Clicked Already paid/ })
    .click()
  const step = on.page.getByRole('region', { name: 'Step', exact: true })
  for (const name of ['before', 'after']) {
    const picture = step.getByRole('img', { name, exact: true })
    await expect.poll(() => picture.evaluate((img: { naturalWidth: number }) => img.naturalWidth)).toBeGreaterThan(100)
  }
  expect(await serious(on.page)).toEqual([])
})

test('the record is filtered on the server by verdict, effect, risk, agent, tool and text', async () => {
  await on.page.getByRole('combobox', { name: 'Any decision' }).selectOption({ label: 'denied' })
  await expect.poll(() => options().allTextContents()).toEqual([expect.stringContaining('Archive')])
  await on.page.getByRole('combobox', { name: 'Any decision' }).selectOption({ label: 'Any decision' })
  await on.page.getByRole('searchbox').fill('tool:ui.type agent:agent')
  await expect.poll(() => options().allTextContents()).toEqual([expect.stringContaining('Typed')])
  await on.page.getByRole('searchbox').fill('tool:ui.type agent:somebody')
  await on.page.getByText('Nothing in the record matches.').waitFor()
  const record = (await on.journal()) as unknown as Entry[]
  const app = record.flatMap((entry) => entry.targets ?? []).find((target) => target.app !== undefined)!.app!.name
  const hasEffect = ({ type, effect }: Entry) => type === 'done' && effect === 'confirmed'
  const hasRisk = ({ type, risk }: Entry) => type === 'decided' && risk?.level === 'low'
  const isInApp = ({ targets = [] }: Entry) => targets.some((target) => target.app?.name === app)
  const opsOf = (isSo: (entry: Entry) => boolean) => [...new Set(record.filter(isSo).map(({ op }) => op))].toReversed()
  const listed = () => options().evaluateAll((all) => all.map((one) => (one as unknown as { dataset: { op?: string } }).dataset.op))
  for (const [words, isSo] of [
    ['effect:confirmed', hasEffect],
    ['risk:low', hasRisk],
    [`app:${app}`, isInApp],
  ] as const) {
    expect(opsOf(isSo).length).toBeGreaterThan(0)
    await on.page.getByRole('searchbox').fill(words)
    await expect.poll(listed).toEqual(opsOf(isSo))
  }
  for (const words of ['app:elsewhere', 'risk:prohibited', 'effect:unverified']) {
    await on.page.getByRole('searchbox').fill(words)
    await on.page.getByText('Nothing in the record matches.').waitFor()
    await on.page.getByRole('searchbox').fill('')
    await expect.poll(() => options().count()).toBeGreaterThan(3)
  }
  await on.page.getByRole('searchbox').fill('')
  for (const [name, label, isSo] of [
    ['Any effect', 'confirmed', hasEffect],
    ['Any risk', 'low risk', hasRisk],
  ] as const) {
    await on.page.getByRole('combobox', { name }).selectOption({ label })
    await expect.poll(listed).toEqual(opsOf(isSo))
    await on.page.getByRole('combobox', { name }).selectOption({ label: name })
  }
  await expect.poll(() => options().count()).toBeGreaterThan(3)
})

test('the export opens without a server, has the steps and their pictures, and not what the policy redacts', async () => {
  const [download] = await Promise.all([on.page.waitForEvent('download'), on.page.getByRole('button', { name: 'Export' }).click()])
  const file = join(on.world.dir, 'export.html')
  await download.saveAs(file)
  expect(readFileSync(file, 'utf8')).not.toContain('Lovelace')
  const alone = await openPage(on.browser)
  const asked: string[] = []
  alone.on('request', (request) => asked.push(request.url()))
  await alone.goto(`file://${file}`)
  const step = alone.getByRole('listitem').filter({ hasText: 'Clicked Already paid' })
  await expect
    .poll(() => step.getByRole('img', { name: 'after' }).evaluate((img: { naturalWidth: number }) => img.naturalWidth))
    .toBeGreaterThan(100)
  await alone.getByRole('listitem').filter({ hasText: 'no archive' }).waitFor()
  await alone.getByText('Typed a secret into').first().waitFor()
  expect(asked.filter((url) => !url.startsWith('file:') && !url.startsWith('data:'))).toEqual([])
  expect(alone.complaints).toEqual([])
  await alone.close()
})

test('steps are done again from one of them on, after they were rehearsed', async () => {
  // Its own call is made again by the script, and not beside it.
  await on.call('script.run', { script: 'pyautogui.press("tab")\n' })
  const before = await isChecked()
  await on.page.getByRole('searchbox').fill('tool:ui.click')
  await options().filter({ hasText: 'Already paid' }).first().click()
  await on.page.getByRole('button', { name: 'Rehearse from here on' }).click()
  const list = on.page.getByRole('list', { name: 'What would be done again' })
  await expect
    .poll(() => list.getByRole('listitem').allTextContents())
    .toEqual([
      expect.stringMatching(/Already paid.*can be done/),
      expect.stringMatching(/Archive.*no archive/),
      expect.stringMatching(/Run a script.*can be done/),
    ])
  expect(await isChecked()).toBe(before)
  await on.page.getByRole('button', { name: 'Do these 3 steps again' }).click()
  await expect.poll(isChecked).toBe(!before)
  expect((await on.journal()).filter((entry) => entry['what'] === 'replay').length).toBeGreaterThan(0)
})

test('the steps beside one are a key away, its rule says what it says, and the record is verified and anchored there', async () => {
  await on.page.goto(`${on.up.ready.url}/timeline`)
  await options().filter({ hasText: 'Clicked Already paid' }).first().click()
  const step = on.page.getByRole('region', { name: 'Step', exact: true })
  const title = step.getByRole('heading', { level: 2 })
  await expect.poll(() => title.textContent()).toBe('Clicked Already paid')
  await expect.poll(() => step.textContent()).toMatch(/payments are kept as pictures.*Allow: ui\.click; it is called Already paid/)
  await expect.poll(() => step.textContent()).toMatch(/entry \d+verified/)
  const older = await step.getByRole('button', { name: 'Step before' }).textContent()
  await on.page.keyboard.press('j')
  await expect.poll(() => title.textContent()).not.toBe('Clicked Already paid')
  expect(older).toContain(await title.textContent())
  await on.page.keyboard.press('k')
  await expect.poll(() => title.textContent()).toBe('Clicked Already paid')
})

test('a step says why the agent made it, and what was seen that it had to bring about', async () => {
  const asked = await fetch(`${on.up.ready.url}/api/v1/desktops/virtual/tools/ui.click`, {
    method: 'POST',
    headers: { authorization: `Bearer ${on.world.token('virtual', 'agent')}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      args: { target: 'name="Already paid"', verify: { text: 'a receipt' }, timeoutMs: 200 },
      intent: 'The customer sent the money.',
    }),
  })
  const { op } = ((await asked.json()) as { result: { op: string } }).result
  await on.page.goto(`${on.up.ready.url}/timeline?op=${op}`)
  const step = on.page.getByRole('region', { name: 'Step', exact: true })
  await expect.poll(() => step.textContent()).toContain('intentThe customer sent the money.')
  const done = (await on.journal()).find((entry) => entry['op'] === op && entry['type'] === 'done')
  const { details } = done!['verification'] as { details: string }
  expect(await step.textContent()).toContain(`not verified${details}`)
})

test('a console whose feed was cut off says so, catches up by itself, and hears what comes then', async () => {
  const page = await on.signIn()
  await page.addInitScript('EventSource = class extends EventSource { constructor(url) { super(url); window.feed = this } }')
  await page.goto(`${on.up.ready.url}/`)
  await page.getByRole('heading', { name: 'No question waits' }).waitFor()
  await page.route('**/api/v1/**', (route) => route.abort())
  // As a browser tells it of a connection that broke.
  await page.evaluate("feed.close(); feed.dispatchEvent(new Event('error'))")
  const problem = page.getByText('The server does not answer')
  await problem.first().waitFor()
  const missed = page.getByText('Pointed at Amount')
  await on.call('ui.hover', { target: 'name="Amount"' })
  expect(await missed.count()).toBe(0)
  await page.unroute('**/api/v1/**')
  await missed.first().waitFor()
  await expect.poll(() => problem.count()).toBe(0)
  await on.call('ui.focus', { target: 'name="Amount"' })
  await page.getByText('Focused Amount').first().waitFor()
  await page.close()
})

test('where the record was changed behind its back, the row says so, and the command finds the same place', async () => {
  const folder = on.up.ready.journal
  const file = join(
    folder,
    readdirSync(folder)
      .filter((name) => name.endsWith('.jsonl'))
      .sort()[0]!,
  )
  const lines = readFileSync(file, 'utf8').split('\n')
  const at = lines.findIndex((line) => line.includes('"verdict":"deny"') && line.includes('no archive'))
  writeFileSync(file, lines.with(at, lines[at]!.replace('"verdict":"deny"', '"verdict":"allow"')).join('\n'))
  await on.page.getByRole('searchbox').fill('no archive')
  await on.page.getByRole('button', { name: /^record (intact|checked)/ }).click()
  await on.page.getByRole('button', { name: /record changed at entry/ }).waitFor()
  const broken = options().filter({ hasText: 'changed here' })
  await expect.poll(() => broken.allTextContents()).toEqual([expect.stringContaining('Archive')])
  const { code, out, err } = await on.world.run(['journal', 'verify', folder])
  expect(code).not.toBe(0)
  expect(`${out}${err}`).toContain(
    /entry (\d+)/.exec((await on.page.getByRole('button', { name: /record changed/ }).textContent()) ?? '')?.[1],
  )
})
