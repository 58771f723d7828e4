import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { call, inApp, judge, on, policy, target, verdict } from '../../test/policy-samples.ts'
import { rateKeys } from './rates.ts'
import { createPolicy, parsePolicy, RateCounter, type Setting, type Subject, type Tier } from './index.ts'

const rule = (decision: string, priority: number, more = '', tool = '*'): string =>
  `[[rule]]\ntoolName = "${tool}"\ndecision = "${decision}"\npriority = ${priority}\n${more}\n`

describe('rules', () => {
  test('the higher priority wins, and the decision says where it stands', () => {
    const p = policy(rule('deny', 10) + rule('allow', 20, 'name = "clicks are fine"', 'ui.click'))
    expect(judge(p, call('click'))).toEqual({
      verdict: 'allow',
      reason: 'Allowed by "clicks are fine" (rules.toml:6).',
      obligations: {},
      rule: { file: 'rules.toml', line: 6, tier: 'user', name: 'clicks are fine' },
    })
    expect(judge(p, call('type', { args: { text: 'x' } }))).toMatchObject({
      verdict: 'deny',
      code: 'DENIED',
      reason: 'the rule (rules.toml:1) denies ui.type.',
    })
  })

  test('of equals the stricter wins', () => {
    expect(verdict(policy(rule('allow', 10) + rule('deny', 10) + rule('ask_user', 10)), call())).toBe('deny')
  })

  test('a rule answers for an action whatever tool asks for it', () => {
    const p = policy(rule('deny', 1, '', 'ui.click_xy'))
    expect(verdict(p, call('click_xy', { tool: 'gui_click' }))).toBe('deny')
    expect(verdict(p, call('click_xy', { tool: 'script.run' }))).toBe('deny')
    for (const name of ['ui.*', 'ui_click_xy', 'mcp_deskhand_*', 'mcp_*_ui.click_xy', 'deskhand__*', 'mcp_*']) {
      expect([name, verdict(policy(rule('deny', 1, '', name)), call('click_xy'))]).toEqual([name, 'deny'])
    }
    expect(verdict(policy(rule('deny', 1, '', 'ui.cl')), call('click'))).toBe('allow')
  })

  test.each<[string, string, Subject, Subject, Partial<Setting>?]>([
    ['app', 'app = "mouse*"', call(), call('click', { targets: [inApp('/usr/bin/gedit')] })],
    ['app by several', 'app = ["gedit", "MOUSEPAD"]', call(), call('click', { targets: [inApp('/usr/bin/kate')] })],
    ['process', 'process = "/usr/bin/*"', call(), call('click', { targets: [inApp('/opt/usr/bin/mousepad')] })],
    [
      'window',
      'window = "untitled*"',
      call(),
      call('click', { targets: [target({ window: { key: 'w', title: 'Other', role: 'window' } })] }),
    ],
    ['role', 'role = "push button"', call(), call('click', { targets: [target({ role: 'link' })] })],
    ['name', 'name = "/^sa?ve$/"', call(), call('click', { targets: [target({ name: 'Save as' })] })],
    ['url', 'url = "*.example.org"', call('click', { targets: [target({ url: 'https://a.example.org/' })] }), call()],
    [
      'state',
      'state = { password = true }',
      call('click', { targets: [target({ states: { password: true } })] }),
      call('click', { targets: [target({ states: {} })] }),
    ],
    ['source', 'source = ["ocr", "image"]', call('click', { targets: [target({ source: 'ocr' })] }), call()],
    ['confidence', 'confidence = { below = 0.8 }', call('click', { targets: [target({ confidence: 0.5 })] }), call()],
    ['risk', 'risk = "medium"', call('click', { targets: [target({ name: 'Delete' })] }), call()],
    ['driver', 'driver = "lin*"', call(), call(), { driver: 'virtual' }],
    ['text', 'text = "*drop table*"', call('type', { args: { text: 'DROP TABLE x' } }), call('type', { args: { text: 'hello' } })],
    ['tainted', 'tainted = true', call('click', { tainted: true }), call()],
    ['desktop', 'desktop = ["sandbox"]', call(), call(), { desktop: 'virtual' }],
  ])('a condition on %s', (_, when, yes, no, elsewhere) => {
    const p = policy(rule('deny', 1, `when = { ${when} }`))
    expect(verdict(p, yes)).toBe('deny')
    expect(verdict(p, no, on('sandbox', elsewhere))).not.toBe('deny')
  })

  test('an expired rule is none', () => {
    const p = policy(rule('deny', 1, 'expires = 2026-01-01T00:00:00Z'))
    expect(verdict(p, call(), on('sandbox', { now: Date.UTC(2025, 11, 31) }))).toBe('deny')
    expect(verdict(p, call(), on('sandbox', { now: Date.UTC(2026, 0, 1) }))).toBe('allow')
  })

  test('modes, interactive and annotations restrict a rule', () => {
    expect(verdict(policy(rule('deny', 1, 'modes = ["simulation_only"]')), call())).toBe('allow')
    expect(verdict(policy(rule('deny', 1, 'modes = ["simulation_only"]')), call(), on('sandbox', { mode: 'simulation_only' }))).toBe('deny')
    expect(verdict(policy(rule('deny', 1, 'modes = ["default"]')), call())).toBe('deny')
    expect(verdict(policy(rule('deny', 1, 'modes = []')), call())).toBe('deny')
    expect(verdict(policy(rule('deny', 1, 'interactive = false')), call())).toBe('allow')
    expect(verdict(policy(rule('deny', 1, 'interactive = false')), call(), on('sandbox', { interactive: false }))).toBe('deny')
    expect(verdict(policy(rule('deny', 1, 'toolAnnotations = { readOnlyHint = true }')), call('snapshot'))).toBe('deny')
    expect(
      verdict(
        policy(rule('deny', 1, 'toolAnnotations = { openWorldHint = true }')),
        call('click', { annotations: { openWorldHint: true } }),
      ),
    ).toBe('deny')
  })
})

