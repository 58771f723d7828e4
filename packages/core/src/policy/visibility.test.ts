import { describe, expect, test } from 'vitest'
import { call, inApp, on, policy, target, verdict } from '../../test/policy-samples.ts'
import { openPolicy } from './index.ts'

const agent = { id: 'agent', role: 'agent' } as const
const bank = { id: 'b', name: 'Bank', pid: 9, executable: '/opt/bank/bank' }
const editor = { id: 'e', name: 'Editor', pid: 8, executable: '/usr/bin/mousepad' }
const DENY_BANK = '[[rule]]\ntoolName = "*"\ndecision = "deny"\npriority = 500\nwhen = { app = "bank" }\n'

describe('an application', () => {
  test('that may not be read is not there for an agent, and is for the operator', () => {
    const p = policy(DENY_BANK)
    expect(p.visible(bank, agent, on())).toBe(false)
    expect(p.visible(editor, agent, on())).toBe(true)
    expect(p.visible(bank, { id: 'me', role: 'operator' }, on())).toBe(true)
  })

  test('is hidden by a deny on any way of reading the tree, not by one on acting or on pictures', () => {
    const hidden = (tool: string) => !policy(DENY_BANK.replace('"*"', tool)).visible(bank, agent, on())
    expect(hidden('["ui.snapshot"]')).toBe(true)
    expect(hidden('["ui.query"]')).toBe(true)
    expect(hidden('"ui.*"')).toBe(true)
    expect(hidden('["ui.click", "ui.capture"]')).toBe(false)
  })

  test('stays visible where a stronger rule lets it be read', () => {
    const allow = '[[rule]]\ntoolName = "ui.*"\ndecision = "allow"\npriority = 600\n'
    expect(policy(DENY_BANK + allow).visible(bank, agent, on())).toBe(true)
    expect(policy(allow, { admin: DENY_BANK }).visible(bank, agent, on())).toBe(false)
  })

  test('is not hidden by a rule that denies a tool for everyone', () => {
    const p = policy('[[rule]]\ntoolName = "ui.snapshot"\ndecision = "deny"\npriority = 900\n')
    expect(p.visible(editor, agent, on())).toBe(true)
    expect(verdict(p, call('snapshot'))).toBe('deny')
  })

  test('of Deskhand itself is never there for an agent', () => {
    const own = on('host', { own: { pids: [8], consoleUrls: ['http://127.0.0.1:7070'] } })
    const p = openPolicy({ preset: 'supervised' })
    expect(p.visible(editor, agent, own)).toBe(false)
    expect(p.sees(inApp('/usr/bin/firefox', { role: 'document', url: 'http://localhost:7070/approvals' }), agent, own)).toBe(false)
    expect(p.sees(inApp('/usr/bin/firefox', { role: 'document', url: 'http://localhost:8080/' }), agent, own)).toBe(true)
  })
})

test('a window or page can be hidden by itself', () => {
  const p = policy(
    '[[rule]]\ntoolName = "*"\ndecision = "deny"\npriority = 1\nwhen = { url = "*.bank.example" }\n[[rule]]\ntoolName = "*"\ndecision = "deny"\npriority = 1\nwhen = { window = "*private*" }\n',
  )
  expect(p.sees(target({ url: 'https://my.bank.example/' }), agent, on())).toBe(false)
  expect(p.sees(target({ window: { key: 'w', title: 'Private notes', role: 'window' } }), agent, on())).toBe(false)
  expect(p.sees(target(), agent, on())).toBe(true)
  expect(p.visible(editor, agent, on())).toBe(true)
})
