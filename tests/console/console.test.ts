import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { serious } from '../support/axe.ts'
import { launchBrowser, openPage } from '../support/browser.ts'
import { World, type Up } from '../support/cli.ts'

const RULES = `
[[rule]]
name = "saving asks"
toolName = "ui.click"
decision = "ask_user"
priority = 600
[rule.when]
name = "Save*"
`
const VIEWS = ['', 'timeline', 'inspector', 'policy', 'scripts', 'settings']

let world: World
let up: Up
let browser: Browser
let page: Awaited<ReturnType<typeof openPage>>

beforeAll(async () => {
  world = new World()
  world.file('rules.toml', RULES)
  world.file('deskhand.toml', '[policy]\nfiles = ["rules.toml"]\n')
  up = await world.server()
  browser = await launchBrowser()
  page = await openPage(browser)
  await page.goto(up.ready.open)
  await page.getByRole('heading', { name: 'No question waits' }).waitFor()
})

afterAll(async () => {
  await browser?.close()
  await world?.end()
})

/** A call of a real agent, by the command. */
const call = async (tool: string, args: unknown) => {
  const { out } = await world.run(['call', tool, JSON.stringify(args)])
  return JSON.parse(out) as { status: string; effect: string; error?: { code: string; message: string } }
}
const found = async (selector: string) => (await world.run(['call', 'ui.query', JSON.stringify({ selector })])).code === 0
/** Cards count answers only after they have stood still for a while. */
const settle = () => page.waitForTimeout(900)

describe('a question', () => {
  test('is shown with what it is about, and allowed by a key', async () => {
    await call('ui.type', { target: 'name="Customer"', text: 'Ada' })
    await call('ui.type', { target: 'name="Amount"', text: '10' })
    const asked = call('ui.click', { target: 'name="Save invoice"' })
    const card = page.getByRole('article')
    await card.getByRole('heading', { name: 'Click button "Save invoice"' }).waitFor()
    await expect.poll(() => card.textContent()).toMatch(/saving asks.*Applies to this one call only/)
    await settle()
    await page.keyboard.press('a')
    expect(await asked).toMatchObject({ status: 'success', effect: 'changed' })
    expect(await found('name="Saved invoices: 1"')).toBe(true)
    const { out } = await world.run(['journal', 'list', '--json'])
    expect(out).toContain('"surface":"console"')
  })

  test('is denied with a reason that the agent reads', async () => {
    const asked = call('ui.click', { target: 'name="Save invoice"' })
    await page.getByRole('article').getByRole('button', { name: 'Deny' }).waitFor()
    await settle()
    await page.keyboard.press('d')
    await page.getByRole('textbox', { name: 'Reason' }).fill('not today')
    await page.keyboard.press('Enter')
    await page
      .getByRole('article')
      .filter({ hasText: /^You denied this“not today”/ })
      .waitFor()
    const { error } = await asked
    expect(error?.message).toContain('not today')
    await page.getByText('operator denied it').first().waitFor()
  })

  test('cannot be answered in its first half second', async () => {
    const asked = call('ui.click', { target: 'name="Save invoice"' })
    const card = page.getByRole('article').filter({ has: page.getByRole('button', { name: 'Allow once' }) })
    await card.waitFor()
    await page.keyboard.press('a')
    await page.waitForTimeout(300)
    expect((await world.run(['approvals', 'list', '--json'])).out).toContain('Save invoice')
    await settle()
    await page.keyboard.press('d')
    await page.keyboard.press('Enter')
    expect(await asked).toMatchObject({ status: 'error' })
  })
})

test('stop holds everything until a person resumes', async () => {
  await page.keyboard.press('Escape')
  await page.keyboard.press('Escape')
  const bar = page.locator('.standing-bar.stopped').filter({ hasText: 'No agent can act until you resume' })
  await bar.waitFor()
  const { width, height } = (await bar.boundingBox())!
  expect([width, height >= 36]).toEqual([page.viewportSize()!.width, true])
  await page.getByText('Agents can look, but not act').waitFor()
  await page.locator('.frame.stopped').waitFor({ state: 'attached' })
  expect(await serious(page)).toEqual([])
  expect(await call('ui.click', { target: 'name="Already paid"' })).toMatchObject({ error: { code: 'STOPPED' } })
  await page.getByRole('button', { name: 'Resume' }).click()
  await page.getByText('No agent can act until you resume').waitFor({ state: 'detached' })
  expect(await call('ui.click', { target: 'name="Already paid"' })).toMatchObject({ effect: 'confirmed' })
})