describe('what the screen says cannot open a door', () => {
  const allow = (when: string) => policy(rule('ask_user', 1) + rule('allow', 10, `when = { ${when} }`))

  test('an application cannot take the name of an allowed one', () => {
    const posing = inApp('/tmp/evil')
    posing.app = { id: 'mousepad', name: 'mousepad', pid: 3, executable: '/tmp/evil' }
    expect(verdict(allow('app = "mousepad"'), call('click', { targets: [posing] }))).toBe('ask_user')
    expect(verdict(allow('app = "mousepad"'), call('click', { targets: [target({ app: { id: 'mousepad', name: 'mousepad' } })] }))).toBe(
      'ask_user',
    )
    expect(verdict(allow('app = "mousepad"'), call('click'))).toBe('allow')
  })

  test('but it is held back by the name of a denied one', () => {
    const claims = target({ app: { id: 'x', name: 'KeePassXC', pid: 3, executable: '/usr/bin/python3' } })
    expect(verdict(policy(rule('deny', 1, 'when = { app = "keepassxc" }')), call('click', { targets: [claims] }))).toBe('deny')
  })

  test('an allow has to hold for every target, a deny for one', () => {
    const both = call('drag', { targets: [target(), inApp('/usr/bin/gedit')] })
    expect(verdict(allow('app = "mousepad"'), both)).toBe('ask_user')
    expect(verdict(allow('app = ["mousepad", "gedit"]'), both)).toBe('allow')
    expect(verdict(policy(rule('deny', 1, 'when = { app = "gedit" }')), both)).toBe('deny')
  })

  test('an allow on targets says nothing where none is known', () => {
    expect(verdict(allow('app = "*"'), call('key', { args: { keys: 'a' }, targets: [] }))).toBe('ask_user')
  })

  test('a simulated application is known by its name', () => {
    const p = allow('app = "calculator"')
    expect(verdict(p, call('click', { targets: [target({ app: { id: 'v', name: 'Calculator' } })] }), on('virtual'))).toBe('allow')
  })
})

