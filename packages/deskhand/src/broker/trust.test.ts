import { expect, test } from 'vitest'
import { AppLimit, createPolicy, loadPreset, openPolicy, parsePolicy, type RulePolicy } from '@deskhand/core/policy'
import { mustBeLocked, trustOf } from './trust.ts'

const at = (over: Partial<Parameters<typeof trustOf>[0]>): string =>
  trustOf({ desktop: 'host', isolated: false, door: true, policy: openPolicy({ preset: 'supervised' }), ...over }).level

test('without a door it is advisory, whatever else holds', () => {
  for (const desktop of ['virtual', 'sandbox', 'host'] as const) expect(at({ desktop, isolated: true, door: false })).toBe('advisory')
})

test('a sandbox is enforced only when its programs are locked up', () => {
  expect(at({ desktop: 'sandbox' })).toBe('advisory')
  expect(at({ desktop: 'sandbox', isolated: true })).toBe('enforced')
  expect(() => mustBeLocked('sandbox', false, undefined)).toThrow('isolated sandbox')
  expect(() => mustBeLocked('sandbox', true, undefined)).not.toThrow()
  expect(() => mustBeLocked('host', false, undefined)).not.toThrow()
})

test('a person’s desktop is enforced while the policy asks or refuses before a command can run as that person', () => {
  for (const preset of ['observe', 'supervised', 'sandbox', 'unattended'] as const)
    expect(at({ policy: openPolicy({ preset }) })).toBe('enforced')
})

test.each([
  ['any program', '[[rule]]\ntoolName = "desktop.launch"\ndecision = "allow"\npriority = 900\nwhen = { risk = ["low", "medium", "high"] }'],
  [
    'one shell',
    '[[rule]]\ntoolName = "ui.launch"\nargsPattern = "bash"\ndecision = "allow"\npriority = 900\nwhen = { risk = ["low", "medium", "high"] }',
  ],
  ['typing anywhere', '[[rule]]\ntoolName = "ui.type"\ndecision = "allow"\npriority = 900\nwhen = { risk = ["low", "medium", "high"] }'],
])('it is advisory where a rule lets agents through without a question: %s', (_, rule) => {
  expect(at({ policy: withRule(rule) })).toBe('advisory')
})

function withRule(text: string): RulePolicy {
  const files = [loadPreset('supervised'), parsePolicy(text, 'user.toml', 'user')]
  return createPolicy({ rules: files.flatMap((f) => f.rules), apps: new AppLimit() })
}
