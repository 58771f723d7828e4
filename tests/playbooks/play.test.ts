import { generateKeyPairSync, sign } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Plan, Result } from '@deskhand/core/model'
import { seal } from '../../packages/deskhand/src/playbook/signature.ts'
import { Secrets } from '../../packages/deskhand/src/secrets/secrets.ts'
import { desk, element, window, type TestDesk } from '../support/desk.ts'

const counting = { attributes: { on: { click: [{ do: 'increment', element: 'label_n', format: '{}' }] } } }
const shop = (...more: unknown[]): unknown =>
  window('Shop', [element('label', 'n', { value: 0 }), element('text_field', 'Customer'), element('button', 'Order', counting), ...more])
const CANARY = 'correct-horse-battery'
const UI = { windows: [shop()] }

const PLAYBOOK = `playbook = 1
name = "order"

[parameters.customer]
description = "who orders"

[[step]]
tool = "ui.type"
args = { target = 'role=textbox && name="Customer"', text = "{customer}", mode = "replace" }
expect = { role = "textbox", app = { executable = "virtual:shop" } }

[[step]]
tool = "ui.click"
args = { target = 'name="Order"' }
expect = { role = "button", app = { executable = "virtual:shop" } }
`

/** A key as an operator has one, made here and held by nothing of ours. */
function key(): { key: string; sign(bytes: Uint8Array): string } {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  return { key: String(publicKey.export({ format: 'jwk' }).x), sign: (bytes) => sign(null, bytes, privateKey).toString('base64url') }
}

const ME = key()
const SIGNED = seal(PLAYBOOK, ME)

const rule = (decision: string, priority: number, when: string): string =>
  `[[rule]]\ntoolName = ["ui.click", "ui.type"]\ndecision = "${decision}"\npriority = ${priority}\nwhen = { risk = ["low", "medium", "high"]${when} }\n`
/** Everything is denied but what this key signed. */
const ONLY_SIGNED = rule('deny', 400, '') + rule('allow', 500, `, playbook = "ed25519:${ME.key}"`)

const clicks = ({ driver }: TestDesk): unknown => driver.describe()[0]?.children?.[0]?.label_text
const customer = ({ driver }: TestDesk): unknown => driver.describe()[0]?.children?.[1]?.value
const play = (d: TestDesk, text: string, values: Record<string, string> = { customer: 'Anna' }, more = {}): Promise<Result> =>
  d.call('play.run', { text, with: values, ...more })