describe('risk', () => {
  const medium = call('click', { targets: [target({ name: 'Delete' })] })
  const high = call('click', { targets: [inApp('/usr/bin/gnucash', { name: 'Delete' })] })
  const prohibited = call('click', { targets: [inApp('/usr/bin/pinentry')] })

  test('means allow, ask, ask with evidence and deny where no rule names it', () => {
    const none = policy('')
    expect(verdict(none, call())).toBe('allow')
    expect(judge(none, medium)).toMatchObject({
      verdict: 'ask_user',
      obligations: {},
      rule: { file: 'presets/risk.toml', name: 'medium risk asks' },
    })
    expect(judge(none, high)).toMatchObject({ verdict: 'ask_user', obligations: { screenshot: true, verify: true, evidence: 'hash' } })
    expect(judge(none, prohibited)).toMatchObject({ verdict: 'deny', code: 'DENIED' })
  })

  test('is not lowered by a rule that does not name it', () => {
    const p = policy(rule('allow', 999))
    expect(verdict(p, call())).toBe('allow')
    expect(verdict(p, medium)).toBe('ask_user')
    expect(verdict(p, prohibited)).toBe('deny')
  })

  test('is what a rule says that names it', () => {
    const p = policy(rule('allow', 1, 'when = { risk = ["medium", "prohibited"] }'))
    expect(verdict(p, medium)).toBe('allow')
    expect(verdict(p, prohibited)).toBe('allow')
    expect(verdict(p, high)).toBe('ask_user')
  })

  test('an allow that does not name it leaves a weaker one that does in force', () => {
    const named = parsePolicy(rule('allow', 1, 'when = { risk = "medium" }'), 'preset.toml', 'builtin').rules
    const plain = parsePolicy(rule('allow', 1), 'user.toml', 'user').rules
    expect(verdict(createPolicy({ rules: [...named, ...plain] }), medium)).toBe('allow')
  })

  test('without automation nothing that ships lets an act pass', () => {
    const off = { automation: { enabled: false } }
    expect(judge(policy('', { settings: off }), call())).toMatchObject({
      verdict: 'ask_user',
      reason: expect.stringContaining('automation is off'),
    })
    expect(verdict(policy(rule('allow', 1, 'when = { risk = "low" }'), { settings: off, tier: 'builtin' }), call())).toBe('ask_user')
    expect(verdict(policy(rule('allow', 1, 'when = { risk = "low" }'), { settings: off }), call())).toBe('allow')
    expect(verdict(policy('', { settings: off }), call('snapshot'))).toBe('allow')
  })

  test("Deskhand's own windows stay closed whatever the rules say", () => {
    const p = policy(rule('allow', 999, 'when = { risk = ["low", "medium", "high", "prohibited"] }'), { tier: 'admin' })
    const own = on('host', { own: { pids: [100], consoleUrls: [] } })
    expect(judge(p, call(), own)).toMatchObject({ verdict: 'deny', code: 'DENIED' })
    expect(judge(p, call('click', { principal: { id: 'me', role: 'operator' } }), own)).toMatchObject({ verdict: 'allow' })
  })
})

describe('when no person can be asked', () => {
  const asked = call('click', { targets: [target({ name: 'Delete' })] })
  const alone = on('sandbox', { interactive: false })

  test.each([
    ['fail', { verdict: 'deny', code: 'APPROVAL_NEEDED' }],
    ['deny', { verdict: 'deny', code: 'DENIED' }],
    ['allow', { verdict: 'allow' }],
  ] as const)('%s', (nonInteractive, expected) => {
    expect(judge(policy('', { settings: { nonInteractive } }), asked, alone)).toMatchObject(expected)
  })

  test('it fails unless told otherwise, and a deny stays a deny', () => {
    expect(judge(policy(''), asked, alone).code).toBe('APPROVAL_NEEDED')
    expect(verdict(policy(rule('deny', 1), { settings: { nonInteractive: 'allow' } }), asked, alone)).toBe('deny')
  })

  test('the operator is not asked by themselves', () => {
    expect(verdict(policy(''), { ...asked, principal: { id: 'me', role: 'operator' } }, alone)).toBe('allow')
  })
})

