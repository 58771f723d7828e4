import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Approval, Principal, Result } from '@deskhand/core/model'
import { Secrets } from '../../packages/deskhand/src/secrets/secrets.ts'
import { AGENT, desk, element, OPERATOR, placeIn, window, type TestDesk } from '../support/desk.ts'

const CODE = 'account DE89370400440532013000'
const OTHER: Principal = { id: 'other', role: 'agent' }
const field = (label: string, value?: string): Record<string, unknown> => element('text_field', label, { value })
const paste = (d: TestDesk, target: string): Promise<Result> => d.call('ui.key', { target, keys: 'ctrl+v' })
const copy = (d: TestDesk, target: string): Promise<Result> => d.call('ui.key', { target, keys: ['ctrl+a', 'ctrl+c'] })
const write = (d: TestDesk, text: string, who = AGENT): Promise<Result> =>
  d.session.call({ tool: 'pyperclip.copy', kind: 'clipboard_write', args: { text }, principal: who })
const read = (d: TestDesk): Promise<Result> =>
  d.session.call({ tool: 'pyperclip.paste', kind: 'clipboard_read', args: {}, principal: AGENT })
const held = (d: TestDesk, name: string): unknown =>
  d.driver
    .describe()
    .flatMap((w) => w.children ?? [])
    .find((n) => n.label_text === name)?.value ?? ''

describe('where what is on the clipboard came from', () => {
  const NOTHING_LEAVES =
    '[[rule]]\ntoolName = "*"\ndecision = "deny"\npriority = 500\nwhen = { carriedFrom = "vault", app = "virtual:mail" }\n'
  let d: TestDesk
  beforeEach(async () => {
    const mail = window('Mail', [field('Body'), field('To', 'anna'), element('button', 'Paste'), element('button', 'Copy')])
    d = await desk({ ui: { windows: [mail, window('Vault', [field('Memo', CODE)])] }, policy: NOTHING_LEAVES })
    expect((await copy(d, 'name="Memo"')).error).toBeUndefined()
    expect((await d.call('ui.focus', { target: 'name="Body"' })).error).toBeUndefined()
  })
  afterEach(() => d.session.close())

  test('stays known when a copy of nothing follows', async () => {
    expect((await d.call('ui.key', { target: 'name="Body"', keys: 'ctrl+c' })).error).toBeUndefined()
    expect((await paste(d, 'name="Body"')).error?.code).toBe('DENIED')
    expect(held(d, 'Body')).toBe('')
  })

  test('stays known when something that is only called so is pressed', async () => {
    expect((await d.call('ui.click', { target: 'name="Copy"' })).error).toBeUndefined()
    expect((await paste(d, 'name="Body"')).error?.code).toBe('DENIED')
  })

  test('is another place once something else was copied', async () => {
    expect((await copy(d, 'name="To"')).error).toBeUndefined()
    expect((await paste(d, 'name="Body"')).error).toBeUndefined()
    expect(held(d, 'Body')).toBe('anna')
  })

  test.each([
    ['its name', () => d.call('ui.click', { target: 'name="Paste"' })],
    ['its pixel', async () => d.call('gui_click', middle(placeIn(await d.call('ui.query', { selector: 'name="Paste"' }))))],
    ['a key', () => d.call('ui.key', { target: 'name="Paste"', keys: 'Enter' })],
    [
      'raw events',
      async () => d.call('input.pointer', { events: pressAt(middle(placeIn(await d.call('ui.query', { selector: 'name="Paste"' })))) }),
    ],
  ])('counts where a button that pastes is pressed by %s', async (_, press) => {
    expect((await press()).error?.code).toBe('DENIED')
  })
})

const middle = ({ x, y, w, h }: { x: number; y: number; w: number; h: number }): { x: number; y: number } => ({
  x: Math.round(x + w / 2),
  y: Math.round(y + h / 2),
})
const pressAt = (at: { x: number; y: number }): object[] => [
  { type: 'move', ...at },
  { type: 'down', button: 'left' },
  { type: 'up', button: 'left' },
]

test('a few letters of a secret stay private on the clipboard when a copy of nothing follows', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'dh-clipboard-'))
  const file = join(dir, 'secrets.toml')
  writeFileSync(file, '[mail]\nvalue = "correct-horse-battery"\napps = ["virtual:mail"]\n')
  chmodSync(file, 0o600)
  const secrets = new Secrets(file)
  const ui = { windows: [window('Mail', [field('Token'), field('Empty'), field('Leak')])] }
  const d = await desk({ ui, ports: { redactor: secrets.redactor, secret: (name, target) => secrets.reveal(name, target) } })
  await d.call('ui.type', { target: 'name="Token"', secret: 'mail' })
  await d.call('ui.key', { target: 'name="Token"', keys: ['Home', 'shift+ArrowRight', 'shift+ArrowRight', 'shift+ArrowRight', 'ctrl+c'] })
  expect((await d.call('ui.key', { target: 'name="Empty"', keys: 'ctrl+c' })).error).toBeUndefined()
  expect((await read(d)).error?.code).toBe('DENIED')
  expect((await paste(d, 'name="Leak"')).error).toBeUndefined()
  expect(held(d, 'Leak')).toBe('cor')
  expect(JSON.stringify(await d.call('ui.query', { selector: 'name="Leak"' }))).not.toContain('"cor"')
  // Once it is overwritten the clipboard is as any other.
  await write(d, 'my own words')
  expect(await read(d)).toMatchObject({ status: 'success', data: { text: 'my own words' } })
  await d.session.close()
  rmSync(dir, { recursive: true, force: true })
})

test('a plan that pastes is void when something else is on the clipboard than when the person agreed', async () => {
  const asks = '[[rule]]\ntoolName = "ui.key"\ndecision = "ask_user"\npriority = 500\nwhen = { risk = ["low", "medium", "high"] }\n'
  const d = await desk({ ui: { windows: [window('Terminal', [field('Command')])] }, policy: asks })
  const question = async (): Promise<Approval> => {
    await expect.poll(() => d.session.approvals.list()).toHaveLength(1)
    return d.session.approvals.list()[0]!
  }
  for (const [swapped, outcome, value] of [
    [true, { sent: 'none', error: { code: 'TARGET_CHANGED' } }, ''],
    [false, { status: 'success' }, 'ls'],
  ] as const) {
    await write(d, 'ls')
    const step = { tool: 'ui.key', args: { target: 'name="Command"', keys: 'ctrl+v' } }
    const coming = d.call('plan.rehearse', { actions: [step], ask: true })
    await d.session.invoke('approvals.answer', { id: (await question()).id, allow: true }, OPERATOR)
    expect((await coming).error).toBeUndefined()
    if (swapped) await write(d, 'rm -rf ~', OTHER)
    expect(await d.call('ui.key', step.args)).toMatchObject(outcome)
    expect(held(d, 'Command')).toBe(value)
  }
  await d.session.close()
})