describe('a playbook', () => {
  test('is carried out step by step with its parameters, and every step is in the record with it', async () => {
    const d = await desk({ ui: UI })
    expect(await play(d, SIGNED)).toMatchObject({ status: 'success', sent: 'all', data: { done: 2, left: 0 } })
    expect([customer(d), clicks(d)]).toEqual(['Anna', '1'])
    const steps = (await d.journal()).filter((e) => e.type === 'decided' && (e.kind === 'type' || e.kind === 'click'))
    expect(steps).toMatchObject([
      { tool: 'ui.type', playbook: { name: 'order', signer: ME.key, step: 1 } },
      { tool: 'ui.click', playbook: { name: 'order', signer: ME.key, step: 2 } },
    ])
  })

  test('says of a step which alternative of its selector matched', async () => {
    const d = await desk({ ui: UI })
    const { text } = await play(d, PLAYBOOK.replace(`'name="Order"'`, `'name="Buy" ?? name="Order"'`))
    expect(text).toMatch(/^2 ui\.click .*"Order": changed, found by alternative 2 of its selector$/m)
    expect(text).not.toMatch(/^1 .*alternative/m)
  })

  test('is rehearsed: what each step would touch, and nothing is done', async () => {
    const d = await desk({ ui: UI })
    for (const result of [
      await play(d, PLAYBOOK, undefined, { rehearse: true }),
      await d.call('play.run', { text: PLAYBOOK, with: { customer: 'A' } }, { dryRun: true }),
    ]) {
      expect((result.data as Plan).steps).toMatchObject([
        { tool: 'ui.type', target: { role: 'textbox' } },
        { tool: 'ui.click', target: { name: 'Order' } },
      ])
    }
    expect([customer(d), clicks(d)]).toEqual(['', 'n'])
  })

  test('is rehearsed where a step has nothing to change, or names what an earlier one will bring', async () => {
    const set = (name: string): string => `[[step]]\ntool = "ui.set"\nargs = { target = 'name="${name}"', value = false }\n`
    const text = `playbook = 1\nname = "set"\n${set('Gift')}[[step]]\ntool = "ui.click"\nargs = { target = 'name="Order"' }\n${set('Later')}`
    const d = await desk({ ui: { windows: [shop(element('checkbox', 'Gift'))] } })
    const rehearsed = await play(d, text, {}, { rehearse: true })
    expect(rehearsed.text).toContain('1. ui.set only looks: describe checkbox "Gift"')
    const { steps } = rehearsed.data as Plan
    expect(steps).toMatchObject([
      { tool: 'ui.set', state: 'known' },
      { tool: 'ui.click', state: 'known' },
      { tool: 'ui.set', state: 'unknown' },
    ])
    expect(clicks(d)).toBe('n')
  })

  test('types a secret by its name where it is bound to, and neither the answer nor the record holds its value', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'dh-play-'))
    onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
    const file = join(dir, 'secrets.toml')
    writeFileSync(file, `[shop]\nvalue = "${CANARY}"\napps = ["virtual:shop"]\n[mail]\nvalue = "other"\napps = ["virtual:mail"]\n`, {
      mode: 0o600,
    })
    const secrets = new Secrets(file)
    const d = await desk({
      ui: { windows: [shop(element('text_field', 'Login'))] },
      ports: { redactor: secrets.redactor, secret: (name, target) => secrets.reveal(name, target) },
    })
    const step = (name: string): string => `\n[[step]]\ntool = "ui.type"\nargs = { target = 'name="Login"', secret = "${name}" }\n`
    const played = await play(d, PLAYBOOK + step('shop'))
    expect(played).toMatchObject({ status: 'success', data: { done: 3 } })
    expect(d.driver.describe()[0]?.children?.[3]?.value).toBe(CANARY)
    expect(await play(d, PLAYBOOK + step('mail'))).toMatchObject({ status: 'error', data: { done: 2 } })
    expect(JSON.stringify([played, await d.journal()])).not.toContain(CANARY)
  })

  test('leaves a step out whose condition does not hold', async () => {
    const d = await desk({ ui: { windows: [shop(element('checkbox', 'Gift'))] } })
    const text = PLAYBOOK.replace(
      'tool = "ui.click"\n',
      `tool = "ui.click"\nif = { uiState = { target = 'name="Gift"', checked = true } }\n`,
    )
    const first = await play(d, text)
    expect(first.text).toContain('2 ui.click: left out')
    expect(clicks(d)).toBe('n')
    await d.call('ui.click', { target: 'name="Gift"' })
    expect(await play(d, text)).toMatchObject({ status: 'success', data: { done: 2 } })
    expect(clicks(d)).toBe('1')
  })

  test.each([
    ['it has no step', 'playbook = 1\nname = "x"\nstep = []\n', 'step'],
    ['a step is by coordinates', PLAYBOOK.replace('"ui.click"', '"ui.click_xy"'), 'a place on the screen'],
    ['a step runs code', PLAYBOOK.replace('"ui.click"', '"python.run"'), 'cannot be a step'],
    ['a step names an id of some session', PLAYBOOK.replace(`'name="Order"'`, '"e12"'), 'names an element of one session'],
    [
      'a parameter stands in keys',
      PLAYBOOK.replace('tool = "ui.click"\nargs =', 'tool = "ui.key"\nargs = { keys = "{customer}" }\n#'),
      'no parameter can stand in keys',
    ],
    ['a parameter is unknown', PLAYBOOK.replace('"{customer}"', '"{costumer}"'), 'no parameter {costumer}'],
    ['it is no TOML', PLAYBOOK.replace('[[step]]', '[[step'), 'line'],
  ])('is refused whole when %s', async (_, text, why) => {
    const d = await desk({ ui: UI })
    const { error } = await play(d, text)
    expect(error?.code).toBe('BAD_ARGS')
    expect(error?.message).toContain(why)
    expect([customer(d), clicks(d)]).toEqual(['', 'n'])
  })

  test('needs every parameter and takes no other', async () => {
    const d = await desk({ ui: UI })
    expect((await play(d, SIGNED, {})).error).toMatchObject({
      message: expect.stringContaining('customer is not given') as string,
      next: expect.stringContaining('--with customer=…') as string,
    })
    expect((await play(d, SIGNED, { customer: 'A', discount: '99' })).error).toMatchObject({
      message: expect.stringContaining('no parameter "discount"') as string,
      next: expect.stringContaining('each of customer') as string,
    })
    const strict = PLAYBOOK.replace('description = "who orders"', 'pattern = "[A-Z][a-z]+"')
    expect((await play(d, strict, { customer: 'anna; x' })).error?.message).toContain('does not match')
    expect(await play(d, strict, { customer: 'Anna' })).toMatchObject({ status: 'success' })
  })
})