describe('modes', () => {
  const free = policy(rule('allow', 1, 'when = { risk = ["low", "medium", "high"] }'))
  const restricted = (over: Partial<Setting>): Setting => on('host', { mode: 'allow_actual_input_restricted', ...over })
  const grant = { apps: ['mousepad'], input: 'any', until: Date.UTC(2026, 0, 2) } as const

  test('simulation_only lets nothing act on a host desktop, and everything look', () => {
    const setting = on('host', { mode: 'simulation_only' })
    for (const kind of ['click', 'type', 'launch', 'window', 'clipboard_write', 'pointer', 'keys'] as const) {
      expect([kind, judge(free, call(kind), setting).code]).toEqual([kind, 'MODE_TOO_LOW'])
    }
    for (const kind of ['snapshot', 'query', 'wait', 'screens'] as const)
      expect([kind, verdict(free, call(kind), setting)]).toEqual([kind, 'allow'])
    expect(verdict(free, call(), on('virtual', { mode: 'simulation_only' }))).toBe('allow')
    expect(verdict(free, call(), on('sandbox', { mode: 'simulation_only' }))).toBe('allow')
  })

  test('a rule that denies says so before the mode does', () => {
    expect(judge(policy(rule('deny', 1)), call(), on('host', { mode: 'simulation_only' })).code).toBe('DENIED')
  })

  test('restricted means these applications, this device, this long', () => {
    const code = (subject: Subject, over: Partial<Setting>) => judge(free, subject, restricted(over)).code
    expect(code(call(), {})).toBe('MODE_TOO_LOW')
    expect(code(call(), { inputGrants: [grant] })).toBeUndefined()
    expect(code(call('click', { targets: [inApp('/usr/bin/gedit')] }), { inputGrants: [grant] })).toBe('MODE_TOO_LOW')
    expect(code(call('drag', { targets: [target(), inApp('/usr/bin/gedit')] }), { inputGrants: [grant] })).toBe('MODE_TOO_LOW')
    expect(code(call(), { inputGrants: [{ ...grant, input: 'keyboard' }] })).toBe('MODE_TOO_LOW')
    expect(code(call('type', { args: { text: 'x' } }), { inputGrants: [{ ...grant, input: 'keyboard' }] })).toBeUndefined()
    expect(code(call('type', { args: { text: 'x' } }), { inputGrants: [{ ...grant, input: 'mouse' }] })).toBe('MODE_TOO_LOW')
    expect(code(call(), { inputGrants: [grant], now: grant.until })).toBe('MODE_TOO_LOW')
    expect(code(call('key', { args: { keys: 'a' }, targets: [] }), { inputGrants: [{ ...grant, apps: ['*'] }] })).toBe('MODE_TOO_LOW')
    expect(code(call('launch', { args: { app: '/usr/bin/mousepad' }, targets: [] }), { inputGrants: [grant] })).toBeUndefined()
    expect(code(call('launch', { args: { app: 'xterm' }, targets: [] }), { inputGrants: [grant] })).toBe('MODE_TOO_LOW')
    expect(code(call(), { inputGrants: [{ ...grant, apps: ['[broken'] }] })).toBe('MODE_TOO_LOW')
  })

  test('an application that only calls itself so is not covered', () => {
    const posing = target({ app: { id: 'mousepad', name: 'mousepad', pid: 9, executable: '/tmp/evil' } })
    expect(judge(free, call('click', { targets: [posing] }), restricted({ inputGrants: [grant] })).code).toBe('MODE_TOO_LOW')
  })
})

