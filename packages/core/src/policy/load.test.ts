import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { call, inApp, judge, on, verdict } from '../../test/policy-samples.ts'
import { DeskhandError } from '../errors.ts'
import { checkPolicyFile, createPolicy, inspectPolicy, loadPolicyFiles, openPolicy, parsePolicy } from './index.ts'

/** Written for Gemini CLI, with every field its documentation has. */
const GEMINI = `
[[rule]]
toolName = "run_shell_command"
commandPrefix = ["git status", "ls"]
decision = "allow"
priority = 100
allowRedirection = true

[[rule]]
toolName = "run_shell_command"
commandRegex = "git (commit|push)"
decision = "ask_user"
priority = 110

[[rule]]
toolName = ["write_file", "replace"]
decision = "ask_user"
priority = 10
modes = ["default", "autoEdit"]

[[rule]]
toolName = "*"
decision = "allow"
priority = 999
modes = ["yolo"]

[[rule]]
mcpName = "untrusted-server"
decision = "deny"
priority = 500
denyMessage = "This server is not trusted."

[[rule]]
mcpName = "deskhand"
toolName = "ui.launch"
argsPattern = '"app":"(xterm|konsole)"'
decision = "deny"
priority = 300
deny_message = "No terminals."

[[rule]]
toolName = "mcp_deskhand_ui.click_xy"
decision = "deny"
priority = 300

[[rule]]
toolName = "mcp_*"
toolAnnotations = { readOnlyHint = true }
decision = "allow"
priority = 50

[[rule]]
mcpName = "*"
toolName = "ui.type"
subagent = "form-filler"
interactive = true
decision = "deny"
priority = 200
`

describe('a policy file written for Gemini CLI', () => {
  const gemini = createPolicy({ rules: parsePolicy(GEMINI, 'gemini.toml', 'user').rules })

  test('loads unchanged and means the same for the tools it names', () => {
    const terminal = call('launch', { tool: 'desktop.launch', args: { app: 'xterm', args: [] }, targets: [] })
    expect(judge(gemini, terminal)).toMatchObject({ verdict: 'deny', code: 'DENIED', reason: expect.stringContaining('No terminals.') })
    expect(verdict(gemini, call('launch', { args: { app: 'mousepad' }, targets: [] }))).toBe('allow')
    expect(verdict(gemini, call('click_xy', { args: { x: 1, y: 2 } }))).toBe('deny')
    expect(verdict(gemini, call('snapshot'))).toBe('allow')
  })

  test('does not let a rule for another server, another mode or another agent speak here', () => {
    expect(verdict(gemini, call('click'))).toBe('allow')
    expect(verdict(gemini, call('click', { targets: [inApp('/usr/bin/mousepad', { name: 'Delete' })] }))).toBe('ask_user')
    expect(verdict(gemini, call('type', { args: { text: 'x' }, principal: { id: 'form-filler', role: 'agent' } }))).toBe('deny')
    expect(verdict(gemini, call('type', { args: { text: 'x' }, principal: { id: 'other', role: 'agent' } }))).toBe('allow')
  })

  test('keeps its shorthands for shell commands', () => {
    const shell = (command: string) =>
      gemini.trace(
        call('code', { tool: 'run_shell_command', args: { command }, targets: [] }),
        { level: 'low', score: 0, factors: [] },
        on(),
      ).winner?.source.line
    expect(shell('git status -s')).toBe(2)
    expect(shell('git statusx')).not.toBe(2)
    expect(shell('ls')).toBe(2)
    expect(shell('git push origin')).toBe(9)
    expect(shell('echo git push')).not.toBe(9)
  })
})

