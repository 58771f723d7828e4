import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Frame } from '@deskhand/core/driver'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Secrets } from '../../packages/deskhand/src/secrets/secrets.ts'
import { AGENT, placeIn } from '../support/desk.ts'
import { describeDesktop } from '../support/desktop.ts'
import { realDesk, type RealDesk } from '../support/governed.ts'
import { fixture, listen, PYTHON, shown, start } from '../support/linux.ts'

const SECRET = 'correct-horse-battery'
const TYPED = 'pw-of-anna-77'

const TOOLKITS = [
  ['GTK 3', 'secrets_gtk3.py'],
  ['GTK 4', 'secrets_gtk4.py'],
  ['Qt 5', 'secrets_qt5.py'],
  ['Chromium', 'pages/secrets.html'],
] as const

const FLAGS = ['--no-sandbox', '--force-renderer-accessibility', '--no-first-run', '--disable-gpu', '--disable-spell-checking']

/** Opens a page in a browser of its own; what its fields hold is what the page tells its server. */
async function browse({ sandbox }: RealDesk, dir: string, page: string): Promise<{ lines: () => string[]; end: () => void }> {
  const told: string[] = []
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk: Buffer) => (body += chunk.toString()))
    request.on('end', () => {
      if (body !== '') told.push(body)
      response.setHeader('content-type', 'text/html; charset=utf-8').end(request.url === '/' ? readFileSync(fixture(page)) : '')
    })
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as AddressInfo
  start(sandbox, 'chromium', [...FLAGS, `--user-data-dir=${join(dir, 'profile')}`, `--app=http://127.0.0.1:${port}/`])
  const end = (): void => {
    server.close()
    server.closeAllConnections()
  }
  return { lines: () => told, end }
}