describe('a signature', () => {
  test('lets exactly what was signed pass where the policy says so', async () => {
    const d = await desk({ ui: UI, policy: ONLY_SIGNED })
    expect(await play(d, SIGNED)).toMatchObject({ status: 'success', data: { done: 2 } })
    expect(await play(d, PLAYBOOK)).toMatchObject({ error: { code: 'DENIED' }, sent: 'none' })
    expect(await d.call('ui.click', { target: 'name="Order"' })).toMatchObject({ error: { code: 'DENIED' } })
    expect(clicks(d)).toBe('1')
  })

  test('of another key lets nothing pass', async () => {
    const d = await desk({ ui: UI, policy: ONLY_SIGNED })
    expect(await play(d, seal(PLAYBOOK, key()))).toMatchObject({ error: { code: 'DENIED' }, sent: 'none' })
    const stolen = SIGNED.replace(/ [\w-]{86}\n$/, ` ${/ ([\w-]{86})\n$/.exec(seal(`${PLAYBOOK}\n`, ME))?.[1]}\n`)
    expect(await play(d, stolen)).toMatchObject({ error: { code: 'DENIED' }, sent: 'none' })
  })

  test('is gone when any byte of the file changes, in the text, in the key or in the signature', async () => {
    const { readSeal } = await import('../../packages/deskhand/src/playbook/signature.ts')
    expect(readSeal(SIGNED).signer).toBe(ME.key)
    const bytes = Buffer.from(SIGNED)
    for (const i of bytes.keys())
      for (const flip of [1, 2, 4, 8, 16, 32]) {
        const changed = Buffer.from(bytes)
        changed[i] = (changed[i] ?? 0) ^ flip
        expect(readSeal(changed.toString('latin1')).signer, `byte ${i} ^ ${flip}`).toBeUndefined()
      }
    for (const changed of [`${SIGNED}\n`, ` ${SIGNED}`, `${SIGNED}x`, SIGNED.slice(0, -1), SIGNED.replaceAll('\n', '\r\n')])
      expect(readSeal(changed).signer).toBeUndefined()
  })

  test('by the digest allows one file and no other of the same signer', async () => {
    const { readSeal } = await import('../../packages/deskhand/src/playbook/signature.ts')
    const d = await desk({ ui: UI, policy: rule('deny', 400, '') + rule('allow', 500, `, playbook = "sha256:${readSeal(SIGNED).sha256}"`) })
    expect(await play(d, seal(PLAYBOOK.replace('who orders', 'who pays'), ME))).toMatchObject({ error: { code: 'DENIED' } })
    expect(await play(d, SIGNED)).toMatchObject({ status: 'success' })
  })

  test('cannot be claimed in the arguments of a call', async () => {
    const d = await desk({ ui: UI, policy: ONLY_SIGNED })
    const stamp = { name: 'order', sha256: '0'.repeat(64), signer: ME.key }
    expect(await d.call('ui.click', { target: 'name="Order"', playbook: stamp })).toMatchObject({ status: 'error', sent: 'none' })
    expect(await d.call('play.run', { text: PLAYBOOK, with: { customer: 'A' }, signer: ME.key })).toMatchObject({
      error: { code: 'BAD_ARGS' },
    })
    expect(
      await d.call('plan.rehearse', { actions: [{ tool: 'play.run', args: { text: SIGNED, with: { customer: 'A' } } }] }),
    ).toMatchObject({ status: 'error' })
  })
})

