import { describe, expect, test } from 'vitest'
import type { AppIdentity, DesktopKind, TargetFacts } from '@deskhand/core/model'
import { createPolicy, loadPreset, parsePolicy, type Setting, type Subject } from '@deskhand/core/policy'
import { limitApps } from './apps.ts'

const agent = { id: 'agent', role: 'agent' } as const

const launch = (app: string): Subject => ({
  tool: 'desktop.launch',
  kind: 'launch',
  args: { app },
  principal: agent,
  targets: [{ role: 'application', name: app, path: [], source: 'none', confidence: 1, why: [] }],
  tainted: false,
})

function close(app: Partial<AppIdentity>): Subject {
  const target: TargetFacts = {
    role: 'window',
    app: { id: 'a', name: 'App', pid: 7, ...app },
    path: [],
    source: 'structure',
    confidence: 1,
    why: [],
  }
  return { tool: 'desktop.close', kind: 'close', args: { app: 'x' }, principal: agent, targets: [target], tainted: false }
}

function verdict(subject: Subject, apps: string[] | undefined, desktop: DesktopKind = 'sandbox', rules = ''): string {
  const preset = desktop === 'host' ? 'supervised' : 'sandbox'
  const policy = limitApps(
    createPolicy({ rules: [loadPreset(preset), parsePolicy(rules, 'mine.toml', 'user')].flatMap((f) => f.rules) }),
    apps,
  )
  const setting: Setting = { desktop, driver: 'linux', mode: 'allow_actual_input_full', now: Date.now() }
  return policy.decide(subject, policy.assess(subject, setting), setting).verdict
}

describe('what agents may start', () => {
  test('is anything on a sandbox', () => expect(verdict(launch('xterm'), undefined)).toBe('allow'))

  test('is nothing on a person’s desktop, until a rule or the list says so', () => {
    const rule =
      '[[rule]]\ntoolName = "desktop.launch"\nargsPattern = "\\"app\\":\\"mousepad\\""\ndecision = "allow"\npriority = 500\nwhen = { risk = ["low", "medium", "high"] }'
    expect(verdict(launch('mousepad'), undefined, 'host')).toBe('deny')
    expect(verdict(launch('mousepad'), undefined, 'host', rule)).toBe('allow')
    expect(verdict(launch('xterm'), undefined, 'host', rule)).toBe('deny')
    expect(verdict(launch('mousepad'), ['mousepad'], 'host')).toBe('ask_user')
    expect(verdict(launch('xterm'), ['mousepad'], 'host')).toBe('deny')
  })

  test('is what the list names', () => {
    expect(verdict(launch('gnome-calculator'), ['gnome-*', 'mousepad'])).toBe('allow')
    expect(verdict(launch('xterm'), ['gnome-*', 'mousepad'])).toBe('deny')
    expect(verdict(launch('xterm'), [])).toBe('deny')
  })

  test('is no stranger’s file that is called like a program of the list', () => {
    expect(verdict(launch('/tmp/mousepad'), ['mousepad', '*'])).toBe('deny')
    expect(verdict(launch('/usr/bin/mousepad'), ['/usr/bin/*'])).toBe('allow')
    expect(verdict(launch('/usr/bin/../../tmp/mousepad'), ['/usr/**'])).toBe('deny')
  })

  test('is never more than the rules allow', () => {
    const rule = '[[rule]]\ntoolName = "ui.launch"\ndecision = "deny"\npriority = 900\nwhen = { name = "xterm" }'
    expect(verdict(launch('xterm'), ['xterm'], 'sandbox', rule)).toBe('deny')
    expect(verdict(launch('mousepad'), ['mousepad'], 'sandbox', rule)).toBe('allow')
  })
})

test('what agents may close is known by its executable, never by what it calls itself', () => {
  expect(verdict(close({ executable: '/usr/bin/mousepad' }), ['mousepad'])).toBe('allow')
  expect(verdict(close({ executable: '/usr/bin/xterm', name: 'mousepad' }), ['mousepad'])).toBe('deny')
  expect(verdict(close({ name: 'mousepad' }), ['mousepad'])).toBe('deny')
  expect(verdict(close({ name: 'mousepad' }), ['mousepad'], 'virtual')).toBe('allow')
})

test('another list is another policy, so that what was approved under the first one does not hold', () => {
  const policy = createPolicy({ rules: loadPreset('sandbox').rules })
  expect(limitApps(policy, ['a']).version).not.toBe(limitApps(policy, ['b']).version)
  expect(limitApps(policy, undefined).version).toBe(policy.version)
})

test('a list that is no list of globs is a fault of the configuration', () => {
  expect(() => limitApps(createPolicy({ rules: [] }), ['[a'])).toThrow(
    expect.objectContaining({ code: 'BAD_CONFIG', message: expect.stringContaining('desktop.apps') }),
  )
})
