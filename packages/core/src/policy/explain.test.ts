import { expect, test } from 'vitest'
import { call, inApp, judge, on, policy, target } from '../../test/policy-samples.ts'
import type { EntryBody } from '../model/index.ts'
import { decidedCalls, explain, openPolicy, replayDecisions } from './index.ts'

const rules = `
[[rule]]
name = "editor is fine"
toolName = "ui.*"
decision = "allow"
priority = 100
when = { app = "mousepad" }

[[rule]]
name = "bank is not"
toolName = "*"
decision = "deny"
priority = 200
when = { app = "bank" }
`

test('an explanation names what matched, what won, what missed and why', () => {
  const p = policy(rules)
  const told = explain(p, call('click', { targets: [target({ name: 'Delete' })] }), on())
  expect(told.decision.verdict).toBe('ask_user')
  const rows = told.rules.map((r) => `${r.won ? '>' : r.matched ? '+' : '-'} ${r.note}`)
  expect(rows).toEqual([
    '- "bank is not" (rules.toml:9): does not match: app',
    '+ "editor is fine" (rules.toml:2): the strongest that matches, but the risk asks for more',
    '- "prohibited" (presets/risk.toml:26): does not match: risk',
    '> "medium risk asks" (presets/risk.toml:11): names the medium risk and is stricter than the strongest',
    '- "high risk asks with evidence" (presets/risk.toml:18): does not match: risk',
    '- "low risk passes" (presets/risk.toml:4): does not match: risk',
  ])
  expect(told.text).toContain('30  word.destructive: destroys something, by the word "delete"')
  expect(told.text).toContain('> ask_user')
})

test('an explanation agrees with the decision', () => {
  const p = openPolicy({ preset: 'supervised' })
  for (const subject of [call(), call('capture'), call('click', { targets: [inApp('/usr/bin/pinentry')] })]) {
    const told = explain(p, subject, on('host'))
    expect(told.decision).toEqual(judge(p, subject, on('host')))
    expect(told.rules.filter((r) => r.won).map((r) => r.rule)).toEqual([told.decision.rule])
  }
})

test('a replay tells what another policy would have decided', () => {
  const old = policy('')
  const subjects = [
    call(),
    call('click', { targets: [inApp('/opt/bank')] }),
    call('click', { tool: 'gui_click' }),
    call('type', { args: { text: 'x' }, tainted: true }),
  ]
  const entries: (EntryBody & { seq: number; time: string })[] = subjects.map((s, i) => {
    const risk = old.assess(s, on())
    return {
      type: 'decided',
      seq: i,
      time: '2026-01-01T00:00:00.000Z',
      op: `op${i}`,
      tool: s.tool,
      kind: s.kind,
      setting: { desktop: 'sandbox', driver: 'linux', mode: 'allow_actual_input_full' },
      args: s.args,
      principal: s.principal,
      targets: [...s.targets],
      risk,
      decision: old.decide(s, risk, on()),
      policy: old.version,
    }
  })
  const rows = replayDecisions(policy(rules), decidedCalls(entries), {
    setting: on(),
    kindOf: (tool) => (tool === 'gui_click' ? 'click' : undefined),
  })
  expect(rows.map((r) => [r.call.seq, r.was.verdict, r.now.verdict, r.differs])).toEqual([
    [0, 'allow', 'allow', false],
    [1, 'allow', 'deny', true],
    [2, 'allow', 'allow', false],
    [3, 'allow', 'allow', false],
  ])
  expect(rows[3]?.risk.factors.map((f) => f.id)).toContain('taint.text')
})
