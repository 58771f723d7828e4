import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Secrets } from '../../packages/deskhand/src/secrets/secrets.ts'
import { AGENT } from '../support/desk.ts'
import { describeDesktop } from '../support/desktop.ts'
import { realDesk, type RealDesk } from '../support/governed.ts'
import { fixture, listen, PYTHON, shown } from '../support/linux.ts'

const SECRET = 'correct-horse-battery'
const TYPED = 'pw-of-anna-77'

const TOOLKITS = [
  ['GTK 3', 'secrets_gtk3.py'],
  ['GTK 4', 'secrets_gtk4.py'],
  ['Qt 5', 'secrets_qt5.py'],
] as const

describeDesktop.each(TOOLKITS)('what was typed into a private field of %s', (_, program) => {
  let dir: string
  let desk: RealDesk
  let lines: () => string[]
  beforeAll(async () => {
    dir = mkdtempSync(join(tmpdir(), 'dh-private-'))
    writeFileSync(join(dir, 'secrets.toml'), `[mail]\nvalue = "${SECRET}"\napps = ["python3", "python3.11", "python3.13"]\n`, {
      mode: 0o600,
    })
    const secrets = new Secrets(join(dir, 'secrets.toml'))
    desk = await realDesk({ ports: { redactor: secrets.redactor, secret: (name, target) => secrets.reveal(name, target) } })
    lines = listen(desk.sandbox, PYTHON, [fixture(program)])
    await shown(desk.driver, 'Vault')
  })
  afterAll(async () => {
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

  test('nor while it is typed', async () => {
    const seen: string[] = []
    let busy = true
    const typing = desk.call('ui.type', { target: 'name="Notes"', secret: 'mail' }).finally(() => (busy = false))
    while (busy) seen.push(JSON.stringify(await desk.call('ui.query', { selector: 'name="Notes"' })))
    expect((await typing).status).toBe('success')
    expect(seen.length).toBeGreaterThan(0)
    expect(seen.join('')).not.toMatch(/"value":"c|corr/)
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
})