describe('a file with a mistake', () => {
  const problem = (source: string): string => {
    const found = inspectPolicy(source, 'my.toml', 'user').problems[0]
    return found ? `${found.line}: ${found.message}` : 'none'
  }
  const RULE = '[[rule]]\ntoolName = "*"\ndecision = "deny"\npriority = 1\n'

  test.each([
    ['[[rules]]\n', '1: there is no key "rules" (did you mean rule?)'],
    [`${RULE}priorty = 3\n`, '5: there is no key "priorty" (did you mean priority?)'],
    [`${RULE}# note\n[rule.when]\nproces = "x"\n`, '7: there is no key "proces" (did you mean process?)'],
    [`${RULE}when = { state = { enabeld = true } }\n`, '5: there is no key "enabeld" (did you mean enabled?)'],
    [`${RULE}${RULE}obligations = { redcat = true }\n`, '9: there is no key "redcat" (did you mean redact?)'],
    [`${RULE}rateLimit = { max = 3, secs = 1 }\n`, '5: there is no key "secs" (there are: max, seconds, per, shared)'],
    [`${RULE}zzz = 1\n`, expect.stringMatching(/^5: there is no key "zzz" \(there are: toolName, .*obligations\)$/)],
    [
      `${RULE}[[safety_checker]]\n`,
      '5: there is no key "safety_checker" (there are: rule, words, classes, mask, private, automation, nonInteractive)',
    ],
    ['[[rule]]\ntoolName = "*"\npriority = 1\n', '1: decision is missing'],
    ['[[rule]]\ntoolName = "*"\ndecison = "deny"\npriority = 1\n', '3: there is no key "decison" (did you mean decision?)'],
    ['\n[[rule]]\ntoolName = "*"\ndecision = "maybe"\npriority = 1\n', '4: decision: must be one of allow, deny, ask_user'],
    ['[[rule]]\ntoolName = "*"\ndecision = "deny"\npriority = 1000\n', '4: priority: must be at most 999'],
    ['[[rule]]\ntoolName = "*"\ndecision = "deny"\npriority = 1.5\n', '4: priority: must be a whole number'],
    ['[[rule]]\ndecision = "deny"\npriority = 1\n', '1: a rule needs toolName; "*" stands for every tool'],
    [
      `${RULE}argsPattern = '(?=x)'\n`,
      '5: argsPattern: invalid or unsupported Perl syntax: `(?=` (regexes here run in linear time: no look-around, no back-references)',
    ],
    [`${RULE}when = { name = "[x" }\n`, '5: when.name: a "[" in the glob has no "]"'],
    [`${RULE}when = { app = 3 }\n`, '5: when.app: must be a string or a list of strings'],
    [`${RULE}when = { risk = "huge" }\n`, '5: when.risk: must be one or several of low, medium, high, prohibited'],
    [`${RULE}expires = 2026-01-01\n`, '5: expires: must be a date and time with its offset, as in 2026-12-31T18:00:00Z'],
    [`${RULE}rateLimit = { max = 1, seconds = 1 }\n`, '5: a rule that denies has no rate to limit'],
    [`${RULE}modes = ["yollo"]\n`, expect.stringContaining('5: modes.0: must be one of default, autoEdit, plan, yolo')],
    [
      '[[rule]]\ncommandPrefix = "a"\ncommandRegex = "b"\ndecision = "deny"\npriority = 1\n',
      '3: commandPrefix and commandRegex exclude each other',
    ],
    ['x = \n', expect.stringMatching(/^1: Invalid TOML/)],
    [`${RULE}__proto__ = { x = 1 }\n`, expect.stringMatching(/^5: /)],
  ])('%j is reported as %j', (source, expected) => {
    expect(problem(source)).toEqual(expected)
  })

  test('is a coded error that names file, line and every problem', () => {
    const load = () => parsePolicy(`${RULE}foo = 1\nbar = 2\n`, 'my.toml', 'user')
    expect(load).toThrow(DeskhandError)
    expect(load).toThrow(
      expect.objectContaining({
        code: 'BAD_POLICY',
        message: expect.stringMatching(/^my\.toml:5: there is no key "foo" .* \(and 1 more\)$/),
        exitCode: 2,
      }),
    )
  })

  test('whatever the text, loading ends in a policy or in problems with a line inside the file', () => {
    const line = fc.constantFrom(
      '[[rule]]',
      '[rule.when]',
      'toolName = "*"',
      'decision = "allow"',
      'priority = 1',
      'app = "x"',
      'when = {}',
      'x',
      '"',
      "'''",
      'modes = []',
      'expires = 1',
    )
    fc.assert(
      fc.property(
        fc.oneof(
          fc.array(line).map((l) => l.join('\n')),
          fc.string(),
        ),
        (source) => {
          const { policy, problems } = inspectPolicy(source, 'f', 'user')
          expect(policy === undefined).toBe(problems.length > 0)
          for (const p of problems) expect(p.line).toBeLessThanOrEqual(source.split('\n').length)
        },
      ),
    )
  })
})

