import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import type { Driver } from '@deskhand/core/driver'
import { createRedactor } from '@deskhand/core/redaction'
import { openVirtual, type VirtualDriver } from '@deskhand/driver-virtual'
import { checkPolicyFile, parsePolicy } from '@deskhand/core/policy'
import { desk, element, OPERATOR, window, type TestDesk } from '../support/desk.ts'

/**
 * What people complain about in other tools of this kind, each with the test that would have caught it. What the simulated desktop
 * cannot show stands below, with the tests that do.
 */
const COMPLAINTS: Record<string, () => Promise<void>> = {
  'a click that reports success and did nothing': async () => {
    const { call } = await desk({ ui: { windows: [window('App', [element('button', 'Dead')])] } })
    await call('ui.click', { target: 'name="Dead"' })
    expect(await call('ui.click', { target: 'name="Dead"' })).toMatchObject({ sent: 'all', effect: 'no_effect' })
    expect(await call('ui.click', { target: 'name="Dead"', verify: { text: 'Done' } })).toMatchObject({
      status: 'error',
      error: { code: 'VERIFY_FAILED' },
    })
  },

  'typing into the wrong window and reporting ok': async () => {
    const notes = element('text_area', 'Notes', { is_focused: true, attributes: { on: { change: [{ do: 'open', element: 'chat' }] } } })
    const chat = { ...(window('Chat', [element('text_field', 'Message', { is_focused: true })]) as object), is_visible: false }
    const { call, driver } = await desk({ ui: { windows: [window('Editor', [notes]), chat] } })
    const result = await call('ui.key', { keys: [...'secret'] })
    expect(result).toMatchObject({ sent: 'partial', error: { code: 'GUARD_BROKEN' } })
    expect(driver.state().focused).toBe('text_field_message')
    expect([valueOf(driver.describe(), 'text_area_notes'), valueOf(driver.describe(), 'text_field_message')]).toEqual(['s', ''])
  },

  'the approval dialog stealing the focus': async () => {
    const d = await desk({
      ui: { windows: [window('App', [element('text_field', 'Name', { is_focused: true }), element('button', 'Pay')])] },
      policy: ASK,
    })
    const before = [d.driver.state().focused, d.driver.describe()]
    void d.call('ui.click', { target: 'name="Pay"' })
    await asked(d)
    expect([d.driver.state().focused, d.driver.describe()]).toEqual(before)
    // A person at the controls can go on typing meanwhile: no caller holds the lease.
    d.driver.human({ do: 'text', text: 'me' })
    expect(valueOf(d.driver.describe(), 'text_field_name')).toBe('me')
  },

  'an approval widened by changed arguments': async () => {
    const d = await desk({
      ui: { windows: [window('Bank', [element('text_field', 'Amount')])] },
      policy: ASK.replace('ui.click', 'ui.type'),
    })
    const first = d.call('ui.type', { target: 'name="Amount"', text: '10' }, { callId: 'pay' })
    await answer(d, 'once')
    expect(await first).toMatchObject({ status: 'success' })
    expect((await d.call('ui.type', { target: 'name="Amount"', text: '10000' }, { callId: 'pay' })).error).toMatchObject({
      code: 'BAD_ARGS',
    })
    expect((await d.call('ui.type', { target: 'name="Amount"', text: '10000' }, { waitMs: 60 })).error).toMatchObject({
      code: 'APPROVAL_PENDING',
    })
    expect(valueOf(d.driver.describe(), 'text_field_amount')).toBe('10')
  },

  'a prompt per click': async () => {
    const d = await desk({ ui: { windows: [window('App', [element('button', 'Next'), element('button', 'Back')])] }, policy: ASK })
    const questions: string[] = []
    const listen = async (): Promise<void> => {
      for await (const e of d.session.events.subscribe()) if (e.type === 'approval' && e.state === 'asked') questions.push(e.approval.id)
    }
    void listen()
    const first = d.call('ui.click', { target: 'name="Next"' })
    await answer(d, 'app')
    await first
    for (let i = 0; i < 10; i++)
      expect(await d.call('ui.click', { target: `name="${i % 2 ? 'Next' : 'Back'}"` }, { waitMs: 2000 })).toMatchObject({
        status: 'success',
      })
    expect(questions).toHaveLength(1)
  },

  'app rules that can never match': async () => {
    const rule = '[[rule]]\ntoolName = "ui.click"\ndecision = "deny"\npriority = 900\n[rule.when]\napp = "Bank"\n'
    const { call, driver } = await desk({
      ui: { windows: [window('Bank', [element('checkbox', 'Agree', { value: false })])] },
      policy: rule,
    })
    expect((await call('ui.click', { target: 'name="Agree"' })).error).toBeDefined()
    expect(valueOf(driver.describe(), 'checkbox_agree')).not.toBe(true)
    expect(() => parsePolicy(rule.replace('app =', 'apps ='), 'p.toml', 'user')).toThrow(/p\.toml:6.*did you mean app\?/)
    expect(warnings(rule.replace('ui.click', 'ui.clicks'))).toEqual([expect.stringContaining('did you mean "ui.click"')])
  },

  'screenshots that show other applications': async () => {
    const ui = {
      windows: [
        { ...(window('Diary', [element('label', 'dear diary')]) as object), bounds_relative: [0, 0, 0.4, 0.5] },
        { ...(window('App', [element('button', 'Go')]) as object), bounds_relative: [0.5, 0.5, 0.4, 0.4] },
      ],
    }
    const hide = '[[rule]]\ntoolName = "*"\ndecision = "deny"\npriority = 900\n[rule.when]\napp = "diary"\n'
    const look = async (policy: string): Promise<Uint8Array> => {
      const { images } = await (await desk({ ui, policy })).call('ui.snapshot', { includeScreenshot: true })
      return images?.[0]?.data ?? new Uint8Array()
    }
    const [open, hidden] = [await look(''), await look(hide)]
    const area = { x: 40, y: 40, w: 300, h: 200 }
    expect(await coloursIn(open, area)).toBeGreaterThan(1)
    expect(await coloursIn(hidden, area)).toBe(1)
    expect(await coloursIn(hidden, { x: 660, y: 420, w: 300, h: 200 })).toBeGreaterThan(1)
  },

  'no panic key that really stops': async () => {
    const { call, session, driver } = await desk({
      ui: { windows: [window('App', [element('text_area', 'Notes', { is_focused: true })])] },
    })
    const typing = call('ui.type', { text: 'x'.repeat(200_000) })
    await sleep(5)
    await session.invoke('stop', {}, OPERATOR)
    expect((await typing).error).toMatchObject({ code: 'STOPPED' })
    const typed = valueOf(driver.describe(), 'text_area_notes')
    expect(String(typed).length).toBeLessThan(200_000)
    expect((await call('ui.type', { text: 'more' })).error).toMatchObject({ code: 'STOPPED' })
    expect(valueOf(driver.describe(), 'text_area_notes')).toBe(typed)
  },

  'typed text in logs': async () => {
    const redactor = createRedactor({ secrets: [{ name: 'mail', value: 'correct-horse' }] })
    const { call, journal } = await desk({
      ui: { windows: [window('App', [element('password_field', 'Password'), element('text_field', 'Name')])] },
      ports: { redactor },
    })
    const results = [
      await call('ui.type', { target: 'name="Password"', text: 'hunter2hunter2' }),
      await call('ui.type', { target: 'name="Name"', text: 'Anna Secretive', redactInLogs: true }),
      await call('ui.type', { target: 'name="Name"', text: 'correct-horse', intent: 'x' }),
      await call('ui.type', { target: 'name="Name"', text: 'it is correct-horse' }),
    ]
    expect(results.filter((r) => r.status === 'success')).toHaveLength(3)
    const written = JSON.stringify(await journal())
    for (const secret of ['hunter2', 'Secretive', 'correct-horse']) expect(written).not.toContain(secret)
  },

  'snapshots that flood the model or drown in 10,000 rows': async () => {
    const options = Array.from({ length: 10_000 }, (_, i) => `Invoice number ${i} of somebody`)
    const { call } = await desk({
      ui: { windows: [window('App', [element('list', 'Invoices', { attributes: { options } }), element('button', 'Open')])] },
    })
    for (const all of [false, true]) {
      const { text = '' } = await call('ui.snapshot', { all })
      expect(text.length / 3).toBeLessThan(8_000)
      expect(text).toContain('"Open"')
    }
    expect(await call('ui.click', { target: 'name="Invoice number 9999 of somebody"', timeoutMs: 0 })).not.toMatchObject({
      error: { code: 'NOT_FOUND' },
    })
  },

  'a truncated tree reported as empty': async () => {
    const { call } = await desk({ ui: { windows: [window('App', [element('button', 'Go')])] }, ports: { driver: truncated() } })
    const absent = await call('ui.assert', { condition: { uiState: { target: 'name="Gone"', present: false } } })
    expect(absent).toMatchObject({ status: 'error', error: { message: expect.stringContaining('unknown') } })
    expect((await call('ui.click', { target: 'name="Gone"', timeoutMs: 0 })).error?.message).toContain('only 2 elements were read')
    expect((await call('ui.snapshot')).text).toContain('only 2 elements were read')
  },

  'stuck keys': async () => {
    const { call, session, driver } = await desk({
      ui: { windows: [window('App', [element('text_field', 'Name', { is_focused: true })])] },
      ports: {
        driver: openVirtual({ ui: { windows: [window('App', [element('text_field', 'Name', { is_focused: true })])] }, clock: 'real' }),
      },
    })
    const holding = call('ui.key', { keys: 'shift', holdMs: 10_000 })
    await sleep(100)
    await session.invoke('stop', {}, OPERATOR)
    expect((await holding).error).toMatchObject({ code: 'STOPPED' })
    await session.invoke('resume', {}, OPERATOR)
    await call('ui.key', { keys: 'a' })
    const { data } = await call('ui.query', { selector: 'role=textbox' })
    expect(data).toMatchObject({ matches: [{ value: 'a' }] })
    await driver.close()
  },
}

