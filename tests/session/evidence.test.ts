import { createHash } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openEvidence } from '@deskhand/core/journal'
import type { Region, Result } from '@deskhand/core/model'
import { encode } from '../../packages/deskhand/src/wiring/encode.ts'
import { desk, element, OPERATOR, window, type TestDesk } from '../support/desk.ts'

const KEY = Buffer.alloc(32, 7)
const counting = { attributes: { on: { click: [{ do: 'increment', element: 'label_n', format: '{}' }] } } }
const UI = {
  windows: [
    window('Shop', [
      element('label', 'n', { value: 0 }),
      element('button', 'Order', counting),
      element('button', 'Dead'),
      element('text_field', 'Mail', { value: 'anna.canary@example.org' }),
      element('label', 'Card 4111 1111 1111 1111', { element_id: 'card' }),
      element('password_field', 'Password', { value: 'hunter2hunter2' }),
    ]),
  ],
}
const rule = (obligations: string, more = ''): string =>
  `[[rule]]\ntoolName = "ui.*"\ndecision = "allow"\npriority = 500\nwhen = { risk = ["low", "medium", "high"] }\nobligations = { ${obligations} }\n${more}`
const ASK = '[[rule]]\ntoolName = "ui.click"\ndecision = "ask_user"\npriority = 600\nwhen = { risk = ["low", "medium", "high"] }\n'
const DENY_CAPTURE = '[[rule]]\ntoolName = "ui.capture"\ndecision = "deny"\npriority = 700\ndenyMessage = "No pictures."\n'

let dir: string
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'dh-ev-'))
})
afterEach(() => rmSync(dir, { recursive: true, force: true }))

const store = (key?: Buffer) => ({ encode, evidence: openEvidence(dir, key) })
const on = (policy: string, key?: Buffer): Promise<TestDesk> => desk({ ui: UI, policy, ports: store(key) })
const click = (d: TestDesk, name = 'Order'): Promise<Result> => d.call('ui.click', { target: `name="${name}"` })
const files = (): string[] => readdirSync(dir, { recursive: true, encoding: 'utf8' }).filter((f) => statSync(join(dir, f)).isFile())