describe('a signed step is refused', () => {
  test('when another application shows the same element', async () => {
    const d = await desk({
      ui: {
        windows: [
          window('Shop', [element('label', 'n'), element('text_field', 'Customer'), element('button', 'Order', counting)], { app: 'evil' }),
        ],
      },
      policy: ONLY_SIGNED,
    })
    const result = await play(d, SIGNED)
    expect(result).toMatchObject({ sent: 'none', error: { code: 'TARGET_CHANGED' } })
    expect(result.error?.message).toContain('expected textbox of virtual:shop, found textbox "Customer" of virtual:evil')
    expect([customer(d), clicks(d)]).toEqual(['', 'n'])
  })

  test('when the element has become one of another kind', async () => {
    const d = await desk({
      ui: { windows: [window('Shop', [element('label', 'n'), element('text_field', 'Customer'), element('checkbox', 'Order')])] },
      policy: ONLY_SIGNED,
    })
    const result = await play(d, SIGNED)
    expect(result).toMatchObject({ sent: 'partial', error: { code: 'TARGET_CHANGED' }, data: { done: 1, failed: 2 } })
    expect(result.error?.message).toContain('expected button of virtual:shop, found checkbox "Order" of virtual:shop')
    expect((await d.call('ui.query', { selector: 'role=checkbox' })).data).toMatchObject({ matches: [{ states: { checked: false } }] })
  })

  test.each([
    ['shop', { status: 'success' }],
    ['evil', { sent: 'none', error: { code: 'TARGET_CHANGED' } }],
  ])('when it has nothing to change in another application: %s', async (app, outcome) => {
    const set = `playbook = 1\nname = "set"\n[[step]]\ntool = "ui.set"\nargs = { target = 'name="Gift"', value = false }\nexpect = { role = "checkbox", app = { executable = "virtual:shop" } }\n`
    const d = await desk({ ui: { windows: [window('Shop', [element('checkbox', 'Gift')], { app })] } })
    expect(await play(d, set, {})).toMatchObject(outcome)
  })

  test('in a rehearsal as well', async () => {
    const d = await desk({
      ui: { windows: [window('Shop', [element('label', 'n'), element('text_field', 'Customer'), element('checkbox', 'Order')])] },
    })
    const { steps } = (await play(d, SIGNED, undefined, { rehearse: true })).data as Plan
    expect(steps[1]?.error).toMatchObject({ code: 'TARGET_CHANGED' })
  })
})

describe('a parameter', () => {
  const picking = PLAYBOOK.replace(`'name="Order"'`, `'role=button && name="{customer}"'`)
  const two = { windows: [shop(element('button', 'Delete', counting), element('button', '"', counting))] }

  test.each([
    'Delete" || name="Order',
    '" || role=button && name="Delete',
    'x" ?? name="Delete',
    '\\" || name="Delete',
    'Delete"] >> nth=0',
  ])('stays a text inside a selector: %s', async (value) => {
    const d = await desk({ ui: two })
    expect(await play(d, picking, { customer: value })).toMatchObject({ error: { code: 'NOT_FOUND' } })
    expect(clicks(d)).toBe('n')
  })

  test('names what it spells out, quotes included', async () => {
    const d = await desk({ ui: two })
    expect(await play(d, picking, { customer: '"' })).toMatchObject({ status: 'success' })
    expect(clicks(d)).toBe('1')
  })

  test('presses no key: line breaks, tabs and control characters are refused unless the playbook takes them', async () => {
    const d = await desk({ ui: UI })
    for (const value of ['Anna\n', 'A\tB', '\u001b[0m'])
      expect(await play(d, SIGNED, { customer: value })).toMatchObject({ error: { code: 'BAD_ARGS' }, sent: 'none' })
    expect(customer(d)).toBe('')
  })

  test('is only filled in once', async () => {
    const d = await desk({ ui: UI })
    await play(d, SIGNED, { customer: '{customer} {{x}}' })
    expect(customer(d)).toBe('{customer} {{x}}')
  })
})

test('a step that finds nothing says what is there instead', async () => {
  const d = await desk({
    ui: {
      windows: [window('Shop', [element('label', 'n'), element('text_field', 'Customer'), element('button', 'Place order', counting)])],
    },
  })
  const { error } = await play(d, SIGNED)
  expect(error).toMatchObject({ code: 'NOT_FOUND' })
  expect(JSON.stringify(error)).toContain('Place order')
})
