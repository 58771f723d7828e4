import { expect, test } from 'vitest'
import { literal } from './glob.ts'
import { createPolicy, parsePolicy, type Setting, type Subject } from './index.ts'
import { pathGlob } from './path-glob.ts'

const CMD = 'C:\\Windows\\System32\\cmd.exe'
const matches = (pattern: string, path: string): boolean => pathGlob(pattern)(path)

test('folders of Windows are parted by slashes or backslashes, whatever the case', () => {
  for (const pattern of [
    'C:\\Windows\\System32\\cmd.exe',
    'c:\\\\windows\\\\system32\\\\cmd.exe',
    'C:/WINDOWS/system32/CMD.EXE',
    'C:\\Windows\\**',
    'C:/Windows/*/cmd.exe',
    '**/cmd.exe',
    '**\\cmd.exe',
    literal(CMD),
  ])
    expect(matches(pattern, CMD), pattern).toBe(true)
})

test('an asterisk stays in its folder there, too', () => {
  expect(matches('C:\\Windows\\*', CMD)).toBe(false)
  expect(matches('C:\\Windows\\*\\*', CMD)).toBe(true)
  expect(matches('C:\\Tools\\**', CMD)).toBe(false)
})

test('a literal path holds for itself alone', () => {
  const odd = 'C:\\Tools\\[a]{b}\\x.exe'
  expect(matches(literal(odd), odd)).toBe(true)
  expect(matches(literal(odd), 'C:\\Tools\\a{b}\\x.exe')).toBe(false)
  expect(matches(literal('\\\\server\\tools\\a.exe'), '\\\\server\\tools\\a.exe')).toBe(true)
})

test('elsewhere a backslash is a character of a name, and the case counts', () => {
  expect(matches('/usr/bin/*', '/usr/bin/a\\b')).toBe(true)
  expect(matches('/usr/bin/cmd', '/usr/bin/CMD')).toBe(false)
  expect(matches('**/cmd.exe', '/opt/cmd.exe')).toBe(true)
})

test('a rule on the path of a program holds on Windows, however the path is written', () => {
  const executable = 'C:\\Windows\\System32\\cmd.exe'
  const setting: Setting = { desktop: 'host', driver: 'windows', mode: 'allow_actual_input_full', now: Date.now() }
  const subject: Subject = {
    tool: 'ui.click',
    kind: 'click',
    args: {},
    principal: { id: 'agent', role: 'agent' },
    targets: [
      {
        role: 'button',
        name: 'OK',
        app: { id: 'a', name: 'cmd', pid: 7, executable },
        path: [],
        source: 'structure',
        confidence: 1,
        why: [],
      },
    ],
    tainted: false,
  }
  for (const process of ['c:\\windows\\**', 'C:/Windows/System32/*.exe', '**\\CMD.exe', executable]) {
    const text = `[[rule]]\nname = "no shells"\ntoolName = "*"\ndecision = "deny"\npriority = 900\nwhen = { process = '${process}' }`
    const policy = createPolicy({ rules: parsePolicy(text, 'mine.toml', 'user').rules })
    expect(policy.decide(subject, policy.assess(subject, setting), setting).rule?.name, process).toBe('no shells')
  }
})