describe('a rule that asks for evidence', () => {
  test('as hashes keeps names of what was seen before and after, and not a byte of it', async () => {
    const d = await on(rule('evidence = "hash", screenshot = true'))
    const { evidence } = await click(d)
    expect(evidence?.before?.outline).toMatch(/^sha256:[0-9a-f]{64}$/)
    expect(evidence?.before?.picture).toMatch(/^sha256:/)
    expect(evidence?.after?.outline).not.toBe(evidence?.before?.outline)
    expect(evidence?.after?.picture).not.toBe(evidence?.before?.picture)
    expect(files()).toEqual([])
    expect((await d.journal()).find((e) => e.type === 'done')).toMatchObject({ evidence })
  })

  test('encrypted keeps what only the key opens, with passwords black and absent', async () => {
    const d = await on(rule('evidence = "encrypted", screenshot = true'), KEY)
    const { evidence } = await click(d)
    const ids = [evidence?.before?.outline, evidence?.before?.picture, evidence?.after?.outline, evidence?.after?.picture]
    for (const id of ids) {
      const bytes = readFileSync(join(dir, 'evidence', id!.slice(4)))
      expect(createHash('sha256').update(bytes).digest('hex')).toBe(id!.slice(4))
      expect(bytes.includes('Order')).toBe(false)
    }
    const outline = String(await openEvidence(dir, KEY).read(evidence!.before!.outline!))
    expect(outline).toContain('button "Order"')
    expect(outline).not.toContain('hunter2')
    expect((await openEvidence(dir, KEY).read(evidence!.before!.picture!)).subarray(1, 4).toString()).toBe('PNG')
    await expect(openEvidence(dir, Buffer.alloc(32, 8)).read(evidence!.before!.outline!)).rejects.toMatchObject({ code: 'BAD_CONFIG' })
    for (const f of files()) expect(statSync(join(dir, f)).mode & 0o077).toBe(0)
  })

  test('encrypted without a key does nothing at all', async () => {
    const d = await on(rule('evidence = "encrypted"'))
    expect(await click(d)).toMatchObject({ sent: 'none', error: { code: 'BAD_CONFIG' } })
    expect(d.driver.describe()[0]?.children?.[0]?.label_text).toBe('n')
  })

  test('where pictures are denied, the outline is kept and the reason beside it', async () => {
    const d = await on(rule('evidence = "hash", screenshot = true', DENY_CAPTURE))
    expect((await click(d)).evidence?.before).toEqual({
      outline: expect.stringMatching(/^sha256/),
      withheld: expect.stringContaining('No pictures.'),
    })
  })

  test('a rule can allow evidence where agents may take no pictures', async () => {
    const allow = '[[rule]]\ntoolName = "evidence.picture"\ndecision = "allow"\npriority = 800\n'
    const d = await on(rule('evidence = "hash", screenshot = true', DENY_CAPTURE + allow))
    expect((await click(d)).evidence?.before?.picture).toMatch(/^sha256/)
    expect((await d.call('gui_screenshot')).error).toMatchObject({ code: 'DENIED' })
  })

  test('with redact, what looks private is in no outline and no picture', async () => {
    const d = await on(rule('evidence = "encrypted", screenshot = true, redact = true'), KEY)
    const { evidence } = await click(d)
    const outline = String(await openEvidence(dir, KEY).read(evidence!.before!.outline!))
    expect(outline).toContain('[email]')
    expect(outline).toContain('[card]')
    expect(outline).not.toMatch(/canary|4111/)
    const plain = await on(rule('evidence = "encrypted", screenshot = true'), KEY)
    const seen = await click(plain)
    expect(seen.evidence?.before?.picture).not.toBe(evidence?.before?.picture)
  })

  test('what failed half way has its evidence too', async () => {
    const d = await on(rule('evidence = "hash"'))
    const result = await d.call('ui.click', { target: 'name="Dead"', verify: { text: 'never there' } })
    expect(result).toMatchObject({
      error: { code: 'VERIFY_FAILED' },
      evidence: { before: { outline: /^sha256/ }, after: { outline: /^sha256/ } },
    })
  })
})

describe('a rule that demands proof', () => {
  test('makes an action that shows nothing a failure, and says what is there instead', async () => {
    const d = await on(rule('verify = true'))
    await click(d, 'Dead')
    const dead = await click(d, 'Dead')
    expect(dead).toMatchObject({
      status: 'error',
      sent: 'all',
      effect: 'no_effect',
      error: { code: 'VERIFY_FAILED' },
      verification: { passed: false },
    })
    expect(dead.text).toMatch(/button .*"Dead"/)
    expect((await d.journal()).findLast((e) => e.type === 'done')).toMatchObject({ code: 'VERIFY_FAILED', verification: { passed: false } })
  })

  test('records what was seen of one that does', async () => {
    const d = await on(rule('verify = true'))
    expect(await click(d)).toMatchObject({ status: 'success', verification: { passed: true } })
    expect(await d.call('ui.hover', { target: 'name="Dead"' })).toMatchObject({ status: 'success', verification: { passed: false } })
  })
})