describeDesktop.each(TOOLKITS)('what was typed into a private field of %s', (_, program) => {
  let dir: string
  let desk: RealDesk
  let lines: () => string[]
  let end = (): void => {}
  beforeAll(async () => {
    dir = mkdtempSync(join(tmpdir(), 'dh-private-'))
    const binding = 'apps = ["python3", "python3.11", "python3.13", "chromium"]\nruns = ["**/secrets_*.py"]\nurls = ["127.0.0.1:*"]\n'
    writeFileSync(join(dir, 'secrets.toml'), `[mail]\nvalue = "${SECRET}"\n${binding}`, { mode: 0o600 })
    const secrets = new Secrets(join(dir, 'secrets.toml'))
    desk = await realDesk({ ports: { redactor: secrets.redactor, secret: (name, target) => secrets.reveal(name, target) } })
    if (program.endsWith('.html')) ({ lines, end } = await browse(desk, dir, program))
    else lines = listen(desk.sandbox, PYTHON, [fixture(program)])
    await shown(desk.driver, 'Vault')
  })
  afterAll(async () => {
    end()
    await desk.close()
    rmSync(dir, { recursive: true, force: true })
  })

  /** What the application itself says that its fields hold. */
  const held = (): Record<string, string> => JSON.parse(lines().at(-1) ?? '{}') as Record<string, string>
  const looks = async (): Promise<string> => {
    const answers = [
      await desk.call('ui.snapshot', { scope: 'desktop', includeTree: true, includeTextIndex: true, mode: 'all' }),
      await desk.call('ui.query', { selector: 'role=textbox' }),
      await desk.session.call({ tool: 'script.run', kind: 'clipboard_read', args: {}, principal: AGENT }),
    ]
    return JSON.stringify([answers, await desk.journal()])
  }

  test('an operator’s secret in an ordinary field cannot be read back after it was edited', async () => {
    expect(await desk.call('ui.type', { target: 'name="Token"', secret: 'mail' })).toMatchObject({ status: 'success' })
    await expect.poll(() => held()['Token']).toBe(SECRET)
    for (const keys of ['Home', 'Delete', 'Delete', 'End', 'Backspace'])
      expect((await desk.call('ui.key', { target: 'name="Token"', keys })).error).toBeUndefined()
    const left = SECRET.slice(2, -1)
    await expect.poll(() => held()['Token']).toBe(left)
    const seen = await looks()
    expect(seen).not.toContain(left)
    expect(seen).not.toMatch(/rrect-h|orse-b|batter/)
  })

  test('nor in a picture, while a field beside it shows', async () => {
    const shot = async (): Promise<Frame> =>
      (await desk.session.call({ tool: 'ui.capture', kind: 'capture', args: { format: 'raw' }, principal: AGENT })).data as Frame
    let whole = await shot()
    const colours = async (name: string): Promise<number> => {
      const { x, y, w, h } = placeIn(await desk.call('ui.query', { selector: `name="${name}" && (role=textbox || role=button)` }))
      const found = new Set<string>()
      for (let row = Math.ceil(y); row < y + h - 1; row++)
        for (let column = Math.ceil(x); column < x + w - 1; column++) {
          const at = (row * whole.width + column) * 4
          found.add(whole.data.slice(at, at + 3).join())
        }
      return found.size
    }
    expect(await colours('Token')).toBe(1)
    // Around a field that has just changed more than the field is black for a moment.
    await expect.poll(async () => ((whole = await shot()), colours('Show')), { timeout: 10_000 }).toBeGreaterThan(1)
    expect(await colours('Token')).toBe(1)
  })

  test('nor while it is typed', async () => {
    const seen: string[] = []
    let busy = true
    const typing = desk.call('ui.type', { target: 'name="Notes"', secret: 'mail' }).finally(() => (busy = false))
    while (busy) seen.push(JSON.stringify(await desk.call('ui.query', { selector: 'name="Notes"' })))
    expect((await typing).status).toBe('success')
    expect(seen.length).toBeGreaterThan(0)
    expect(seen.join('')).not.toMatch(/"value":"c|corr/)
  })

  test('nor as a copy of a few letters of it', async () => {
    await desk.call('ui.key', { target: 'name="Notes"', keys: ['Home', ...Array.from({ length: 4 }, () => 'shift+ArrowRight'), 'ctrl+c'] })
    await desk.call('ui.key', { target: 'name="Account"', keys: ['ctrl+a', 'ctrl+v'] })
    await expect.poll(() => held()['Account']).toBe(SECRET.slice(0, 4))
    expect(await looks()).not.toMatch(new RegExp(`"(?:value|text)":"${SECRET.slice(0, 4)}"`))
    // A copy of nothing leaves them on the clipboard.
    await desk.call('ui.type', { target: 'name="Account"', text: '', mode: 'replace' })
    await desk.call('ui.key', { target: 'name="Account"', keys: 'ctrl+c' })
    expect(await looks()).not.toMatch(new RegExp(`"(?:value|text)":"${SECRET.slice(0, 4)}"`))
    await desk.call('ui.type', { target: 'name="Account"', text: '', mode: 'replace' })
  })

  test('nor as a copy of most of it in the clipboard or in another field', async () => {
    await desk.call('ui.key', { target: 'name="Notes"', keys: ['ctrl+a', 'ctrl+c'] })
    await desk.call('ui.key', { target: 'name="Account"', keys: ['ctrl+v'] })
    await desk.call('ui.key', { target: 'name="Account"', keys: ['Home', 'Delete'] })
    await expect.poll(() => held()['Account']).toBe(SECRET.slice(1))
    expect(await looks()).not.toMatch(/rrect-h|orse-b|batter/)
    await desk.call('ui.type', { target: 'name="Account"', text: 'anna', mode: 'replace' })
  })

  test('a password stays hidden when the application shows it', async () => {
    await desk.call('ui.type', { target: 'name="Password"', text: TYPED, mode: 'replace' })
    await expect.poll(() => held()['Password']).toBe(TYPED)
    expect((await desk.call('ui.click', { target: 'name="Show"' })).error).toBeUndefined()
    await desk.call('ui.focus', { target: 'name="Password"' })
    await desk.call('ui.key', { target: 'name="Password"', keys: ['End', 'Backspace'] })
    await expect.poll(() => held()['Password']).toBe(TYPED.slice(0, -1))
    expect(await looks()).not.toContain(TYPED.slice(0, -1))
  })

  test.runIf(program.endsWith('.html'))('nor when a script puts another field with the same text in its place', async () => {
    await desk.call('ui.type', { target: 'name="Code"', text: TYPED, mode: 'replace' })
    await expect.poll(() => held()['Code']).toBe(TYPED)
    expect((await desk.call('ui.click', { target: 'name="Swap"' })).error).toBeUndefined()
    await desk.call('ui.key', { target: 'name="Code"', keys: ['End', 'x'] })
    await expect.poll(() => held()['Code']).toBe(`${TYPED}x`)
    expect(await looks()).not.toContain(TYPED)
  })
})