test('a person takes over, uses the desktop through the picture, and hands it back', async () => {
  const canvas = page.locator('.vnc-canvas canvas')
  await page.locator('.vnc-viewer[data-connected=true]').waitFor()
  const look = async () => {
    const { out } = await world.run(['call', 'ui.query', JSON.stringify({ selector: 'name="Already paid"' })])
    return (JSON.parse(out) as { data: { matches: { bounds: Box; states: { checked: boolean } }[] } }).data.matches[0]!
  }
  const { bounds, states } = await look()
  await page.getByRole('button', { name: 'Take over' }).click()
  await page.getByText('you have the controls').waitFor()
  await page.getByText('Your mouse and keys go to the picture. F8 hands back.').waitFor()
  // Keys that are typed into the desktop now are not offered.
  expect(await page.getByRole('banner').locator('kbd').allTextContents()).toEqual(['F8'])
  const waits = call('ui.click', { target: 'name="Archive"', timeoutMs: 200 })
  expect(await waits).toMatchObject({ error: { code: 'HUMAN_AT_CONTROLS' } })
  const box = (await canvas.boundingBox())!
  const scale = box.width / 1280
  await page.mouse.click(box.x + (bounds.x + bounds.w / 2) * scale, box.y + (bounds.y + bounds.h / 2) * scale)
  await expect.poll(async () => (await look()).states.checked).toBe(!states.checked)
  await page.getByRole('button', { name: 'Hand back' }).click()
  await page.getByText('agents have the controls').waitFor()
  expect(await call('ui.click', { target: 'name="Already paid"' })).toMatchObject({ effect: 'confirmed' })
  const { out } = await world.run(['journal', 'list', '--json'])
  expect(out).toContain('"takeover"')
  expect(out).toContain('"handback"')
})

test('the record is read as sentences, searched on the server, and a step has its decision', async () => {
  await page.getByRole('link', { name: 'Timeline' }).click()
  await page.getByRole('searchbox').fill('Already paid')
  await page
    .getByRole('option', { name: /Clicked Already paid/ })
    .first()
    .click()
  await page.getByRole('heading', { name: 'Decision' }).waitFor()
  const shown = (await page.getByRole('region', { name: 'Step', exact: true }).textContent()) ?? ''
  expect(shown).toContain('confirmed')
  const [, seq] = /entry (\d+)/.exec(shown) ?? []
  const { out } = await world.run(['journal', 'show', seq ?? ''])
  expect(out).toContain('Already paid')
  await page.getByRole('searchbox').fill('zzz nothing like this')
  await page.getByText('Nothing in the record matches.').waitFor()
})

test('a selector is tried, with its matches and what the policy would say to a click', async () => {
  await page.getByRole('link', { name: 'Inspect' }).click()
  await page.getByRole('textbox', { name: 'Selector' }).fill('role=button && name="Save invoice"')
  await page.getByText('1 match', { exact: true }).waitFor()
  await page.getByRole('option', { name: 'button Save invoice' }).click()
  // The selector that is tried and the element that is chosen both say so.
  await page.getByText('"saving asks"').first().waitFor()
  await page.getByRole('textbox', { name: 'Selector' }).fill('role=button &&')
  await page.getByText(/Column 15/).waitFor()
  const asked = call('ui.click', { target: 'role=button && name="Save invoice"' })
  await page.getByText('An agent waits for you').waitFor()
  const [question] = JSON.parse((await world.run(['approvals', 'list', '--json'])).out) as [{ id: string }]
  await world.run(['approvals', 'deny', question.id])
  expect(await asked).toMatchObject({ error: { code: 'APPROVAL_DENIED' } })
})

test('what a person looks for is still there when they come back from a question', async () => {
  const link = (name: string) => page.getByRole('link', { name }).click()
  const [search, decision] = [page.getByRole('searchbox'), page.getByRole('combobox', { name: 'Any decision' })]
  const selector = page.getByRole('textbox', { name: 'Selector' })
  const target = page.getByRole('textbox', { name: /^Target/ })
  await link('Timeline')
  await search.fill('Already paid')
  await decision.selectOption({ label: 'allowed' })
  await link('Inspect')
  await selector.fill('role=button')
  await link('Policy')
  await target.fill('name="Archive"')
  const asked = call('ui.click', { target: 'name="Save invoice"' })
  await page.getByRole('button', { name: 'Review' }).click()
  await page.getByRole('article').getByRole('button', { name: 'Deny' }).waitFor()
  await settle()
  await page.keyboard.press('d')
  await page.keyboard.press('Enter')
  expect(await asked).toMatchObject({ error: { code: 'APPROVAL_DENIED' } })
  await link('Policy')
  expect(await target.inputValue()).toBe('name="Archive"')
  await link('Inspect')
  expect(await selector.inputValue()).toBe('role=button')
  await link('Timeline')
  expect(await search.inputValue()).toBe('Already paid')
  expect(await decision.inputValue()).toBe('allow')
})

test('a change of the policy is tried against the record before it is made', async () => {
  await page.getByRole('link', { name: 'Policy' }).click()
  await page.locator('.editor').locator('.cm-content').click()
  await page.keyboard.press('Control+a')
  await page.keyboard.insertText('[[rule]]\ntoolName = "ui.click"\ndecision = "deny"\npriority = 900\n[rule.when]\nname = "Already*"\n')
  await page.getByRole('button', { name: 'Compare with past steps' }).click()
  await page.getByText(/would have denied \d/).waitFor()
  expect(await call('ui.click', { target: 'name="Already paid"' })).toMatchObject({ effect: 'confirmed' })
})