describe('rate limits', () => {
  const p = policy(
    rule('allow', 1, 'rateLimit = { max = 2, seconds = 10 }', 'ui.click') +
      rule('allow', 1, 'rateLimit = { max = 3, seconds = 10, per = "app" }'),
  )
  const at = (rates: RateCounter, ms: number): Setting => on('sandbox', { rates, now: ms })

  test('count what was let through, in a sliding window', () => {
    const rates = new RateCounter()
    rates.record(call(), 0)
    expect(verdict(p, call(), at(rates, 1000))).toBe('allow')
    rates.record(call('click', { tool: 'gui_click' }), 5000)
    expect(judge(p, call(), at(rates, 6000))).toMatchObject({ verdict: 'deny', code: 'RATE_LIMITED', rule: { line: 1 } })
    expect(verdict(p, call(), at(rates, 10_000))).toBe('allow')
  })

  test('apply per application, and to every rule that matches', () => {
    const rates = new RateCounter()
    for (const kind of ['type', 'key', 'scroll'] as const) rates.record(call(kind), 0)
    expect(judge(p, call(), at(rates, 1))).toMatchObject({ code: 'RATE_LIMITED', rule: { line: 6 } })
    expect(verdict(p, call('click', { targets: [inApp('/usr/bin/gedit')] }), at(rates, 1))).toBe('allow')
  })

  const another = call('click', { principal: { id: 'another', role: 'agent' } })

  test('count each agent by itself, and all of them together where the rule says so', () => {
    const rates = new RateCounter()
    for (const t of [1, 2]) rates.record(call(), t)
    expect(judge(p, call(), at(rates, 3)).code).toBe('RATE_LIMITED')
    expect(verdict(p, another, at(rates, 3))).toBe('allow')
    const shared = policy(rule('allow', 1, 'rateLimit = { max = 2, seconds = 10, shared = true }'))
    expect(judge(shared, another, at(rates, 3))).toMatchObject({
      code: 'RATE_LIMITED',
      reason: expect.stringContaining('2 in 10 s per tool, all agents together'),
    })
  })

  test('of an agent and of all agents hold side by side', () => {
    const both = policy(
      rule('allow', 2, 'rateLimit = { max = 3, seconds = 10, shared = true }') + rule('allow', 1, 'rateLimit = { max = 2, seconds = 10 }'),
    )
    const rates = new RateCounter()
    for (const t of [1, 2]) rates.record(call(), t)
    expect(judge(both, call(), at(rates, 3))).toMatchObject({ code: 'RATE_LIMITED', rule: { line: 6 } })
    expect(verdict(both, another, at(rates, 3))).toBe('allow')
    rates.record(another, 3)
    expect(judge(both, another, at(rates, 4))).toMatchObject({ code: 'RATE_LIMITED', rule: { line: 1 } })
  })

  test('neither count nor limit operators and viewers: a live view takes nothing from an agent', () => {
    const shared = policy(rule('allow', 1, 'rateLimit = { max = 1, seconds = 10, shared = true }', 'ui.capture'))
    const rates = new RateCounter()
    for (const role of ['viewer', 'operator'] as const) {
      const watching = call('capture', { principal: { id: role, role }, targets: [] })
      for (let n = 0; n < 100; n++) rates.record(watching, n)
      expect(verdict(shared, watching, at(rates, 200))).toBe('allow')
    }
    expect(verdict(shared, call('capture', { targets: [] }), at(rates, 200))).toBe('allow')
    rates.record(call('capture', { targets: [] }), 200)
    expect(judge(shared, call('capture', { targets: [] }), at(rates, 201)).code).toBe('RATE_LIMITED')
  })

  test('the counter agrees with counting by hand', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(20_000), { maxLength: 40 }), fc.nat(20_000), fc.boolean(), (times, since, shared) => {
        const sorted = times.toSorted((a, b) => a - b)
        const rates = new RateCounter()
        for (const t of sorted) rates.record(call(), t)
        const { tool } = rateKeys(call(), shared)
        expect(rates.count(tool, since)).toBe(sorted.filter((t) => t > since).length)
      }),
    )
  })
})

test('each obligation comes from the strongest rule that states it', () => {
  const p = policy(
    rule('allow', 1, 'obligations = { redact = true, evidence = "encrypted" }') +
      rule('allow', 9, 'obligations = { evidence = "none" }', 'ui.click') +
      rule('allow', 5, 'obligations = { verify = true }', 'ui.type'),
  )
  expect(judge(p, call()).obligations).toEqual({ redact: true, evidence: 'none' })
})