describe('a rule that redacts', () => {
  test('masks what looks private in everything that is read', async () => {
    const d = await on(rule('redact = true'))
    const texts = [
      await d.call('ui.snapshot', { all: true, includeTree: true, includeTextIndex: true }),
      await d.call('ui.query', { selector: 'role=textbox' }),
      await d.call('ui.describe', { element: 'name="Mail"' }),
    ].map((r) => JSON.stringify([r.text, r.data]))
    for (const text of texts) expect(text).not.toMatch(/canary|4111/)
    expect(texts[0]).toContain('[email]')
    expect(texts[0]).toContain('[card]')
  })

  test('and leaves it alone where no rule says so', async () => {
    const d = await on('')
    expect((await d.call('ui.snapshot', { all: true })).text).toContain('anna.canary@example.org')
  })

  test('commits to what is entered, by whatever way', async () => {
    const d = await on(rule('redact = true'))
    await d.call('ui.type', { target: 'name="Mail"', text: 'CANARYTEXT' })
    await d.call('ui.key', { keys: ['q', 'z', 'ctrl+a'] })
    await d.call('ui.key', { keys: 'ctrl+a' })
    const kept = (await d.journal()).flatMap((e) => (e.type === 'decided' ? [e.args] : []))
    expect(JSON.stringify(kept)).not.toContain('CANARYTEXT')
    expect(kept).toMatchObject([{ text: { redacted: true, length: 10 } }, { keys: { redacted: true } }, { keys: 'ctrl+a' }])
  })

  test('no proof is asked of a password field, into which nobody looks', async () => {
    const d = await on(rule('verify = true'))
    const typed = await d.call('ui.type', { target: 'name="Password"', text: 'hunter2hunter2', mode: 'replace' })
    expect(typed).toMatchObject({ status: 'success', sent: 'all' })
    expect(typed.effect).not.toBe('no_effect')
  })

  test('what is pressed into a password field is committed to without any rule', async () => {
    const d = await on('')
    await d.call('ui.key', { target: 'name="Password"', keys: ['q', 'z'] })
    expect((await d.journal()).find((e) => e.type === 'decided')).toMatchObject({ args: { keys: { redacted: true } } })
  })
})

