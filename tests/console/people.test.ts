import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ConsoleWorld } from '../support/console.ts'

const RULES = `
[[rule]]
name = "saving asks"
toolName = "ui.click"
decision = "ask_user"
priority = 600
[rule.when]
name = ["Save*", "Archive"]
`

let on: ConsoleWorld
beforeAll(async () => void (on = await ConsoleWorld.open(RULES)))
afterAll(() => on?.end())

const waiting = async () => JSON.parse((await on.world.run(['approvals', 'list', '--json'])).out) as { id: string }[]

test('a viewer sees everything that happens, and no key and no button of theirs changes anything', async () => {
  const token = (await on.world.run(['token', 'add', 'vera', '--role', 'viewer'])).out.trim()
  const context = await on.browser.newContext({ extraHTTPHeaders: { authorization: `Bearer ${token}` } })
  const page = await context.newPage()
  try {
    await page.goto(on.up.ready.url)
    await page.getByText('You are looking.').waitFor()
    const asked = on.call('ui.click', { target: 'name="Archive"' })
    const card = page.getByRole('article')
    await card.getByRole('heading', { name: /Archive/ }).waitFor()
    for (const name of ['Deny', 'Allow once']) expect(await card.getByRole('button', { name }).isDisabled()).toBe(true)
    await page.waitForTimeout(900)
    for (const key of ['a', 'd', 'p', 't', 'Escape', 'Escape']) await page.keyboard.press(key)
    const answer = await page.evaluate(
      async (path) => (await fetch(path, { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' })).status,
      '/api/v1/desktops/virtual/stop',
    )
    expect(answer).toBe(403)
    expect(await waiting()).toHaveLength(1)
    expect((await on.journal()).filter((entry) => entry['type'] === 'operator').map((entry) => entry['what'])).toEqual(['up'])
    await on.world.run(['approvals', 'deny', (await waiting())[0]!.id])
    expect(await asked).toMatchObject({ error: { code: 'APPROVAL_DENIED' } })
  } finally {
    await context.close()
  }
})

test('a person with Tab and Enter alone goes from the top of the page to the answer', async () => {
  const page = await on.signIn()
  const asked = on.call('ui.click', { target: 'name="Archive"' })
  await page.getByRole('article').waitFor()
  await page.waitForTimeout(900)
  const focused = async (): Promise<string> => (await page.evaluate('document.activeElement?.textContent ?? ""')) as string
  for (let more = 60; more > 0 && !(await focused()).startsWith('Deny'); more--) await page.keyboard.press('Tab')
  expect(await page.evaluate('document.activeElement?.matches(":focus-visible")')).toBe(true)
  await page.keyboard.press('Enter')
  await page.keyboard.type('by keys')
  await page.keyboard.press('Tab')
  expect(await focused()).toBe('Deny')
  await page.keyboard.press('Enter')
  expect((await asked).error?.message).toContain('by keys')
  await page.close()
})

test('a person without a pointer reaches every view, answers with a reason, and makes a rule', async () => {
  const { page } = on
  const asked = on.call('ui.click', { target: 'name="Archive"' })
  // The card of the question before this one stays for a moment.
  await page
    .getByRole('article')
    .filter({ has: page.getByRole('button', { name: 'Deny' }) })
    .waitFor()
  await page.waitForTimeout(900)
  await page.keyboard.press('d')
  await page.keyboard.type('not now')
  await page.keyboard.press('Enter')
  expect((await asked).error?.message).toContain('not now')
  /** Tabs on until what has the focus is called so. */
  const tabTo = async (name: string): Promise<void> => {
    for (let more = 80; more > 0; more--) {
      await page.keyboard.press('Tab')
      if (((await page.evaluate('document.activeElement?.textContent ?? ""')) as string).startsWith(name)) return
    }
    throw new Error(`${name} cannot be reached`)
  }
  for (const view of ['Timeline', 'Inspect', 'Policy', 'Scripts', 'Settings']) {
    await tabTo(view)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: view, level: 1 }).waitFor({ state: 'attached' })
  }
  await page.goto(`${on.up.ready.url}/timeline`)
  await page
    .getByRole('option', { name: /Archive/ })
    .first()
    .focus()
  await page.keyboard.press('Enter')
  await tabTo('Make a rule')
  await page.keyboard.press('Enter')
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('radio', { name: 'Ask' }).focus()
  await page.keyboard.press('ArrowUp')
  expect(await dialog.getByRole('radio', { name: 'Deny' }).isChecked()).toBe(true)
  await expect.poll(() => dialog.getByRole('button', { name: 'Save the rule' }).isEnabled()).toBe(true)
  await tabTo('Save the rule')
  await page.keyboard.press('Enter')
  await dialog.waitFor({ state: 'detached' })
  expect(await on.call('ui.click', { target: 'name="Archive"' })).toMatchObject({ error: { code: 'DENIED' } })
})

test('a person who agreed is notified of a question while the page is not in front, and the title counts it', async () => {
  const context = on.page.context()
  await context.grantPermissions(['notifications'], { origin: on.up.ready.url })
  await on.page.goto(`${on.up.ready.url}/settings`)
  await on.page.getByRole('checkbox', { name: /Show a notification/ }).check()
  await on.page.evaluate(`
    window.shown = []
    document.hasFocus = () => false
    window.Notification = class extends EventTarget { static permission = 'granted'; constructor(title, { body }) { super(); window.shown.push(title + ' ' + body) } close() {} }
  `)
  const asked = on.call('ui.click', { target: 'name="Save invoice"' })
  await expect.poll(() => on.page.evaluate('window.shown')).toEqual([expect.stringContaining('Save invoice')])
  expect(await on.page.title()).toMatch(/^\(1\)/)
  await on.world.run(['approvals', 'deny', (await waiting())[0]!.id])
  await asked
  await expect.poll(() => on.page.title()).not.toMatch(/^\(1\)/)
})

test('a script is opened, checked as a whole, and turned into ui calls to copy, which an agent can make; Python runs beside it', async () => {
  const { page } = on
  await page.goto(`${on.up.ready.url}/scripts`)
  const open = (code: string) =>
    page.locator('input[type=file]').setInputFiles({ name: 'task.py', mimeType: 'text/x-python', buffer: Buffer.from(code) })
  const status = page.getByRole('main').getByRole('status')
  // The example writes into a field that is really there.
  await expect.poll(() => page.locator('.editor .cm-content').innerText()).toContain('Ada Lovelace')
  await page.getByRole('button', { name: 'Rehearse' }).click()
  await page.getByRole('heading', { name: 'What it would do' }).waitFor()
  await page.getByRole('row', { name: /pyautogui\.click\(.*\) textbox "[^"]+" Allow/ }).waitFor()
  expect(await page.getByRole('columnheader').allTextContents()).toEqual(['Line', 'Call', 'Element', 'Decision'])
  await open('import pyautogui\nimport os\n')
  await expect.poll(() => page.locator('.editor .cm-content').innerText()).toContain('import os')
  await page.getByRole('button', { name: 'Check' }).click()
  await status.getByText(/line 2.*os/).waitFor()
  const { data } = await on.call('ui.query', { selector: 'name="Amount" && role=textbox' })
  const [{ bounds }] = (data as { matches: [{ bounds: { x: number; y: number } }] }).matches
  await open(`pyautogui.click(${bounds.x + 5}, ${bounds.y + 5})\n`)
  await expect.poll(() => page.locator('.editor .cm-content').innerText()).not.toContain('import os')
  await page.getByRole('button', { name: 'Check' }).click()
  await status.getByText('Nothing is wrong with it').waitFor()

  await page.getByRole('checkbox', { name: 'Turn into ui calls' }).check()
  await page.getByRole('button', { name: 'Rehearse' }).click()
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'], { origin: on.up.ready.url })
  await page.getByRole('button', { name: 'Copy: The same as ui calls' }).click()
  const copied = async () => (await page.evaluate('navigator.clipboard.readText()')) as string
  await expect.poll(copied).toMatch(/^\{"tool":"ui.click".*amount.*\}$/)
  const { tool, args } = JSON.parse(await copied()) as { tool: string; args: unknown }
  expect(await on.call(tool, args)).toMatchObject({ status: 'success', effect: 'confirmed' })

  await page.getByRole('combobox', { name: 'Language' }).selectOption('python')
  await open('print(6 * 7)\nprint("half\n')
  await expect.poll(() => page.locator('.editor .cm-content').innerText()).toContain('half')
  await page.getByRole('button', { name: 'Check' }).click()
  await status.getByText(/^line 2: /).waitFor()
  await open('print(6 * 7)\n')
  await expect.poll(() => page.locator('.editor .cm-content').innerText()).not.toContain('half')
  await page.getByRole('button', { name: 'Check' }).click()
  await status.getByText('Python can read it.').waitFor()
  await page.getByRole('button', { name: 'Run', exact: true }).click()
  await page.getByRole('heading', { name: 'What it did' }).waitFor()
  await page.getByText(/\b42\b/).waitFor()
})

test('a script is rehearsed step by step, and runs with its line marked until a person pauses it', async () => {
  const field = async () => {
    const { data } = await on.call('ui.query', { selector: 'name="Customer" && role=textbox' })
    return (data as { matches: [{ value?: string; bounds: { x: number; y: number; w: number; h: number } }] }).matches[0]
  }
  const { bounds, value: before = '' } = await field()
  const [x, y] = [Math.round(bounds.x + bounds.w / 2), Math.round(bounds.y + bounds.h / 2)]
  await on.page.goto(`${on.up.ready.url}/scripts`)
  const write = async (times: number): Promise<void> => {
    await on.page.locator('.editor .cm-content').click()
    await on.page.keyboard.press('Control+a')
    await on.page.keyboard.insertText(
      `pyautogui.click(${x}, ${y})\nfor i in range(${times}):\n    pyautogui.press("x")\n    time.sleep(0.01)\n`,
    )
  }
  await write(3)
  await on.page.getByRole('button', { name: 'Rehearse' }).click()
  await on.page.getByRole('row', { name: /1 .*click.*Customer.*Allow/ }).waitFor()
  expect((await field()).value ?? '').toBe(before)

  // Far more presses than the test waits for: a quick machine must not be done before the person pauses.
  await write(100_000)
  await on.page.getByRole('button', { name: 'Run', exact: true }).click()
  await on.page.getByText('Running line 3').waitFor()
  await on.page.getByRole('heading', { name: 'Scripts' }).click()
  await on.page.keyboard.press('p')
  await on.page.getByText('Paused at line 3').waitFor()
  const length = async () => ((await field()).value ?? '').length - before.length
  await expect.poll(length).toBeGreaterThan(0)
  const paused = await length()
  await sleep(500)
  expect(await length()).toBe(paused)
  await on.page.keyboard.press('p')
  await expect.poll(length).toBeGreaterThan(paused)
  await on.page.keyboard.press('Escape')
  await on.page.keyboard.press('Escape')
  await on.page.getByText('Running line 3').waitFor({ state: 'detached' })
})