test.each([
  { width: 1280, height: 800 },
  { width: 1920, height: 1080 },
])('every view can be used by everybody at $width x $height, in the light and in the dark', async (size) => {
  await call('ui.click', { target: 'name="Already paid"' })
  const { out } = await world.run(['up', '--json'])
  const other = await openPage(browser, size)
  await other.goto((JSON.parse(out) as { open: string }).open)
  await other.getByRole('heading', { name: /question/ }).waitFor()
  for (const view of VIEWS) {
    await other.goto(`${up.ready.url}/${view}`)
    await other.getByRole('main').waitFor()
    await other.waitForTimeout(600)
    expect({ view, serious: await serious(other) }).toEqual({ view, serious: [] })
    expect(await other.locator('html').evaluate((html: { scrollWidth: number }) => html.scrollWidth)).toBeLessThanOrEqual(size.width)
  }
  await other.getByRole('button', { name: 'Stop' }).click()
  await other.getByText('No agent can act until you resume').waitFor()
  expect(await call('ui.click', { target: 'name="Already paid"' })).toMatchObject({ error: { code: 'STOPPED' } })
  await other.getByRole('button', { name: 'Resume' }).click()
  await other.getByText('No agent can act until you resume').waitFor({ state: 'detached' })
  await other.close()
})

interface Box {
  x: number
  y: number
  w: number
  h: number
}

/** Puts a text into the editor of a view, with the page never loaded anew. */
async function draft(view: string, text: string): Promise<void> {
  await page.getByRole('link', { name: view }).click()
  await page.locator('.editor .cm-content').click()
  await page.keyboard.press('Control+a')
  await page.keyboard.insertText(text)
}
const drafted = (view: string) => async () => {
  await page.getByRole('link', { name: view }).click()
  return page.locator('.editor .cm-content').innerText()
}

test('a server that was killed does not answer; once it runs again it wants a new link, a link opened elsewhere is enough, and drafts are still there', async () => {
  await page.goto(`${up.ready.url}/`)
  await page.getByRole('heading', { name: 'No question waits' }).waitFor()
  await draft('Scripts', 'pyautogui.press("F5")')
  await draft('Policy', 'name = "not finished"')
  await expect.poll(drafted('Scripts')).toContain('press("F5")')
  await expect.poll(drafted('Policy')).toContain('not finished')
  await page.getByRole('link', { name: 'Desktop' }).click()
  const port = new URL(up.ready.url).port
  process.kill(up.pid, 'SIGKILL')
  await page.getByText('The server does not answer').first().waitFor()
  const again = await world.server('--port', port)
  await page.getByText('You are not signed in here.').waitFor()
  const [other] = await Promise.all([page.waitForEvent('popup'), page.evaluate(`void window.open('${again.ready.open}')`)])
  await page.getByRole('link', { name: 'Desktop' }).click()
  await page.getByText('operator started the desktop').first().waitFor()
  await call('ui.hover', { target: 'name="Customer"' })
  await expect.poll(drafted('Policy')).toContain('not finished')
  await page.getByRole('button', { name: 'Drop the changes' }).click()
  await expect.poll(drafted('Policy')).not.toContain('not finished')
  await expect.poll(drafted('Scripts')).toContain('press("F5")')
  await page.getByRole('link', { name: 'Desktop' }).click()
  await page.getByText('Pointed at Customer').first().waitFor()
  await other.close()
})

test('a desktop that ends while it is looked at gives way to one that is up', async () => {
  const { origin } = new URL(page.url())
  await page.goto(`${origin}/settings`)
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('second')
  await page.getByRole('combobox', { name: 'Kind' }).selectOption('virtual')
  await page.getByRole('button', { name: 'Start desktop' }).click()
  await page.getByRole('button', { name: 'End desktop', exact: true }).first().waitFor()
  const desktop = page.getByRole('combobox', { name: 'Desktop', exact: true })
  await desktop.selectOption({ label: 'second (virtual)' })
  await expect.poll(() => page.title()).toContain('second')
  expect(await world.run(['--name', 'second', 'down'])).toMatchObject({ code: 0 })
  await expect.poll(() => page.title()).toContain('virtual')
  await page.getByRole('button', { name: 'Stop' }).and(page.locator(':enabled')).waitFor()
  // What ends the page, too, is done only after it was said.
  await page.getByRole('button', { name: 'End desktop and server' }).click()
  const dialog = page.getByRole('dialog', { name: 'End desktop and server?' })
  await dialog.getByText('is the last desktop').waitFor()
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  expect(await page.getByRole('button', { name: 'Stop' }).isEnabled()).toBe(true)
})
