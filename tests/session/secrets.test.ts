import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { AppIdentity, Result, TargetFacts } from '@deskhand/core/model'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { Secrets } from '../../packages/deskhand/src/secrets/secrets.ts'
import { AGENT, desk, element, window, type TestDesk } from '../support/desk.ts'

const CANARY = 'correct-horse-battery'
let dir: string
let file: string

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'dh-secrets-'))
  file = join(dir, 'secrets.toml')
})
afterEach(() => rmSync(dir, { recursive: true, force: true }))

const store = (text: string): Secrets => {
  rmSync(file, { force: true })
  writeFileSync(file, text, { mode: 0o600 })
  return new Secrets(file, undefined)
}

const mailDesk = (secrets: Secrets): Promise<TestDesk> =>
  desk({
    ui: {
      windows: [
        window('Mail', [element('password_field', 'Password'), element('text_field', 'Subject')]),
        window('Other', [element('text_field', 'Leak')]),
      ],
    },
    ports: { redactor: secrets.redactor, secret: (name, target) => secrets.reveal(name, target) },
  })

test('a secret is typed by name, and its value is in nothing that leaves or stays', async () => {
  const { call, driver, journal } = await mailDesk(store(`[mail]\nvalue = "${CANARY}"\napps = ["virtual:mail"]\n`))
  const answers = [
    await call('ui.type', { target: 'name="Password"', secret: 'mail' }),
    await call('ui.type', { target: 'name="Subject"', secret: 'mail' }),
  ]
  expect(answers.map((a) => a.error)).toEqual([undefined, undefined])
  expect(driver.describe()[0]?.children?.[1]?.value).toBe(CANARY)
  answers.push(
    await call('ui.snapshot', { scope: 'desktop', includeTree: true, includeTextIndex: true }),
    await call('ui.query', { selector: 'name="Subject"' }),
  )
  expect(answers.map((a) => a.status)).toEqual(['success', 'success', 'success', 'success'])
  expect(JSON.stringify([answers, await journal()])).not.toContain(CANARY)
})

test('nor can it be guessed piece by piece, or seen in a picture', async () => {
  const secrets = store(`[mail]\nvalue = "${CANARY}"\napps = ["virtual:mail"]\n`)
  const { call, session } = await mailDesk(secrets)
  await call('ui.type', { target: 'name="Subject"', secret: 'mail' })
  const found = async (selector: string): Promise<unknown> => (await call('ui.query', { selector })).data
  expect(await found('role=textbox && value^="correct"')).toMatchObject({ count: 0 })
  expect(await found('any:text~="horse"')).toMatchObject({ count: 0 })
  const holds = { uiState: { target: 'name="Subject"', valueContains: 'battery' } }
  expect((await call('ui.assert', { condition: holds })).status).toBe('error')
  const [field] = ((await found('name="Subject"')) as { matches: { bounds: object }[] }).matches
  for await (const parts of session.frames({ principal: AGENT })) {
    expect(parts.flatMap((part) => part.masked)).toContainEqual(field?.bounds)
    break
  }
})

test('nor can it be copied out in pieces: where a piece is put is private too, and the clipboard is not read meanwhile', async () => {
  const { call, driver, session } = await mailDesk(store(`[mail]\nvalue = "${CANARY}"\napps = ["virtual:mail"]\n`))
  const clipboard = (): Promise<Result> => session.call({ tool: 'script.run', kind: 'clipboard_read', args: {}, principal: AGENT })
  await call('ui.type', { target: 'name="Subject"', secret: 'mail' })
  const copied = await call('ui.key', {
    target: 'name="Subject"',
    keys: ['Home', ...Array.from({ length: 7 }, () => 'shift+ArrowRight'), 'ctrl+c'],
  })
  expect(copied.error).toBeUndefined()
  expect((await clipboard()).error).toMatchObject({ code: 'DENIED' })
  expect((await call('ui.key', { target: 'name="Leak"', keys: 'ctrl+v' })).error).toBeUndefined()
  expect(JSON.stringify(driver.describe())).toMatch(/"value":"correct"/)
  const looks = [await call('ui.query', { selector: 'role=textbox' }), await call('ui.snapshot', { scope: 'desktop', includeTree: true })]
  expect(JSON.stringify(looks)).not.toContain('correct')
  await session.call({ tool: 'script.run', kind: 'clipboard_write', args: { text: 'of the agent' }, principal: AGENT })
  expect((await clipboard()).data).toEqual({ text: 'of the agent' })
})

test('nor by an entry of a menu, whatever it is called', async () => {
  const secrets = store(`[mail]\nvalue = "${CANARY}"\napps = ["virtual:mail"]\n`)
  const menu = element('menubar', 'Bar', { children: [element('menu', 'Rediger', { children: [element('menuitem', 'Kopiér')] })] })
  const { call, session } = await desk({
    ui: { windows: [window('Mail', [menu, element('text_field', 'Subject')])] },
    ports: { redactor: secrets.redactor, secret: (name, target) => secrets.reveal(name, target) },
  })
  const clipboard = (): Promise<Result> => session.call({ tool: 'script.run', kind: 'clipboard_read', args: {}, principal: AGENT })
  await call('ui.type', { target: 'name="Subject"', secret: 'mail' })
  await call('ui.key', { target: 'name="Subject"', keys: ['Home', 'shift+ArrowRight'] })
  expect((await clipboard()).error).toBeUndefined()
  await call('ui.click', { target: 'role=menu && name="Rediger"' })
  expect((await call('ui.click', { target: 'role=menuitem && name="Kopiér"' })).error).toBeUndefined()
  expect((await clipboard()).error).toMatchObject({ code: 'DENIED' })
})

