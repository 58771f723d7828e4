import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import type { AppIdentity, Decision, DesktopKind, TargetFacts } from '../model/index.ts'
import {
  AppLimit,
  checkApps,
  createPolicy,
  explain,
  loadPreset,
  openPolicy,
  parsePolicy,
  type RulePolicy,
  type Setting,
  type Subject,
} from './index.ts'

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

function policy(apps: string[] | undefined, desktop: DesktopKind = 'sandbox', rules = '', file?: string): RulePolicy {
  const preset = loadPreset(desktop === 'host' ? 'supervised' : 'sandbox')
  return createPolicy({
    rules: [preset, parsePolicy(rules, 'mine.toml', 'user')].flatMap((f) => f.rules),
    apps: new AppLimit({ apps, file }),
  })
}

const on = (desktop: DesktopKind): Setting => ({ desktop, driver: 'linux', mode: 'allow_actual_input_full', now: Date.now() })

function decide(by: RulePolicy, subject: Subject, desktop: DesktopKind = 'sandbox'): Decision {
  return by.decide(subject, by.assess(subject, on(desktop)), on(desktop))
}

const verdict = (subject: Subject, apps: string[] | undefined, desktop: DesktopKind = 'sandbox', rules = ''): string =>
  decide(policy(apps, desktop, rules), subject, desktop).verdict

describe('on Windows', () => {
  const windows: Setting = { ...on('host'), driver: 'windows' }
  const isListed = (subject: Subject, ...apps: string[]): boolean => {
    const by = policy(apps, 'host')
    return by.decide(subject, by.assess(subject, windows), windows).rule?.name !== 'desktop.apps'
  }
  const running = (executable: string): Subject => close({ executable })

  test('a program of the list is started and closed, with or without its ending', () => {
    for (const listed of ['notepad', 'notepad.exe', 'C:\\Windows\\notepad.exe', 'C:/Windows/*.exe'])
      expect(isListed(running('C:\\windows\\Notepad.exe'), listed), listed).toBe(true)
    for (const started of ['notepad', 'Notepad.exe']) expect(isListed(launch(started), 'notepad.exe'), started).toBe(true)
    expect(isListed(launch('C:\\Windows\\notepad.exe'), 'C:\\Windows\\notepad.exe')).toBe(true)
  })

  test('another one is not, nor one of the same name that is started by its path, or by a way around', () => {
    expect(isListed(running('C:\\Windows\\regedit.exe'), 'notepad')).toBe(false)
    expect(isListed(launch('C:\\Temp\\notepad.exe'), 'notepad')).toBe(false)
    expect(isListed(launch('C:\\Windows\\..\\Temp\\notepad.exe'), 'C:\\Windows\\**')).toBe(false)
    expect(isListed(launch('C:\\Windows/../Temp/notepad.exe'), 'C:\\Windows\\**')).toBe(false)
  })
})

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

test('the operator starts what they like', () => {
  expect(verdict({ ...launch('xterm'), principal: { id: 'me', role: 'operator' } }, [])).toBe('allow')
})

describe('a denial', () => {
  const dir = mkdtempSync(join(tmpdir(), 'dh-apps-'))
  const file = join(dir, 'deskhand.toml')
  writeFileSync(file, '# mine\n[desktop]\nkind = "sandbox"\napps = ["mousepad"]\n')
  afterAll(() => rmSync(dir, { recursive: true }))

  test('names the list, where it stands and what it does not have', () => {
    expect(decide(policy(['mousepad'], 'sandbox', '', file), launch('xterm'))).toEqual({
      verdict: 'deny',
      code: 'DENIED',
      reason: `"desktop.apps" (${file}:4) denies desktop.launch: the list does not have xterm.`,
      rule: { file, line: 4, tier: 'admin', name: 'desktop.apps' },
      obligations: {},
    })
    expect(decide(openPolicy({ preset: 'supervised' }), launch('xterm'), 'host').rule).toMatchObject({
      name: 'desktop.apps',
      tier: 'builtin',
    })
  })

  test('of a rule goes first', () => {
    const rule = '[[rule]]\ntoolName = "ui.launch"\ndecision = "deny"\npriority = 1\ndenyMessage = "Not here."'
    expect(decide(policy([], 'sandbox', rule), launch('xterm')).reason).toContain('Not here.')
  })

  test('is explained', () => {
    const { rules, text } = explain(policy(['mousepad'], 'sandbox', '', file), launch('xterm'), on('sandbox'))
    expect(rules[0]).toMatchObject({ rule: { name: 'desktop.apps' }, verdict: 'deny', matched: true, won: true })
    expect(text).toContain('> deny     "desktop.apps"')
    const free = explain(policy(['mousepad'], 'sandbox', '', file), launch('mousepad'), on('sandbox'))
    expect(free.rules[0]).toMatchObject({ rule: { name: 'desktop.apps' }, matched: false, won: false })
    const click = explain(policy(['mousepad']), { ...launch('x'), tool: 'ui.click', kind: 'click' }, on('sandbox'))
    expect(click.rules.some((r) => r.rule.name === 'desktop.apps')).toBe(false)
  })
})

test('another list is another policy, so that what was approved under the first one does not hold', () => {
  const { rules } = loadPreset('sandbox')
  const version = (apps?: string[]) => createPolicy({ rules, apps: new AppLimit({ apps }) }).version
  expect(version(['a'])).not.toBe(version(['b']))
  expect(version()).toBe(createPolicy({ rules }).version)
})

test('a list that is no list of globs is a fault of the configuration', () => {
  expect(() => new AppLimit({ apps: ['[a'] })).toThrow(
    expect.objectContaining({ code: 'BAD_CONFIG', message: expect.stringContaining('desktop.apps') }),
  )
})

test('checking a list tells what is no glob and what lets everything in', () => {
  const found = checkApps({ apps: ['mousepad', '[a', '*sh', '/usr/**'] }).map((p) => `${p.severity}: ${p.message}`)
  expect(found).toEqual([
    'error: desktop.apps: "[a": a "[" in the glob has no "]"',
    'warning: desktop.apps: "*sh" lets in sh, which starts any other program',
    'warning: desktop.apps: "/usr/**" lets in sh, which starts any other program',
  ])
})