describe('properties', () => {
  const decision = fc.constantFrom('allow', 'deny', 'ask_user')
  const when = fc.constantFrom(
    '',
    'when = { app = "mousepad" }',
    'when = { risk = ["medium", "high"] }',
    'when = { name = "*e*" }',
    'when = { desktop = "host" }',
    'rateLimitless',
    'obligations = { verify = true }',
  )
  const one = fc
    .tuple(
      decision,
      fc.nat(20),
      when.filter((w) => w !== 'rateLimitless'),
      fc.constantFrom('*', 'ui.*', 'ui.click', 'ui.type'),
    )
    .map(([d, p, w, t]) => rule(d, p, w, t))
  const file = fc.array(one, { maxLength: 6 }).map((r) => r.join(''))
  const subject = fc.constantFrom<Subject>(
    call(),
    call('type', { args: { text: 'x' } }),
    call('snapshot'),
    call('click', { targets: [target({ name: 'Delete' })] }),
    call('click', { targets: [inApp('/usr/bin/gnucash', { name: 'Pay' })] }),
    call('click_xy', { targets: [] }),
  )
  const setting = fc.constantFrom(on('host'), on('sandbox'), on('virtual', { interactive: false }))
  const load = (text: string, name: string, tier: Tier) => parsePolicy(text, name, tier).rules

  test('an admin deny is final', () => {
    fc.assert(
      fc.property(file, file, subject, setting, fc.constantFrom('fail', 'deny', 'allow'), (user, builtin, s, where, nonInteractive) => {
        const admin = load(rule('deny', 0), 'admin.toml', 'admin')
        const p = createPolicy({
          rules: [...load(user, 'u', 'user'), ...load(builtin, 'b', 'builtin'), ...admin],
          settings: { nonInteractive },
        })
        expect(judge(p, s, where)).toMatchObject({ verdict: 'deny', rule: { tier: 'admin' } })
      }),
    )
  })

  test('the order of files and of rules does not matter', () => {
    fc.assert(
      fc.property(file, file, fc.array(fc.nat()), subject, setting, (a, b, shuffle, s, where) => {
        const rules = [...load(a, 'a.toml', 'user'), ...load(b, 'b.toml', 'user')]
        const mixed = rules
          .map((r, i) => ({ r, at: shuffle[i] ?? i }))
          .toSorted((x, y) => x.at - y.at)
          .map(({ r }) => r)
        const [p, q] = [createPolicy({ rules }), createPolicy({ rules: mixed })]
        expect(q.version).toBe(p.version)
        expect(judge(q, s, where)).toEqual(judge(p, s, where))
      }),
    )
  })

  test('of two rules that differ in nothing but their file, the same one answers in any order', () => {
    const [a, b] = [load(rule('deny', 1), 'a.toml', 'user'), load(rule('deny', 1), 'b.toml', 'user')]
    const files = [createPolicy({ rules: [...a, ...b] }), createPolicy({ rules: [...b, ...a] })].map((p) => judge(p, call()).rule?.file)
    expect(files).toEqual(['a.toml', 'a.toml'])
  })

  test('the same question gets the same answer, and asking changes nothing', () => {
    fc.assert(
      fc.property(file, subject, setting, (text, s, where) => {
        const p = policy(text)
        const frozen = structuredClone(s)
        const first = judge(p, s, where)
        expect(judge(p, s, where)).toEqual(first)
        expect(judge(policy(text), s, where)).toEqual(first)
        expect(s).toEqual(frozen)
      }),
    )
  })

  test('the prefilter never changes an answer', () => {
    fc.assert(
      fc.property(file, subject, setting, (text, s, where) => {
        const p = policy(text)
        const { rules, winner } = p.trace(s, p.assess(s, where), where)
        expect(winner?.source).toEqual(rules.find((r) => r.missed === undefined)?.rule.source)
      }),
    )
  })

  test('another rule gives another version, another line does not', () => {
    expect(policy(rule('deny', 1)).version).not.toBe(policy(rule('deny', 2)).version)
    expect(policy(`\n# note\n${rule('deny', 1)}`).version).toBe(policy(rule('deny', 1)).version)
    expect(policy('', { settings: { nonInteractive: 'deny' } }).version).not.toBe(policy('').version)
  })
})
