/**
 * Pictures of every view of the console, of the real server with an agent at work on the simulated desktop.
 * `node scripts/make-console-pictures.mjs` writes those of docs/; with a folder, a size and a theme it writes any others there:
 * `node scripts/make-console-pictures.mjs /tmp/views 820x1180 dark`.
 */
import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { chromium } from 'playwright-core'

const ROOT = resolve(import.meta.dirname, '..')
const BIN = join(ROOT, 'packages/deskhand/dist/cli/main.js')
const UI = join(ROOT, 'packages/deskhand/demo/office.ui.json')
const VIEWS = ['desktop', 'timeline', 'inspector', 'policy', 'scripts', 'settings']
const RULES = `[[rule]]
name = "saving asks"
toolName = "ui.click"
decision = "ask_user"
priority = 600
[rule.when]
name = "Save*"

[[rule]]
name = "nothing is archived"
toolName = "ui.click"
decision = "deny"
priority = 600
[rule.when]
name = "Archive"
`
const SETTLE_MS = 2_500

const [folder = join(ROOT, 'docs'), size = '1280x800', theme = 'light'] = process.argv.slice(2)
const [width, height] = size.split('x').map(Number)
const dir = mkdtempSync(join(tmpdir(), 'dh-pictures-'))
const env = { PATH: process.env.PATH, HOME: dir, DESKHAND_STATE: join(dir, 'state') }
const started = []

const start = (...args) => {
  const child = spawn(process.execPath, [BIN, ...args], { env, cwd: dir, stdio: ['ignore', 'pipe', 'inherit'] })
  started.push(child)
  return child
}
const call = (tool, args) => new Promise((done) => start('call', tool, JSON.stringify(args)).once('close', done))

async function up() {
  const child = start('up', '--port', '0', '--json', '--ui', UI)
  return new Promise((done, fail) => {
    let out = ''
    child.stdout.setEncoding('utf8').on('data', (text) => {
      out += text
      if (out.includes('\n')) done(JSON.parse(out.slice(0, out.indexOf('\n'))))
    })
    child.once('exit', (code) => fail(new Error(`deskhand up ended with ${code}`)))
  })
}

let browser
try {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(dir, 'rules.toml'), RULES)
  writeFileSync(join(dir, 'deskhand.toml'), '[policy]\nfiles = ["rules.toml"]\n')
  const { open, url } = await up()
  browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox', '--disable-gpu'] })
  const page = await browser.newPage({ viewport: { width, height }, colorScheme: theme === 'dark' ? 'dark' : 'light' })
  await page.goto(open)
  await page.getByRole('heading', { name: /question/ }).waitFor()
  await page.evaluate("localStorage.setItem('deskhand.hints', '3')")
  await call('ui.type', { target: 'name="Customer"', text: 'Ada Lovelace' })
  await call('ui.type', { target: 'name="Amount"', text: '42' })
  await call('ui.click', { target: 'name="Archive"' })
  await call('ui.click', { target: 'name="Already paid"' })
  void call('ui.click', { target: 'name="Save invoice"' })
  await page.getByRole('article').waitFor()
  for (const view of VIEWS) {
    await page.goto(`${url}/${view === 'desktop' ? '' : view}`)
    await page.getByRole('main').waitFor()
    if (view === 'timeline')
      await page
        .getByRole('option', { name: /Clicked Already paid/ })
        .first()
        .click()
    if (view === 'inspector') {
      const filter = page.getByRole('searchbox', { name: 'Filter by name or role' })
      await filter.fill('Save invoice')
      await page.getByRole('option', { name: 'button Save invoice' }).click()
      await filter.fill('')
    }
    if (view === 'scripts') {
      await page.locator('.editor .cm-content').getByText('Ada Lovelace').waitFor()
      await page.getByRole('button', { name: 'Rehearse' }).click()
      await page.getByRole('heading', { name: 'What it would do' }).waitFor()
    }
    await page.waitForTimeout(SETTLE_MS)
    await page.screenshot({ path: join(folder, view === 'desktop' ? 'console.png' : `console-${view}.png`) })
  }
} finally {
  await browser?.close()
  for (const child of started) if (child.exitCode === null) child.kill('SIGTERM')
  await Promise.all(started.map((child) => child.exitCode ?? child.signalCode ?? new Promise((done) => child.once('exit', done))))
  rmSync(dir, { recursive: true, force: true })
}
