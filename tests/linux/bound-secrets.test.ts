import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Secrets } from '../../packages/deskhand/src/secrets/secrets.ts'
import { describeDesktop } from '../support/desktop.ts'
import { realDesk, type RealDesk } from '../support/governed.ts'
import { fixture, listen, PYTHON, start } from '../support/linux.ts'

const SECRET = 'correct-horse-battery'
const FLAGS = ['--no-sandbox', '--force-renderer-accessibility', '--no-first-run', '--disable-gpu']
const FORM = `<label>Password <input type="password" aria-label="Password" oninput="fetch('/', { method: 'POST', body: this.value })"></label>`

/** A server that shows a page, and what was entered there. */
async function serve(page: () => string): Promise<{ server: Server; port: number; heard: string[] }> {
  const heard: string[] = []
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk: Buffer) => (body += chunk.toString()))
    request.on('end', () => {
      if (body !== '') heard.push(body)
      response.setHeader('content-type', 'text/html').end(page())
    })
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return { server, port: (server.address() as AddressInfo).port, heard }
}

describeDesktop('a secret that is bound to a page and to a script', () => {
  let dir: string
  let desk: RealDesk
  let bank: Awaited<ReturnType<typeof serve>>
  let phish: Awaited<ReturnType<typeof serve>>
  beforeAll(async () => {
    dir = mkdtempSync(join(tmpdir(), 'dh-bound-'))
    phish = await serve(() => `<title>Sign in</title>${FORM}`)
    bank = await serve(() => `<title>Bank</title>${FORM}<iframe title="Help" src="http://127.0.0.1:${phish.port}/"></iframe>`)
    const binding = `apps = ["python3", "python3.11", "python3.13", "chromium"]\nruns = ["**/other.py"]\nurls = ["127.0.0.1:${bank.port}"]\n`
    writeFileSync(join(dir, 'secrets.toml'), `[bank]\nvalue = "${SECRET}"\n${binding}`, { mode: 0o600 })
    const secrets = new Secrets(join(dir, 'secrets.toml'))
    desk = await realDesk({ ports: { redactor: secrets.redactor, secret: (name, target) => secrets.reveal(name, target) } })
  })
  afterAll(async () => {
    await desk?.close()
    for (const { server } of [bank, phish]) {
      server.closeAllConnections()
      server.close()
    }
    rmSync(dir, { recursive: true, force: true })
  })
  const browse = async (name: string, port: number): Promise<void> => {
    start(desk.sandbox, 'chromium', [...FLAGS, `--user-data-dir=${join(dir, name)}`, `http://127.0.0.1:${port}/`])
    const until = { uiState: { target: `(role=document && name="${name}") >> name="Password" >> nth=0`, visible: true } }
    expect(await desk.call('ui.wait', { until, timeoutMs: 60_000 })).toMatchObject({ status: 'success' })
  }
  const enter = (target: string) => desk.call('ui.type', { target, secret: 'bank', mode: 'replace' })

  test('goes to that page, and to no other that a browser shows: none inside of it, and not its address bar', async () => {
    await browse('Bank', bank.port)
    const inFrame = 'role=document && name="Sign in" >> name="Password" && role=textbox'
    expect(await desk.call('ui.wait', { until: { uiState: { target: inFrame, present: true } }, timeoutMs: 30_000 })).toMatchObject({
      status: 'success',
    })
    expect((await enter(inFrame)).error).toMatchObject({ code: 'DENIED' })
    expect((await enter('role=textbox && name^="Address"')).error).toMatchObject({ code: 'DENIED' })
    const found = await desk.call('ui.query', { selector: 'role=textbox && name="Password"' })
    const [own] = (found.data as { matches: { elementId: string; path?: string[] }[] }).matches
    expect(await enter(own?.elementId ?? '')).toMatchObject({ status: 'success' })
    await expect.poll(() => bank.heard).toContain(SECRET)
    expect(phish.heard).toEqual([])
    await desk.call('desktop.close', { app: 'chromium', force: true })
  })

  test('does not go to a page elsewhere that looks the same', async () => {
    await browse('Sign in', phish.port)
    expect((await enter('role=textbox && name="Password"')).error).toMatchObject({ code: 'DENIED' })
    expect(phish.heard).toEqual([])
  })

  test('does not go to another program of the same interpreter', async () => {
    const lines = listen(desk.sandbox, PYTHON, [fixture('secrets_gtk3.py')])
    const target = 'app~="secrets_gtk3" >> name="Password" ?? role=textbox && name="Password" && window="Vault"'
    expect(await desk.call('ui.wait', { until: { uiState: { target, visible: true } }, timeoutMs: 30_000 })).toMatchObject({
      status: 'success',
    })
    expect((await enter(target)).error).toMatchObject({ code: 'DENIED' })
    expect(lines().join('')).not.toContain(SECRET.slice(0, 3))
  })
})