describe('files and tiers', () => {
  let folder: string
  beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), 'deskhand-policy-'))))
  afterAll(() => rmSync(folder, { recursive: true }))
  const write = (name: string, text: string, mode = 0o644): string => {
    const path = join(folder, name)
    writeFileSync(path, text)
    chmodSync(path, mode)
    return path
  }
  const DENY = '[[rule]]\ntoolName = "ui.click"\ndecision = "deny"\npriority = 0\n'
  const ALLOW =
    '[[rule]]\ntoolName = "*"\ndecision = "allow"\npriority = 999\n[rule.when]\nrisk = ["low", "medium", "high", "prohibited"]\n'

  test('a folder gives all its files, and tiers overrule each other', () => {
    mkdirSync(join(folder, 'user'))
    write('user/b.toml', ALLOW)
    write('user/a.toml', 'nonInteractive = "allow"\n[automation]\nenabled = false\n')
    write('user/notes.txt', 'not a policy')
    const admin = write('admin.toml', DENY)
    const both = openPolicy({ user: [join(folder, 'user')], admin: [admin] })
    expect(both.settings).toMatchObject({ nonInteractive: 'allow', automation: { enabled: false } })
    expect(judge(both, call('click'))).toMatchObject({ verdict: 'deny', rule: { file: admin, line: 1, tier: 'admin' } })
    expect(verdict(both, call('type', { args: { text: 'x' } }))).toBe('allow')
  })

  test('the strictest setting of a tier counts, in any order', () => {
    const first = write('one.toml', 'nonInteractive = "allow"\n')
    const second = write('two.toml', 'nonInteractive = "deny"\n')
    expect(openPolicy({ user: [first, second] }).settings.nonInteractive).toBe('deny')
    expect(openPolicy({ user: [second, first] }).settings.nonInteractive).toBe('deny')
    const enabled = write('three.toml', '[automation]\nenabled = true\n')
    const disabled = write('four.toml', '[automation]\nenabled = false\n')
    expect(openPolicy({ user: [enabled, disabled] }).settings.automation.enabled).toBe(false)
    expect(openPolicy({ user: [disabled], admin: [enabled] }).settings.automation.enabled).toBe(true)
  })

  test('a missing file is an error, not an empty policy', () => {
    expect(() => loadPolicyFiles(join(folder, 'nowhere.toml'), 'admin')).toThrow(expect.objectContaining({ code: 'BAD_POLICY' }))
  })

  test.each([0o666, 0o664, 0o622])('an admin file of mode %o is refused', (mode) => {
    const path = write('loose.toml', DENY, mode)
    expect(() => loadPolicyFiles(path, 'admin')).toThrow(/others can write it/)
    expect(loadPolicyFiles(path, 'user')).toHaveLength(1)
    expect(checkPolicyFile(path, { tier: 'admin' })).toMatchObject([
      { line: 1, severity: 'error', message: expect.stringContaining('chmod go-w') },
    ])
  })

  test('an admin file in a folder that others can write is refused, also through a link', () => {
    mkdirSync(join(folder, 'open'))
    const path = write('open/rules.toml', DENY)
    chmodSync(join(folder, 'open'), 0o777)
    symlinkSync(path, join(folder, 'link.toml'))
    expect(() => loadPolicyFiles(path, 'admin')).toThrow(/others can write it/)
    expect(() => loadPolicyFiles(join(folder, 'link.toml'), 'admin')).toThrow(/others can write it/)
    symlinkSync(write('closed.toml', DENY), join(folder, 'open', 'link.toml'))
    expect(() => loadPolicyFiles(join(folder, 'open', 'link.toml'), 'admin')).toThrow(/others can write it/)
  })

  test.runIf(process.getuid?.() === 0)('an admin file of another user is refused', () => {
    const path = write('foreign.toml', DENY)
    chownSync(path, 12_345, 12_345)
    expect(() => loadPolicyFiles(path, 'admin')).toThrow(/belongs to user 12345/)
  })

  test('checking tells what loads but will not do what it seems to', () => {
    const path = write(
      'doubtful.toml',
      [
        '[[rule]]',
        'toolName = "ui.clik"',
        'decision = "deny"',
        'priority = 1', // 1
        '[[rule]]',
        'toolName = "ui.*"',
        'decision = "allow"',
        'priority = 1',
        'when = { name = "Save" }', // 5
        '[[rule]]',
        'toolName = "*"',
        'decision = "allow"',
        'priority = 1',
        "argsPattern = 'safe'", // 10
        '[[rule]]',
        'toolName = "ui_click"',
        'decision = "allow"',
        'priority = 1',
        'expires = 2020-01-01T00:00:00Z', // 15
        '[[rule]]',
        'toolName = "mcp_deskhand_ui.type"',
        'decision = "deny"',
        'priority = 1',
        'modes = ["yolo"]', // 20
        '[[rule]]',
        'toolName = ["mcp_*", "mcp_*_ui_click", "mcp_deskhand_*"]',
        'decision = "deny"',
        'priority = 1',
        'when = { window = "Payroll*" }', // 25
        '[[rule]]',
        'toolName = "*"',
        'decision = "deny"',
        'priority = 1',
        'when = { name = "Salary" }', // 30
      ].join('\n'),
    )
    const found = checkPolicyFile(path, { tools: ['ui.click', 'ui.type'] }).map((p) => `${p.line} ${p.severity} ${p.message}`)
    expect(found).toEqual([
      '1 warning no tool of Deskhand\'s is called "ui.clik"; did you mean "ui.click"?',
      expect.stringMatching(/^5 warning allows by a name or title/),
      expect.stringMatching(/^10 warning allows by a pattern that names no field/),
      '15 warning expired on 2020-01-01T00:00:00.000Z',
      expect.stringMatching(/^20 warning is only for yolo/),
      expect.stringMatching(/^30 warning hides no such element/),
    ])
  })
})
