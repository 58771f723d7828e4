import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Approval, PlannedStep, Principal, TargetFacts } from '../../model/index.ts'
import { bind } from './digest.ts'
import { Plans } from './plans.ts'

const AGENT: Principal = { id: 'agent', role: 'agent' }
const OPERATOR: Principal = { id: 'operator', role: 'operator' }
const facts = (name: string): TargetFacts => ({ key: name, role: 'button', name, path: [], source: 'structure', confidence: 1, why: [] })

interface Made {
  tool: string
  arg: number
  on: string
}

const step = ({ tool, arg, on }: Made, n: number, needs: PlannedStep['needs']): PlannedStep => ({
  n,
  tool,
  summary: '',
  state: needs === 'grant' ? 'unknown' : 'known',
  needs,
  args: {},
  reads: false,
  targets: [facts(on)],
  call: bind(tool, { arg }, [], ''),
  digest: bind(tool, { arg }, [facts(on)], 'p'),
})

const plan = (steps: PlannedStep[]): Approval => ({
  id: 'a1',
  op: 'op1',
  digest: '',
  tool: 'plan.rehearse',
  summary: '',
  args: {},
  principal: AGENT,
  targets: [],
  risk: { level: 'low', score: 0, factors: [] },
  decision: { verdict: 'ask_user', reason: '', obligations: {} },
  tolerancePx: 8,
  askedAt: '',
  expiresAt: '',
  steps,
})

const made = fc.record({ tool: fc.constantFrom('ui.click', 'ui.type'), arg: fc.nat(1), on: fc.constantFrom('A', 'B') })
const needs = fc.constantFrom('nothing' as const, 'plan' as const, 'grant' as const)

test('whatever is called, consent is given for the longest exact beginning of the plan and never again', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(made, needs), { minLength: 1, maxLength: 5 }), fc.array(made, { maxLength: 8 }), (steps, calls) => {
      const plans = new Plans(() => 0)
      plans.approve(plan(steps.map(([m, need], i) => step(m, i + 1, need))), OPERATOR)
      const given = calls.map((c) => plans.next(c.tool, { arg: c.arg }, AGENT, [facts(c.on)], 'p')?.consent !== undefined)
      let alive = true
      const expected = calls.map((c, i) => {
        const [m, need] = steps[i] ?? []
        const same = m !== undefined && m.tool === c.tool && m.arg === c.arg && (need === 'grant' || m.on === c.on)
        alive &&= same
        return alive && need === 'plan'
      })
      expect(given).toEqual(expected)
    }),
  )
})

test('an operator’s word about the plan ends with it: other rules, another principal, time, and revocation', () => {
  const clock = { now: 0 }
  const plans = new Plans(() => clock.now)
  const one = { tool: 'ui.click', arg: 1, on: 'A' }
  const approve = (): void => plans.approve(plan([step(one, 1, 'plan'), step(one, 2, 'plan')]), OPERATOR)
  const use = (who = AGENT, policy = 'p') => plans.next('ui.click', { arg: 1 }, who, [facts('A')], policy)
  approve()
  expect(use({ id: 'other', role: 'agent' })).toBeUndefined()
  expect(use()?.consent).toMatchObject({ id: 'a1.1', targets: [{ name: 'A' }] })
  expect(use(AGENT, 'other rules')).toBeUndefined()
  expect(use()).toBeUndefined()
  approve()
  clock.now = 10 * 60_000
  expect(use()).toBeUndefined()
  approve()
  expect(plans.revoke('a1')).toMatchObject({ left: 2 })
  expect(use()).toBeUndefined()
})