describe('the picture in a question', () => {
  async function asked(d: TestDesk, pictured = true): Promise<string> {
    for (let i = 0; i < 400; i++) {
      const [found] = d.session.approvals.list()
      if (found !== undefined && (!pictured || found.crop !== undefined)) return found.id
      await sleep(10)
    }
    throw new Error('nothing was asked')
  }

  test('shows the element and what is around it, and is named in the record', async () => {
    const d = await on(ASK)
    const pending = click(d)
    const id = await asked(d)
    const png = d.session.approvals.picture(id)
    expect(Buffer.from(png!).subarray(1, 4).toString()).toBe('PNG')
    const [approval] = d.session.approvals.list()
    expect(approval?.crop).toBe(`sha256:${createHash('sha256').update(png!).digest('hex')}`)
    await d.session.invoke('approvals.answer', { id: id, allow: true, scope: 'once' }, OPERATOR)
    expect((await pending).evidence).toMatchObject({ cropHash: approval?.crop })
    expect(d.session.approvals.picture(id)).toBeUndefined()
    expect(files()).toEqual([])
  })

  test('is left out where the policy lets no pictures be taken', async () => {
    const d = await on(ASK + DENY_CAPTURE)
    void click(d)
    const id = await asked(d, false)
    await sleep(200)
    expect(d.session.approvals.picture(id)).toBeUndefined()
    expect(d.session.approvals.list()[0]).not.toHaveProperty('crop', expect.anything())
  })

  describe('about what pixels alone tell', () => {
    const SEEN = '[[rule]]\ntoolName = "ui.click"\ndecision = "ask_user"\npriority = 900\nwhen = { source = "ocr" }\n'
    const board = window('Board', [element('progressbar', 'Sum', { value: 10 })])
    /** A place beside a bar that is drawn and not told of as something that an answer is bound to. */
    async function seen(evidence = store().evidence): Promise<{ d: TestDesk; pending: Promise<Result>; id: string }> {
      const regions: Region[] = []
      const recognizer = { recognize: async () => regions }
      const d = await desk({ ui: [board], policy: SEEN, ports: { encode, evidence, recognizer } })
      const bar = d.driver.boundsOf('progressbar_sum')!.element
      regions.push({ rect: { x: bar.x, y: bar.y + bar.h + 5, w: 30, h: 20 }, text: 'Pay', source: 'ocr', confidence: 0.8 })
      const pending = d.call('ui.click', { target: 'ocr:"Pay"' }, { waitMs: 30_000 })
      return { d, pending, id: await asked(d) }
    }
    const allow = (d: TestDesk, id: string): Promise<unknown> =>
      d.session.invoke('approvals.answer', { id, allow: true, scope: 'once' }, OPERATOR)

    test('is what the answer is bound to', async () => {
      const { d, pending, id } = await seen()
      d.driver.set('progressbar_sum', 90)
      await allow(d, id)
      expect(await pending).toMatchObject({ sent: 'none', error: { code: 'TARGET_CHANGED' } })
    })

    test('lets the call through where it looks as it did, and keeps no picture but the one that was shown', async () => {
      const { evidence } = store()
      let kept = 0
      const counted = { ...evidence, keep: (...one: Parameters<typeof evidence.keep>) => (kept++, evidence.keep(...one)) }
      const { d, pending, id } = await seen(counted)
      await allow(d, id)
      expect(await pending).toMatchObject({ sent: 'all' })
      expect(kept).toBe(1)
    })

    test('binds nothing where it changes by itself, and says so', async () => {
      const { d, pending, id } = await seen()
      let value = 10
      const clock = setInterval(() => d.driver.set('progressbar_sum', (value += 7) % 100), 100)
      await expect.poll(() => d.session.approvals.list()[0]?.leftOut).toEqual(['its picture'])
      clearInterval(clock)
      await allow(d, id)
      expect(await pending).toMatchObject({ sent: 'all' })
    })
  })

  test('a denial keeps its name as well', async () => {
    const d = await on(ASK)
    const pending = click(d)
    await d.session.invoke('approvals.answer', { id: await asked(d), allow: false, scope: 'once' }, OPERATOR)
    expect(await pending).toMatchObject({ error: { code: 'APPROVAL_DENIED' }, evidence: { cropHash: expect.stringMatching(/^sha256/) } })
  })

  test('does not keep the question waiting', async () => {
    const d = await on(ASK)
    const pending = click(d)
    await d.session.invoke('approvals.answer', { id: await asked(d, false), allow: true, scope: 'once' }, OPERATOR)
    expect(await pending).toMatchObject({ status: 'success' })
  })

  test('has no password in it', async () => {
    const ui = (value: string): unknown => ({
      windows: [window('Shop', [element('password_field', 'Password', { value }), element('button', 'Order')])],
    })
    const pictures: string[] = []
    for (const value of ['short', 'a much longer one']) {
      const d = await desk({ ui: ui(value), policy: ASK, ports: store() })
      void click(d)
      pictures.push(Buffer.from(d.session.approvals.picture(await asked(d))!).toString('base64'))
    }
    expect(pictures[0]).toBe(pictures[1])
  })
})

test('an element that shows a secret shows it to nobody, neither in the record nor in a question', async () => {
  const { createRedactor } = await import('@deskhand/core/redaction')
  const redactor = createRedactor({ secrets: [{ name: 'pin', value: 'CANARY-77' }] })
  const d = await desk({
    ui: { windows: [window('Shop', [element('button', 'Send CANARY-77')])] },
    policy: ASK,
    ports: { ...store(), redactor },
  })
  const pending = d.call('ui.click', { target: 'role=button' })
  for (let i = 0; i < 400 && d.session.approvals.list().length === 0; i++) await sleep(5)
  const [approval] = d.session.approvals.list()
  expect(JSON.stringify(approval)).not.toContain('CANARY-77')
  await d.session.invoke('approvals.answer', { id: approval!.id, allow: true, scope: 'once' }, OPERATOR)
  expect(await pending).toMatchObject({ sent: 'all' })
  expect(JSON.stringify(await d.journal())).not.toContain('CANARY-77')
})