const SHOWN_ELSEWHERE: Record<string, readonly string[]> = {
  'empty trees for Electron with no hint': ['tests/linux/driver.test.ts'],
  'keys that stay down when a process is killed under load': ['tests/linux/deadman.test.ts'],
  'sessions that cannot become a deterministic script': ['tests/cli/journal.test.ts'],
  'Python "sandboxes" that are a temporary HOME': ['tests/python/escape.test.ts', 'tests/python/control.test.ts'],
}

const ASK = '[[rule]]\ntoolName = "ui.click"\ndecision = "ask_user"\npriority = 500\n'

describe('nobody has to complain here about', () => {
  test.each(Object.entries(COMPLAINTS))('%s', (_, shown) => shown())

  test.each(Object.entries(SHOWN_ELSEWHERE))('%s: %j', (_, files) => {
    expect(files.filter((f) => !existsSync(resolve(import.meta.dirname, '../..', f)))).toEqual([])
  })
})

function valueOf(elements: ReturnType<VirtualDriver['describe']>, id: string): unknown {
  for (const e of elements) {
    if (e.element_id === id) return e.value ?? ''
    const below = valueOf(e.children ?? [], id)
    if (below !== undefined) return below
  }
  return undefined
}

async function asked(d: TestDesk): Promise<string> {
  for (let i = 0; i < 400; i++) {
    const [found] = d.session.approvals.list()
    if (found !== undefined) return found.id
    await sleep(5)
  }
  throw new Error('nothing was asked')
}

