import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { chromium } from 'playwright-core'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { bringUp, type Sandbox } from '../../packages/deskhand/src/desktop/sandbox.ts'
import { ConsoleWorld } from '../support/console.ts'
import { describeDesktop } from '../support/desktop.ts'
import { handled } from '../support/handled.ts'
import { start } from '../support/linux.ts'

const RULES = `
[[rule]]
name = "saving asks"
toolName = ["ui.key", "ui.focus"]
decision = "ask_user"
priority = 600
`
const EDITOR = 'role=textbox && visible=true'

describeDesktop('the console on a real desktop', () => {
  let on: ConsoleWorld
  let sandbox: Sandbox
  let file: string
  beforeAll(async () => {
    on = await ConsoleWorld.open(RULES, '[approvals]\nwaitSeconds = 120\n[human]\nclipboard = true\n', {}, async (state) => {
      sandbox = await bringUp({ stateDir: join(state, 'sandboxes') })
      return ['--desktop', 'sandbox', '--sandbox', sandbox.record.id]
    })
    file = join(sandbox.env['HOME'] ?? '', 'letter.txt')
    writeFileSync(file, '')
    start(sandbox, 'mousepad', [file])
    await vi.waitUntil(() => on.found(EDITOR), { timeout: 60_000, interval: 500 })
    await on.page.locator('.vnc-viewer[data-connected=true]').waitFor()
  })
  afterAll(async () => {
    await on?.end()
    await sandbox?.down()
  })

  const saved = (): string => readFileSync(file, 'utf8').trimEnd()
  const save = () => handled(on.call('ui.key', { keys: 'ctrl+s' }))
  const card = () => on.page.getByRole('article').filter({ has: on.page.getByRole('button', { name: 'Allow once' }) })
  /** Answers count only after the card has stood still for a while. */
  const settled = async (): Promise<void> => {
    await card().waitFor()
    await on.page.waitForTimeout(900)
  }

  test('what an agent wants to save is saved once a person allows it, and not when they deny it', async () => {
    expect(await on.call('ui.type', { target: EDITOR, text: 'by the agent' })).toMatchObject({ status: 'success' })
    const asked = save()
    await settled()
    await card()
      .getByRole('heading', { name: /^Press ctrl\+s in textbox.*which can press/ })
      .waitFor()
    expect(saved()).toBe('')
    await on.page.keyboard.press('a')
    expect(await asked).toMatchObject({ status: 'success' })
    await expect.poll(saved).toBe('by the agent')

    await on.call('ui.type', { target: EDITOR, text: ', and more' })
    const again = save()
    await settled()
    await on.page.keyboard.press('d')
    await on.page.getByRole('textbox', { name: 'Reason' }).fill('first draft only')
    await on.page.keyboard.press('Enter')
    expect((await again).error?.message).toContain('first draft only')
    expect(saved()).toBe('by the agent')
  })

  test('a person takes over, types and saves through the picture, and hands back by the keyboard alone', async () => {
    await on.page.getByRole('button', { name: 'Take over' }).click()
    await on.page.getByText('you have the controls').waitFor()
    const canvas = on.page.locator('.vnc-canvas canvas')
    // The screen of the sandbox takes the size of the picture's place, and the application is asked where its text is then.
    const place = (await on.page.locator('.vnc-canvas').boundingBox())!
    const size = (): string => execFileSync('xwininfo', ['-root'], { env: sandbox.env, encoding: 'utf8' })
    await expect.poll(size).toMatch(new RegExp(`Width: ${Math.floor(place.width)}\\b[^]*Height: ${Math.floor(place.height)}\\b`))
    const bounds = async (): Promise<{ x: number; y: number }> =>
      ((await on.call('ui.query', { selector: EDITOR })).data as { matches: [{ bounds: { x: number; y: number } }] }).matches[0].bounds
    await expect.poll(() => canvas.evaluate((c: { width: number }) => c.width)).toBe(Math.floor(place.width))
    const { x, y } = await bounds()
    const box = (await canvas.boundingBox())!
    await on.page.mouse.click(box.x + x + 30, box.y + y + 20)
    await on.page.keyboard.press('Control+End')
    await on.page.keyboard.type(' and by hand')
    await on.page.keyboard.press('Control+s')
    await expect.poll(saved).toContain('and by hand')
    expect(await on.call('ui.type', { target: EDITOR, text: 'x', timeoutMs: 200 })).toMatchObject({ error: { code: 'HUMAN_AT_CONTROLS' } })
    await on.page.keyboard.press('F8')
    await on.page.getByText('agents have the controls').waitFor()
    expect((await on.call('ui.type', { target: EDITOR, text: '!' })).error).toBeUndefined()
  })

  test('what an input method composes is typed, what they copied elsewhere is pasted, in every script, and what they copy there is theirs', async () => {
    const { page } = on
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.getByRole('button', { name: 'Take over' }).click()
    await page.getByText('you have the controls').waitFor()
    await page.locator('.vnc-canvas textarea:focus').waitFor({ state: 'attached' })
    await page.keyboard.press('Control+a')
    const browser = await page.context().newCDPSession(page)
    await browser.send('Input.imeSetComposition', { text: 'にほ', selectionStart: 2, selectionEnd: 2 })
    await browser.send('Input.insertText', { text: '日本' })
    await page.evaluate("navigator.clipboard.writeText(' 漢字 — grüße')")
    await page.keyboard.press('Control+v')
    const written = async (): Promise<unknown> =>
      ((await on.call('ui.query', { selector: EDITOR })).data as { matches: [{ value: string }] }).matches[0].value
    await expect.poll(written).toBe('日本 漢字 — grüße')
    await page.keyboard.press('Control+a')
    await page.keyboard.press('Control+c')
    await expect.poll(() => page.evaluate('navigator.clipboard.readText()')).toBe('日本 漢字 — grüße')
    await page.keyboard.press('F8')
    await page.getByText('agents have the controls').waitFor()
  })

  test('a person starts an application from Settings, and it is there', async () => {
    await on.page.goto(`${on.up.ready.url}/settings`)
    await on.page.getByRole('textbox', { name: /Application/ }).fill('xterm -title Started')
    await on.page.getByRole('button', { name: 'Start it on sandbox' }).click()
    const windows = (): string => execFileSync('xwininfo', ['-root', '-tree'], { env: sandbox.env, encoding: 'utf8' })
    await expect.poll(windows).toContain('"Started"')
    await on.page.goto(on.up.ready.url)
  })

  test('an agent finds nothing of a console that stands on its own desktop, and its question stays open', async () => {
    const link = await on.link()
    const browser = await chromium.launch({
      executablePath: '/usr/bin/chromium',
      headless: false,
      env: sandbox.env as Record<string, string>,
      args: [
        '--no-sandbox',
        '--disable-gpu',
        '--force-renderer-accessibility',
        '--no-first-run',
        '--window-size=900,700',
        '--window-position=0,0',
      ],
    })
    try {
      const page = await browser.newPage({ viewport: null })
      page.setDefaultTimeout(90_000)
      await page.goto(link)
      const asked = handled(on.call('ui.focus', { target: EDITOR }))
      const allow = page.getByRole('button', { name: 'Allow once' })
      await allow.scrollIntoViewIfNeeded()
      await expect
        .poll(() => execFileSync('xdotool', ['search', '--name', 'Deskhand'], { env: sandbox.env, encoding: 'utf8' }).trim())
        .not.toBe('')
      // Where the button lies on the screen, by the browser's own word.
      const at = (await page.evaluate(`(() => {
        const { x, y, width, height } = [...document.querySelectorAll('button')].find((b) => b.textContent.startsWith('Allow once')).getBoundingClientRect()
        return { x: screenX + x + width / 2, y: screenY + outerHeight - innerHeight + y + height / 2 }
      })()`)) as { x: number; y: number }
      const tries: [string, unknown][] = [
        ['ui.click', { target: 'role=button && name~="Allow once"', timeoutMs: 500 }],
        ['ui.click_xy', at],
        ['script.run', { script: `pyautogui.click(${Math.round(at.x)}, ${Math.round(at.y)})` }],
      ]
      for (const [tool, args] of tries) {
        const { out: told, err } = await on.world.run(['call', tool, JSON.stringify(args)])
        expect(`${tool} ${told}${err}`).toMatch(/NOT_FOUND|DENIED|prohibited|"success":\s*false/)
      }
      const seen = await on.world.run(['call', 'ui.snapshot', '{"scope":"desktop","all":true}'])
      expect(seen.out).not.toContain('Allow once')
      const waiting = JSON.parse((await on.world.run(['approvals', 'list', '--json'])).out) as { id: string }[]
      expect(waiting).toHaveLength(1)
      await on.world.run(['approvals', 'deny', waiting[0]!.id])
      expect(await asked).toMatchObject({ error: { code: 'APPROVAL_DENIED' } })
    } finally {
      await browser.close()
    }
  })
})