test('not even as the name of a tool, of an operation or of a secret', async () => {
  const { call, journal } = await mailDesk(store(`[mail]\nvalue = "${CANARY}"\napps = ["virtual:mail"]\n`))
  const answers = [
    await call(`${'x'.repeat(90)}${CANARY}`),
    await call('op.status', { op: CANARY }),
    await call('ui.type', { target: 'name="Subject"', secret: CANARY }),
    await call('plan.rehearse', { actions: [{ tool: CANARY, args: {} }] }),
  ]
  expect(answers.map((a) => a.error?.code)).toEqual(['UNKNOWN_TOOL', 'UNKNOWN_OP', 'UNKNOWN_SECRET', 'UNKNOWN_TOOL'])
  expect(JSON.stringify([answers, await journal()])).not.toMatch(/correct-horse/)
})

test('a secret goes only where it is bound to', async () => {
  const { call } = await mailDesk(store(`[mail]\nvalue = "${CANARY}"\napps = ["virtual:mail"]\n`))
  expect((await call('ui.type', { target: 'name="Leak"', secret: 'mail' })).error).toMatchObject({ code: 'DENIED' })
  expect((await call('ui.type', { target: 'name="Subject"', secret: 'other' })).error).toMatchObject({ code: 'UNKNOWN_SECRET' })
  expect((await call('ui.type', { target: 'name="Subject"', secret: 'constructor' })).error).toMatchObject({ code: 'UNKNOWN_SECRET' })
})

test('a secret for a page or for what an interpreter runs goes nowhere else of the same program', async () => {
  const facts: TargetFacts = { role: 'textbox', path: [], source: 'structure', confidence: 1, why: [] }
  const into = (target: Partial<TargetFacts>): Promise<string> => secrets.reveal('mail', { ...facts, ...target })
  const program = (name: string): AppIdentity => ({ id: name, name, executable: `/usr/bin/${name}` })
  const [browser, python] = [program('chromium'), program('python3')]
  const bound = 'runs = ["/srv/bank.py"]\nurls = ["https://bank.example/login/**"]\n'
  const secrets = store(`[mail]\nvalue = "${CANARY}"\napps = ["chromium", "python3", "mousepad"]\n${bound}`)
  expect(await into({ app: browser, url: 'https://bank.example/login/step?n=1' })).toBe(CANARY)
  expect(await into({ app: { ...python, runs: '/srv/bank.py' } })).toBe(CANARY)
  expect(await into({ app: program('mousepad') })).toBe(CANARY)
  for (const target of [
    ...['https://bank.example.evil/login/x', 'http://bank.example/login/x', 'https://bank.example@evil/login/x', '', undefined].map(
      (url) => ({
        app: browser,
        url,
      }),
    ),
    { app: { ...python, runs: '/tmp/srv/bank.py' } },
    { app: { ...python, runs: '/srv/bank.py/../../evil.py' } },
  ])
    await expect(into(target)).rejects.toMatchObject({ code: 'DENIED' })
  expect(() => store('[mail]\nvalue = "x"\napps = ["a"]\nurls = []\n')).toThrow(/urls/)
})

test('a secret from a command is filtered from the moment it is known', async () => {
  const { call } = await mailDesk(store(`[mail]\ncommand = ["printf", "${CANARY}"]\napps = ["virtual:mail"]\n`))
  expect(await call('ui.type', { target: 'name="Subject"', secret: 'mail' })).toMatchObject({ status: 'success', effect: 'confirmed' })
  expect(JSON.stringify(await call('ui.query', { selector: 'name="Subject"' }))).not.toContain(CANARY)
})

test('a file that others can read is refused, and a broken one does not quote itself', () => {
  writeFileSync(file, `[mail]\nvalue = "${CANARY}"\napps = ["virtual:mail"]\n`)
  chmodSync(file, 0o644)
  expect(() => new Secrets(file, undefined)).toThrow(/read by others/)
  expect(() => store(`value = "${CANARY}\n`)).toThrow(/no TOML/)
})

test('text that runs on behind a key that moves the focus is kept as a commitment, by each route', async () => {
  const { call, journal } = await desk({
    ui: { windows: [window('Login', [element('text_field', 'User'), element('password_field', 'Password')])] },
  })
  await call('ui.type', { target: 'name="User"', text: 'anna\tPW-1234' })
  await call('ui.type', { target: 'name="User"', text: 'anna\nPW-1234' })
  await call('ui.key', { target: 'name="User"', keys: ['Tab', ...'PW-1234'] })
  await call('ui.keys', {
    events: ['Tab', ...'PW-1234'].flatMap((key) => [
      { type: 'down', key },
      { type: 'up', key },
    ]),
  })
  await call('ui.type', { target: 'name="User"', text: 'plain words\n' })
  const record = JSON.stringify(await journal())
  expect(record).not.toContain('PW-1234')
  expect(record).not.toContain('"P","W"')
  expect(record).not.toMatch(/"key":"P"/)
  expect(record).toContain('plain words')
})

test('an environment is handed on without what holds a secret, whatever its name', () => {
  const secrets = store(`[mail]\nvalue = "${CANARY}"\napps = ["x"]\n\n[bank]\nenv = "BANK_PIN"\napps = ["x"]\n`)
  const env = { PATH: '/bin', BANK_PIN: 'anything', COPY: `a:${CANARY}`, EVIDENCE: 'ab'.repeat(32), TWIN: `x${'ab'.repeat(32)}` }
  expect(secrets.withoutSecrets(env, ['EVIDENCE'])).toEqual({ PATH: '/bin' })
})
