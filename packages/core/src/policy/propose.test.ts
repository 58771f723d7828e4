import fc from 'fast-check'
import { expect, test } from 'vitest'
import { call, inApp, judge, on, policy, target, verdict } from '../../test/policy-samples.ts'
import { checkPolicyText, proposeRule, type DecidedCall, type RulePolicy, type Subject } from './index.ts'

const ASKS = '[[rule]]\ntoolName = "*"\ndecision = "ask_user"\npriority = 700\n'

/** The call as a policy decided it, as the record has it. */
function decided(by: RulePolicy, subject: Subject): DecidedCall {
  return { ...subject, risk: by.assess(subject, on()), decision: judge(by, subject) }
}
const proposed = (subject: Subject, decision: 'allow' | 'deny', rules = ASKS): string => {
  const by = policy(rules)
  return proposeRule(decided(by, subject), decision, by.rules)
}

test('a rule made of a question decides the same call, and no call on another element, application or tool', () => {
  const text = proposed(call(), 'allow')
  const both = policy(`${ASKS}\n${text}`)
  expect(checkPolicyText(text, 'rules.toml')).toEqual([])
  expect(verdict(both, call())).toBe('allow')
  expect(verdict(both, call('click', { targets: [target({ name: 'Save as' })] }))).toBe('ask_user')
  expect(verdict(both, call('click', { targets: [inApp('/opt/usr/bin/mousepad')] }))).toBe('ask_user')
  expect(verdict(both, call('close'))).toBe('ask_user')
})

test('an allow covers no more risk than the call had', () => {
  const both = policy(`${ASKS}\n${proposed(call(), 'allow')}`)
  const riskier = call('click', { targets: [target({ states: { password: true } })] })
  expect([both.assess(call(), on()).level, both.assess(riskier, on()).level]).toEqual(['low', 'medium'])
  expect(verdict(both, riskier)).toBe('ask_user')
})

test('every name means itself in the rule that is made of it, whatever stands for a pattern in it', () => {
  const special = fc.string({ unit: fc.constantFrom('a', 'B', '*', '?', '[', ']', '{', ',', '}', '\\', '/', '"', 'ä', ' '), minLength: 1 })
  fc.assert(
    fc.property(fc.oneof(special, fc.string({ minLength: 1, maxLength: 40 })), (name) => {
      const subject = call('click', { targets: [target({ name: `x${name}` })] })
      const between = call('click', { targets: [target({ name: `/${name}/` })] })
      for (const one of [subject, between]) {
        expect(verdict(policy(`${ASKS}\n${proposed(one, 'deny')}`), one)).toBe('deny')
        expect(verdict(policy(`${ASKS}\n${proposed(one, 'deny')}`), call('click', { targets: [target({ name: 'another' })] }))).toBe(
          'ask_user',
        )
      }
    }),
  )
})

test('no rule is proposed that lets a prohibited call through', () => {
  const prompt = call('click', { targets: [inApp('/usr/bin/pinentry')] })
  const by = policy(ASKS)
  expect(by.assess(prompt, on()).level).toBe('prohibited')
  expect(() => proposeRule(decided(by, prompt), 'allow', by.rules)).toThrow('prohibited')
})
