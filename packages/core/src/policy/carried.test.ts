import { describe, expect, test } from 'vitest'
import { call, inApp, judge, on, policy, target, verdict } from '../../test/policy-samples.ts'
import type { AppIdentity } from '../model/index.ts'
import { explain, replayDecisions } from './index.ts'
import { samePlace, ScreenText } from './taint.ts'

const app = (executable: string, more: Partial<AppIdentity> = {}): AppIdentity => ({
  id: executable,
  name: 'An application',
  executable,
  ...more,
})
const vault = { app: app('/usr/bin/vault'), window: 'Accounts' }
const editor = { app: app('/usr/bin/mousepad') }
const IBAN = 'transfer to DE89370400440532013000 today'

describe('what was shown is known with its place', () => {
  const shown = new ScreenText()
  shown.add(IBAN, vault)
  shown.add('only seen, who knows where: 4711-0815')

  test('and told as carried where it goes elsewhere', () => {
    expect(shown.carried('DE89370400440532013000', [editor])).toEqual([vault])
    expect(shown.carried('DE89370400440532013000')).toEqual([vault])
    expect(shown.carried('DE89370400440532013000', [{ ...vault, window: 'Another' }])).toEqual([])
    expect(shown.carried('my own words', [editor])).toEqual([])
  })

  test('or as of an unknown place', () => {
    expect(shown.carried('4711-0815', [editor])).toEqual([{}])
  })

  test('what both showed is no news to either', () => {
    const both = new ScreenText()
    both.add(IBAN, vault)
    both.add(IBAN, editor)
    expect(both.carried(IBAN, [editor])).toEqual([])
    expect(both.carried(IBAN, [{ app: app('/usr/bin/chromium') }])).toHaveLength(2)
  })
})

test('two pages of a browser are two places, two addresses of one server one', () => {
  const page = (url: string) => ({ app: app('/usr/bin/chromium'), url })
  expect(samePlace(page('https://bank.example/a'), page('https://bank.example/b'))).toBe(true)
  expect(samePlace(page('https://bank.example/'), page('https://evil.example/'))).toBe(false)
  expect(samePlace(page('https://bank.example/'), { app: app('/usr/bin/chromium') })).toBe(true)
  expect(samePlace({ app: app('/usr/bin/python3', { runs: '/a.py' }) }, { app: app('/usr/bin/python3', { runs: '/b.py' }) })).toBe(false)
})

describe('carriedFrom', () => {
  const rule = (decision: string, from: string): string =>
    `[[rule]]\nname = "nothing leaves the vault"\ntoolName = "ui.type"\ndecision = "${decision}"\npriority = 500\nwhen = { carriedFrom = ${from} }\n`
  const type = (carried?: readonly { app?: AppIdentity }[]) =>
    call('type', { args: { text: IBAN }, targets: [inApp('/usr/bin/mousepad', { role: 'textbox' })], carried })

  test('a deny holds where a part of the text is from there, or from nowhere that is known', () => {
    const p = policy(rule('deny', '"vault"'))
    expect(verdict(p, type([vault]))).toBe('deny')
    expect(verdict(p, type([editor, vault]))).toBe('deny')
    expect(verdict(p, type([{}]))).toBe('deny')
    expect(verdict(p, type([editor]))).toBe('allow')
    expect(verdict(p, type())).toBe('allow')
    expect(judge(p, type([{}])).reason).toContain('where the carriedFrom is not known')
  })

  test('an allow holds only where all of it is from there', () => {
    const p = policy(`${rule('allow', '["mousepad"]')}[[rule]]\ntoolName = "ui.type"\ndecision = "deny"\npriority = 400\n`)
    expect(verdict(p, type([editor]))).toBe('allow')
    expect(verdict(p, type([editor, vault]))).toBe('deny')
    expect(verdict(p, type([{}]))).toBe('deny')
    expect(verdict(p, type())).toBe('deny')
  })

  test('"*" is any other place', () => {
    const p = policy(rule('ask_user', '"*"'))
    expect(verdict(p, type([vault]))).toBe('ask_user')
    expect(verdict(p, type())).toBe('allow')
  })

  test('is explained, weighs something, and is known when the record is judged anew', () => {
    const p = policy(rule('deny', '"vault"'))
    const told = explain(p, type([vault]), on())
    expect(told.text).toContain('another application or page: "vault"')
    expect(told.rules.find((r) => r.won)?.note).toContain('nothing leaves the vault')
    const [row] = replayDecisions(p, [{ ...type([vault]), risk: told.risk, decision: { ...told.decision, verdict: 'allow' } }], {
      setting: on(),
    })
    expect(row?.now.verdict).toBe('deny')
  })
})

describe('delivery', () => {
  const p = policy(`
    [[rule]]
    toolName = "*"
    decision = "deny"
    priority = 100
    [[rule]]
    toolName = "*"
    decision = "allow"
    priority = 200
    when = { delivery = "semantic" }
  `)
  const field = target({ role: 'textbox', states: { editable: true } })

  test('is known from the call: what it says it is bound to', () => {
    expect(verdict(p, call('click', { args: { delivery: 'semantic' } }))).toBe('allow')
    expect(verdict(p, call('click'))).toBe('deny')
    expect(verdict(p, call('type', { args: { text: 'x', delivery: 'semantic' }, targets: [field] }))).toBe('allow')
    expect(verdict(p, call('type', { args: { text: 'x' }, targets: [field] }))).toBe('deny')
  })

  test('looks and the clipboard take nothing from a person; keys, pointer, windows and programs do', () => {
    for (const kind of ['snapshot', 'query', 'clipboard_write'] as const) expect([kind, verdict(p, call(kind))]).toEqual([kind, 'allow'])
    for (const kind of ['key', 'keys', 'pointer', 'click_xy', 'drag', 'scroll', 'focus', 'hover', 'window', 'launch', 'close'] as const)
      expect([kind, verdict(p, call(kind, { args: { delivery: 'semantic', events: [{ type: 'down', button: 'left' }] } }))]).toEqual([
        kind,
        'deny',
      ])
  })
})