const answer = async (d: TestDesk, scope: 'once' | 'app'): Promise<unknown> =>
  d.session.invoke('approvals.answer', { id: await asked(d), allow: true, scope }, OPERATOR)

function warnings(text: string): string[] {
  const dir = mkdtempSync(join(tmpdir(), 'dh-policy-'))
  try {
    writeFileSync(join(dir, 'p.toml'), text)
    return checkPolicyFile(join(dir, 'p.toml'), { tools: ['ui.click', 'ui.type'] }).map((p) => p.message)
  } finally {
    rmSync(dir, { recursive: true })
  }
}

/** How many colours a part of a picture has: a masked one has one. */
async function coloursIn(png: Uint8Array, { x, y, w, h }: { x: number; y: number; w: number; h: number }): Promise<number> {
  const pixels = await sharp(png).extract({ left: x, top: y, width: w, height: h }).removeAlpha().raw().toBuffer()
  return new Set(Array.from({ length: w * h }, (_, i) => pixels.readUIntBE(3 * i, 3))).size
}

/** A simulated desktop that could not be read to its end. */
function truncated(): Driver {
  const driver = openVirtual({ ui: { windows: [window('App', [element('button', 'Go')])] } })
  const completeness = { complete: false, reasons: [{ kind: 'truncated' as const, detail: 'only 2 elements were read' }] }
  const read: Driver['observe']['read'] = async (scope, ctx) => ({ ...(await driver.observe.read(scope, ctx)), completeness })
  return { ...driver, observe: Object.assign(Object.create(driver.observe) as Driver['observe'], { read }) }
}
