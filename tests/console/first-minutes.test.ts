import { spawn, type ChildProcess } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { launchBrowser, openPage } from '../support/browser.ts'
import { BIN, World } from '../support/cli.ts'

const LINK = /http:\/\/127\.0\.0\.1:\d+\/\S+/

let browser: Browser
beforeAll(async () => void (browser = await launchBrowser()))
afterAll(() => browser?.close())

interface Started {
  /** What the terminal shows so far. */
  shown(): string
  type(text: string): void
}

/** What `npm start` runs, in a terminal of its own. */
function start(world: World, env: Record<string, string>): Started {
  const child: ChildProcess = spawn('/usr/bin/script', ['-qefc', `${process.execPath} ${BIN} demo`, '/dev/null'], {
    env: { ...world.env, TERM: 'xterm', TMPDIR: world.dir, ...env },
    cwd: world.dir,
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  let out = ''
  child.stdout?.setEncoding('utf8').on('data', (text: string) => (out += text))
  onTestFinished(async () => {
    const gone = new Promise((done) => child.once('exit', done))
    child.stdin?.write('\u0003')
    if (child.exitCode === null) await gone
    await world.end()
  })
  return { shown: () => out, type: (text) => void child.stdin?.write(text) }
}

test('it opens the console on a simulated desktop with an agent at work and a question waiting, then shows three hints and no more', async () => {
  const world = new World()
  const opened = join(world.dir, 'opened')
  mkdirSync(join(world.dir, 'bin'))
  const opener = join(world.dir, 'bin', 'xdg-open')
  writeFileSync(opener, `#!/bin/sh\necho "$1" > ${opened}\n`)
  chmodSync(opener, 0o755)
  const { shown } = start(world, { DISPLAY: ':0', PATH: `${join(world.dir, 'bin')}:${world.env['PATH']}` })
  await expect.poll(() => existsSync(opened), { timeout: 30_000 }).toBe(true)
  const page = await openPage(browser, { width: 1280, height: 800 })
  await page.goto(readFileSync(opened, 'utf8').trim())
  await page.locator('.vnc-viewer[data-connected=true]').waitFor()
  await page.getByRole('list', { name: 'Steps' }).getByText('Clicked File').waitFor()
  const card = page.getByRole('article')
  await card.getByRole('heading', { name: /Delete/ }).waitFor()
  await card.getByText('high risk').waitFor()

  const hint = page.locator('.hint')
  for (const n of [1, 2, 3]) {
    await hint.getByText(`${n} / 3`).waitFor()
    await hint.getByRole('button', { name: 'Got it' }).click()
  }
  expect(await hint.count()).toBe(0)
  await page.reload()
  await card.waitFor()
  expect(await hint.count()).toBe(0)

  await page.waitForTimeout(900)
  await page.keyboard.press('a')
  await page.getByRole('list', { name: 'Steps' }).getByText('Clicked Delete', { exact: true }).waitFor()
  await expect.poll(shown, { timeout: 60_000 }).toContain('answered elsewhere')
  await expect.poll(shown, { timeout: 60_000 }).toContain('Saved invoices: 1')
  expect(page.complaints).toEqual([])
}, 180_000)

test('where there is no browser to open, it prints the address, and the person goes on in the terminal', async () => {
  const { shown, type } = start(new World(), {})
  await expect.poll(shown, { timeout: 60_000 }).toMatch(/allow\? \[y\/N\]/)
  expect(shown()).toMatch(LINK)
  type('n\n')
  await expect.poll(shown, { timeout: 60_000 }).toContain('It may not, and goes on')
  await expect.poll(shown, { timeout: 60_000 }).toContain('The console stays until you press Ctrl-C')
  const page = await openPage(browser)
  await page.goto(LINK.exec(shown())?.[0] ?? '')
  await page.getByText('operator denied it: the person at the terminal said no').first().waitFor()
}, 180_000)
